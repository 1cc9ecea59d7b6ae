"""Matches the path patterns of robots files: `*` is any run of characters, a final `$` the end.

For `Disallow`, both sides are first brought to one spelling (RFC
9309, 2.2.2): hex digits in upper case, escaped unreserved characters decoded, everything
that may not stand in a URL escaped. An `Allow` pattern must be spelled as the
URL is, except for the case of hex digits and for octets beyond ASCII: in doubt, a page is
forbidden. A `*` or `$` that is meant literally is escaped on both sides (2.2.3).

Cost: a match walks once through the path, from piece to piece between the stars. The
leftmost place of each piece leaves most room for the rest, so nothing is tried twice.
"""

from __future__ import annotations

import re

_TO_RESPELL = re.compile(rb"%[0-9A-Fa-f]{2}|[^A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]")
_ESCAPED_IN_QUERY = re.compile("%(?:3A|2F)")
is_plain_path = re.compile(r"[A-Za-z0-9._~:/?#\[\]@!&'()+,;=-]*").fullmatch
"""Tells whether a path is its own spelling, in which nothing is special."""
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def spell(octets: bytes) -> str:
    """Return the one spelling of a path or pattern, in ASCII."""
    text = _TO_RESPELL.sub(_respell, octets).decode("ascii")
    # The table of RFC 9309, 2.2.2 holds `?to=http://` and `?to=http%3A%2F%2F` to be the same.
    path, mark, query = text.partition("?")
    return path + mark + _ESCAPED_IN_QUERY.sub(_decode, query) if "%" in query else text


def spell_path(path: str) -> str:
    """Return the one spelling of a URL's path and query, in which nothing is special."""
    if is_plain_path(path):
        return path
    octets = path.encode("utf-8", "surrogatepass")
    return spell(octets).replace("*", "%2A").replace("$", "%24")


def spell_literally(octets: bytes) -> str:
    """Return a pattern with its escapes in upper case and other octets escaped, none decoded."""
    return _TO_RESPELL.sub(_escape, octets).decode("ascii")


def path_literally(path: str) -> str:
    """Return a URL's path and query as it stands, in which nothing is special."""
    return path if is_plain_path(path) else path.replace("*", "%2A").replace("$", "%24")


def _escape(match: re.Match[bytes]) -> bytes:
    found = match[0]
    return found.upper() if len(found) == 3 else b"%%%02X" % found[0]


def _respell(match: re.Match[bytes]) -> bytes:
    found = match[0]
    octet = int(found[1:], 16) if len(found) == 3 else found[0]
    return bytes((octet,)) if octet in _UNRESERVED else b"%%%02X" % octet


def _decode(match: re.Match[str]) -> str:
    return chr(int(match[0][1:], 16))


class Pattern:
    """One pattern, taken apart at its stars."""

    __slots__ = ("_is_anchored", "_last", "_middle", "head", "is_plain", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._is_anchored = text.endswith("$")
        literal = text[:-1] if self._is_anchored else text
        pieces = literal.replace("$", "%24").split("*")
        self.head = pieces[0]
        """The literal beginning of the pattern, which every match shares."""
        self._last = pieces[-1] if len(pieces) > 1 else None
        self._middle = [piece for piece in pieces[1:-1] if piece]
        self.is_plain = self._last is None and not self._is_anchored
        """Whether `head` is all there is to it."""

    def matches(self, path: str) -> bool:
        """Return whether a path, as spelled by `spell_path`, begins with this pattern."""
        if not path.startswith(self.head):
            return False
        position = len(self.head)
        if self._last is None:
            return not self._is_anchored or position == len(path)
        for piece in self._middle:
            position = path.find(piece, position)
            if position < 0:
                return False
            position += len(piece)
        if self._is_anchored:
            return len(path) - len(self._last) >= position and path.endswith(self._last)
        return path.find(self._last, position) >= 0
