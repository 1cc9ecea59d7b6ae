"""Recognises URLs that name another view of a page: by session, for print, sorted, by spelling.

    /a?PHPSESSID=4f6a…      /a;jsessionid=1A2B…      another visit of the same page
    /a?replytocom=12        the page with the comment form opened (WordPress)
    /a?print=1              the page without its frame
    /a/?C=M;O=D             the same directory listing in another order (Apache, nginx)
    /%7Eann/%62             another spelling of `/~ann/b` (RFC 3986, 6.2.2.2)

`plain_of` gives the key without that part. A caller may follow the one instead of the other only if
it holds the page already: the plain URL may not exist, or may redirect.

A name alone proves nothing: `sid` is a session here and the number of a story there. So a session
must look like one: at least sixteen characters, letters and digits mixed. Lists that a site sorts
by itself (`?sort=price`) are not here, because another order may show other entries.

Not here: the lists that a rule can name (`ready_lists`), which act on every URL.
"""

from __future__ import annotations

import re

from lycosa.model.links.escapes import UNRESERVED

_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid)=([^;/?]+)", re.IGNORECASE)
_SESSION_NAME = re.compile(
    r"(?:php|j|ci_|asp)?sess(?:ion)?_?id|sid|s_id|zenid|oscsid|xtcsid|ci_session|aspsessionid\w*",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9,._!-]{16,}")
_ACTION = re.compile(
    r"replytocom=\d+|print(?:=(?:1|true|yes|y)?)?|printable=(?:1|true|yes)"
    r"|(?:view|format|output|layout)=(?:print|printable|printer)",
    re.IGNORECASE,
)
_LISTING = re.compile(r"C=[NMSD];O=[AD]")


def plain_of(key: str) -> str | None:
    """Return the key of the page of which a URL is another view; None for other URLs."""
    spelled = UNRESERVED.sub(_decoded, key) if "%" in key else key
    plain = _plain_view(spelled)
    return plain if plain is not None or spelled == key else spelled


def _decoded(escape: re.Match[str]) -> str:
    return chr(int(escape[0][1:], 16))


def _plain_view(key: str) -> str | None:
    path, mark, query = key.partition("?")
    plain = path
    if ";" in path:
        plain = _PATH_SESSION.sub(lambda m: "" if _TOKEN.fullmatch(m[1]) else m[0], path)
    if not mark:
        return plain if plain != path else None
    if _LISTING.fullmatch(query):
        return plain if path.endswith("/") else None
    pieces = query.split("&")
    kept = [piece for piece in pieces if not _is_extra(piece)]
    if len(kept) == len(pieces) and plain == path:
        return None
    return f"{plain}?{'&'.join(kept)}" if any(kept) else plain


def _is_extra(piece: str) -> bool:
    name, _, value = piece.partition("=")
    if _SESSION_NAME.fullmatch(name):
        return _TOKEN.fullmatch(value) is not None
    return _ACTION.fullmatch(piece) is not None
