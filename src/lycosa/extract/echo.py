"""Removes a page's own address from its text, so that error pages can be compared.

Error pages like to repeat the URL that was not found: "/shop/lamp-7 was not found".
`without_echo` drops every word that contains the last segment of the page's own path: the URL, the
path, `lamp-7.html`, and `lamp-7` alone. A segment counts where it stands alone, not inside a longer
word.

Pages of a trap repeat other addresses, too: those that they lead on to. `without_own_queries` drops
the words that ask the page's own path another question, `without_tokens` those with a long number
in them, as a session has.

Fingerprints are taken without it by `fingerprint.fingerprints`, which skips the same words.

The result is good only for comparing: a page about lamps at `/lamps` loses
the word, too. Measured in docs/decisions/0014-soft-404.md. Cost: linear in the text; where
the segment does not occur, one search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

_SPACE = re.compile(r"\s")
# Texts, which `re` compiles when a text is first compared, and remembers.
_TOKEN_WORD = rb"\S*(?<![0-9A-Za-z])(?=[A-Za-z]*[0-9])[0-9A-Za-z]{16,}\S*"
_UUID_WORD = rb"\S*[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\S*"


def own_name(path: str) -> str:
    """Return the last segment of a path without its ending: `/a/b.html?c` is called `b`."""
    segment = path.partition("?")[0].rstrip("/").rpartition("/")[2]
    return unquote(segment.rpartition(".")[0] or segment)


def without_echo(text: str, path: str) -> str:
    """Return the text without the words in which the page at that path names itself."""
    name = own_name(path)
    if not name or name not in text:
        return text
    pieces: list[str] = []
    done = 0
    for begin in _found_alone(name, text):
        if begin < done:
            continue
        start = max(text.rfind(" ", done, begin), text.rfind("\n", done, begin))
        pieces.append(text[done : max(start + 1, done)])
        space = _SPACE.search(text, begin + len(name))
        done = space.start() if space else len(text)
    pieces.append(text[done:])
    return "".join(pieces)


def without_own_queries(text: bytes, path: str) -> bytes:
    """Return the text without the words that hold a URL of the page's own path with a query."""
    own = path.partition("?")[0]
    mark = (own.rpartition("/")[2] or "/").encode() + b"?"
    if mark not in text:
        return text
    return b" ".join(word for word in text.split() if mark not in word)


def without_tokens(text: bytes) -> bytes:
    """Return the text without words that have sixteen letters and digits in a row, or a UUID."""
    return re.sub(_UUID_WORD, b"", re.sub(_TOKEN_WORD, b"", text))


def _found_alone(name: str, text: str) -> Iterator[int]:
    """Yield where the name stands alone: no letter and no digit before it or after it.

    This is a search, because a pattern would have to be compiled again for every page.
    """
    begin = text.find(name)
    while begin >= 0:
        end = begin + len(name)
        if text[max(begin - 1, 0) : begin].isalnum() or text[end : end + 1].isalnum():
            begin = text.find(name, begin + 1)
        else:
            yield begin
            begin = text.find(name, end)
