"""Rich Text Format: text without its control words (RTF specification 1.9.1)."""

from __future__ import annotations

import re
from contextlib import suppress

from lycosa.analysis.documents.document import MOST_CHARACTERS, Document, read_document

_TOKEN = re.compile(
    rb"\\'([0-9a-fA-F]{2})|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\([^a-zA-Z])|([{}])"
    rb"|[\r\n]+|([^\\{}\r\n]+)"
)
_SILENT = frozenset(
    {"fonttbl", "colortbl", "stylesheet", "pict", "info", "header", "footer", "object", "themedata"}
    | {"listtable", "listoverridetable", "rsidtbl", "generator", "datastore", "latentstyles"}
)
"""Groups whose content is not text."""
_BREAKS = {"par": "\n", "line": "\n", "sect": "\n", "page": "\n", "tab": "\t", "cell": "\t"}
_BREAKS |= {"row": "\n", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’"}
_TITLE = re.compile(rb"\{\\title ([^{}\\]{1,500})\}")
_MOST_DEPTH = 1_000


def read_rtf(body: bytes) -> Document:
    """Read a file; text of damaged ones is read as far as it goes."""
    found = re.search(rb"\\ansicpg(\d{3,5})", body[:4096])
    coding = f"cp{found[1].decode()}" if found else "cp1252"
    with suppress(LookupError):
        return _read(body, coding)
    return _read(body, "cp1252")


def _read(body: bytes, coding: str) -> Document:
    texts: list[str] = []
    silent, groups, skipped, size = False, list[bool](), 0, 0
    b"".decode(coding)
    for found in _TOKEN.finditer(body):
        code, word, number, sign, brace, plain = found.groups()
        if brace == b"{":
            groups.append(silent)
            if len(groups) > _MOST_DEPTH:
                break
        elif brace:
            silent = groups.pop() if groups else False
        elif sign == b"*" or (word and word.decode() in _SILENT):
            silent = True
        elif silent or size > MOST_CHARACTERS:
            continue
        else:
            text = _text(code, word, number, sign, plain, coding=coding)
            if skipped and (code or plain):  # a replacement character for older readers
                text, skipped = text[1:], 0
            skipped = 1 if word == b"u" else skipped
            texts.append(text)
            size += len(text)
    title = _TITLE.search(body[:65_536])
    named = title[1].decode(coding, "replace") if title else ""
    return read_document("rtf", named, 0, "".join(texts))


def _text(
    code: bytes | None,
    word: bytes | None,
    number: bytes | None,
    sign: bytes | None,
    plain: bytes | None,
    *,
    coding: str,
) -> str:
    if code:
        return bytes([int(code, 16)]).decode(coding, "replace")
    if plain:
        return plain.decode(coding, "replace")
    if word == b"u" and number:
        return chr(int(number) % 65_536)
    if word:
        return _BREAKS.get(word.decode(), "")
    return {b"~": " ", b"_": "-"}.get(sign or b"", (sign or b"").decode("latin-1"))
