"""Explain step by step how a reference becomes a canonical URL.

`lycosa.model.url.canonicalize` makes all changes at once. This module retraces them: it tries each
change of the URL Standard and of the canonical form on its own, and lists those that change the
text but not its meaning.

Always true:
  * every step's text has the same canonical form as the reference, and the last one is that form;
  * a reference that is canonical already has no steps.

Cost: a dozen parses per URL, so it is for people, not for crawls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from lycosa.frontier.partitioners import Partitioner
from lycosa.model.url import (
    LONGEST_HREF,
    LONGEST_URL,
    canonicalize,
    host_of,
    is_dynamic,
    key_of,
    parse,
    refusal,
    site_of,
    site_url,
)
from lycosa.storage.tables.rows import url_id

REFUSALS = {
    "invalid": "it cannot be parsed by the URL Standard",
    "scheme": "it is neither http nor https",
    "credentials": "it carries a user name or a password, which a crawl does not use",
    "too-long": f"a URL has at most {LONGEST_URL:,} characters, a reference {LONGEST_HREF:,}",
}
"""The reasons of `lycosa.model.url.refusal` in words."""

_EDGES = "".join(map(chr, range(0x21)))
_START = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):([/\\]*)")
_PARTS = re.compile(r"(https?://)([^/?#]*)([^?#]*)(.*)", re.DOTALL)
_DOTS = re.compile(r"(?:^|/)(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_MUST_BE_ESCAPED = re.compile(r"""[^\x21-\x7e]|["<>`{}^|']""")


class Step(NamedTuple):
    """A change, and the URL after it."""

    what: str
    url: str


class CheckedUrl(NamedTuple):
    """Result for a reference; the fields after `refusal` are None if it is refused."""

    url: str
    base: str | None
    refusal: str | None
    canonical: str | None = None
    key: str | None = None
    url_id: int | None = None
    host: str | None = None
    site: str | None = None
    is_dynamic: bool | None = None
    partition: int | None = None
    steps: tuple[Step, ...] = ()


def check_url(url: str, base: str | None, partitioner: Partitioner) -> CheckedUrl:
    """Return all facts that Lycosa derives from a reference alone."""
    canonical = canonicalize(url, base)
    if canonical is None:
        return CheckedUrl(url, base, refusal(url, base) or "invalid")
    key = key_of(canonical)
    return CheckedUrl(
        url=url,
        base=base,
        refusal=None,
        canonical=canonical,
        key=key,
        url_id=url_id(key),
        host=host_of(key),
        site=site_url(site_of(key)),
        is_dynamic=is_dynamic(key),
        partition=partitioner.partition_of(key),
        steps=tuple(retrace(url, base, canonical)),
    )


def retrace(url: str, base: str | None, canonical: str) -> Iterator[Step]:
    """Yield the steps from a reference to its canonical form."""
    text = url
    for what, change in _CHANGES:
        changed = change(text)
        if changed != text and canonicalize(changed, base) == canonical:
            text = changed
            yield Step(what, text)
    if base is not None and canonicalize(text) != canonical:
        text = parse(text, base) or canonical
        yield Step("resolved against the base", text)
    if not _PARTS.fullmatch(text):
        text = parse(text, base) or canonical
        yield Step("completed as browsers do", text)
    for what, change in (*_CHANGES_OF_PARTS, *_CHANGES_AT_THE_END):
        changed = change(text)
        if changed != text and canonicalize(changed) == canonical:
            text = changed
            yield Step(what, text)
    if text != canonical:
        yield Step("spelled as browsers do", canonical)


def _cleaned(text: str) -> str:
    return re.sub("[\t\n\r]", "", text)


def _lower_scheme(text: str) -> str:
    start = _START.match(text)
    return text if start is None else start[1].lower() + text[start.end(1) :]


def _two_slashes(text: str) -> str:
    start = _START.match(text)
    return text if start is None else f"{start[1]}://{text[start.end() :]}"


