"""The address of what a plugin posts: the URL, and behind it the body.

    http://www.example.org/search#POST:form:q=iron+age&page=2
    http://www.example.org/api#POST:json:%7B%22page%22:2%7D

So a POST is a URL like any other to the frontier, the log, messages and tables: it is admitted
once, ordered, explained and counted, and whoever has its address has all that is to be sent. URL,
method and body are its identity. The part behind `#` is sent to no server.

Always true:
  * `posted_in(address_of(url, posted)) == posted`, and `bare(address_of(url, posted)) == url`;
  * no link, redirect or seed has such an address, because canonical URLs have no fragment: a page
    cannot make a crawl post anything.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote, unquote_plus, unquote_to_bytes, urlencode

FORM, JSON = "application/x-www-form-urlencoded", "application/json"
MOST_BODY_BYTES = 8_000
"""The longest body, as it stands in an address: addresses are kept for ever, in memory."""
MARK = "#POST:"

_NAMES = {FORM: "form", JSON: "json"}
_TYPES = {name: kind for kind, name in _NAMES.items()}
_SAFE = "!$&'()*+,-./:=@_~"
_SAFE_TYPE = "+-._"
_MOST_QUERY = 4_096


class Body(NamedTuple):
    """The body of a POST."""

    content: bytes
    content_type: str = FORM


def address_of(url: str, body: Body) -> str:
    """Return the address of a body posted to a canonical URL; `ValueError` if it is too long."""
    kind = _NAMES.get(body.content_type) or quote(body.content_type, safe=_SAFE_TYPE)
    text = quote(body.content, safe=_SAFE)
    if not body.content:
        raise ValueError("an empty body is not posted")
    if len(kind) + len(text) > MOST_BODY_BYTES:
        raise ValueError(
            f"what is posted takes {len(kind) + len(text):,} bytes in its address, and "
            f"{MOST_BODY_BYTES:,} are possible"
        )
    return f"{url}{MARK}{kind}:{text}"


def bare(address: str) -> str:
    """Return an address, or a key, without what is posted to it."""
    return address.partition("#")[0]


def posted_in(address: str) -> Body | None:
    """Return what is posted to an address, or by a key; None of other URLs."""
    _, mark, rest = address.partition(MARK)
    kind, colon, text = rest.partition(":")
    if not mark or not colon:
        return None
    content_type = _TYPES.get(kind) or unquote_to_bytes(kind).decode("latin-1")
    return Body(unquote_to_bytes(text), content_type)


def replay_url(address: str) -> str:
    """Return the URL by which replay tools search for the answer: method and body in its query.

    The form is that of pywb and of the tools that index for it.
    """
    body, url = posted_in(address), bare(address)
    if body is None:
        return url
    mark = "&" if "?" in url else "?"
    return f"{url}{mark}__wb_method=POST&{_query_of(body)[:_MOST_QUERY]}"


def _query_of(body: Body) -> str:
    if body.content_type.startswith(JSON):
        try:
            return urlencode(_flat(json.loads(body.content)))
        except ValueError:
            return ""
    if body.content_type.startswith(FORM):
        try:
            return unquote_plus(body.content.decode())
        except UnicodeDecodeError:
            pass
    return f"__wb_post_data={b64encode(body.content).decode()}"


def _flat(value: Any) -> dict[str, str]:
    """Return all values of a JSON document by their names; a name that returns gets a number."""
    found: dict[str, str] = {}
    times: dict[str, int] = {}
    for name, one in _leaves(value, ""):
        shown = name
        if name in found:
            times[name] = times.get(name, 1) + 1
            shown = f"{name}.{times[name]}_"
        found[shown] = one
    return found


def _leaves(value: Any, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, name)
    elif name:
        yield name, _spelled(value)


def _spelled(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