def _forward(text: str) -> str:
    head = re.match("[^?#]*", text)
    end = head.end() if head else 0
    return text[:end].replace("\\", "/") + text[end:]


def _of_host(change: Callable[[str], str]) -> Callable[[str], str]:
    """Turn a change of host and port into a change of the URL."""

    def changed(text: str) -> str:
        parts = _PARTS.fullmatch(text)
        return text if parts is None else parts[1] + change(parts[2]) + parts[3] + parts[4]

    return changed


def _ascii_host(authority: str) -> str:
    name, port = _split(authority)
    found = parse(f"http://{name}/")
    return found[len("http://") : -1] + port if found else authority


def _plain_address(authority: str) -> str:
    """Return the authority in the spelling of the standard, if its host is an IP address."""
    plain = _ascii_host(authority)
    name, _ = _split(plain)
    return plain if name[:1] == "[" or name.rpartition(".")[2].isdigit() else authority


def _split(authority: str) -> tuple[str, str]:
    """Return host and port, the latter with its colon."""
    port = re.search(r":\d*$", authority)
    return (authority[: port.start()], port[0]) if port else (authority, "")


def _without_at(authority: str) -> str:
    return authority.removeprefix(":").removeprefix("@")


def _plain_port(authority: str) -> str:
    return re.sub(r":$|(?<=:)0+(?=\d)", "", authority)


def _without_own_port(text: str) -> str:
    return re.sub(
        r"^(http://[^/?#]*):80(?=[/?#]|$)|^(https://[^/?#]*):443(?=[/?#]|$)", r"\1\2", text
    )


def _with_path(text: str) -> str:
    parts = _PARTS.fullmatch(text)
    return text if parts is None or parts[3] else f"{parts[1]}{parts[2]}/{parts[4]}"


def _without_dots(text: str) -> str:
    parts = _PARTS.fullmatch(text)
    if parts is None or not _DOTS.search(parts[3]):
        return text
    kept: list[str] = []
    segments = parts[3].split("/")[1:]
    for segment in segments:
        plain = segment.lower().replace("%2e", ".")
        if plain == "..":
            del kept[-1:]
        elif plain != ".":
            kept.append(segment)
    if segments[-1].lower().replace("%2e", ".") in (".", ".."):
        kept.append("")
    return f"{parts[1]}{parts[2]}/{'/'.join(kept)}{parts[4]}"


def _escaped(text: str) -> str:
    return (parse(text) or text) if _MUST_BE_ESCAPED.search(text) else text


def _without_fragment(text: str) -> str:
    return text.partition("#")[0]


def _without_mark(text: str) -> str:
    return text[:-1] if text.find("?") == len(text) - 1 else text


def _upper_escapes(text: str) -> str:
    return _ESCAPE.sub(lambda escape: escape[0].upper(), text)


_CHANGES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("spaces and control characters around it removed", lambda text: text.strip(_EDGES)),
    ("tabs and line ends within it removed", _cleaned),
    ("scheme in small letters", _lower_scheme),
    ("back slashes turned into slashes", _forward),
    ("two slashes after the scheme", _two_slashes),
)
_CHANGES_OF_PARTS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("`@` without a name before it dropped", _of_host(_without_at)),
    ("host in small letters", _of_host(str.lower)),
    ("address written plainly", _of_host(_plain_address)),
    ("host in its ASCII form", _of_host(_ascii_host)),
    ("port written plainly", _of_host(_plain_port)),
    ("port dropped: it is the scheme's own", _without_own_port),
    ("empty path made `/`", _with_path),
    ("dot segments resolved", _without_dots),
)
_CHANGES_AT_THE_END: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("fragment dropped: it is never sent", _without_fragment),
    ("characters that a URL must not contain escaped", _escaped),
    ("fragment dropped: it is never sent", _without_fragment),  # if spaces stood before it
    ("`?` dropped: nothing follows it", _without_mark),
    ("escapes in capital letters", _upper_escapes),
)
