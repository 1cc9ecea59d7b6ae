"""Reads JSON-LD 1.1 from the `script` elements of a page, as triples.

The elements are found without a tree: a script ends at its end tag, whatever is in it. Their
content is read as JSON; well-known external contexts are replaced by ours (`contexts`);
pyoxigraph's parser, which fetches nothing, does the rest.

That parser's time grows with the square of the nesting, and beyond some thousands it crashes, as
it does when the terms of a context define each other in a long chain. So JSON that is
nested deeper than `DEEPEST`, and contexts of more than `MOST_TERMS`, are refused beforehand. For
every context that a node has it copies all terms that are in force. So the work of all contexts of
a script is predicted (`context_work`), and refused where it is out of proportion. A well-known
context is made once for a script; its mentions share it.

Triples in a named graph (`@graph`) are treated as the page's own.

Always true: any bytes give triples, or reasons why there are none; nothing here raises.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from html import unescape
from typing import Any, NamedTuple, NoReturn
from urllib.parse import urldefrag

import pyoxigraph

from lycosa.extract.structured import ntriples
from lycosa.extract.structured.budget import room_of
from lycosa.extract.structured.context_work import context_work
from lycosa.extract.structured.contexts import CONTEXTS
from lycosa.extract.structured.counts import (
    BAD_JSON,
    BAD_JSON_LD,
    JSON_TOO_DEEP,
    JSON_TOO_LARGE,
    TOO_COSTLY,
    UNKNOWN_CONTEXT,
)
from lycosa.extract.structured.tags import attributes_at, document_base, next_element
from lycosa.extract.text.charset import in_utf8

DEEPEST = 48
MOST_TERMS = 500
LARGEST_BYTES = 2_000_000
MOST_TRIPLES = 100_000
WORK_OF_BYTE = 1
SPARE_WORK = 200_000
"""Terms that contexts may copy: a number for each character of a script, and a constant."""

_NAMES = b"!--", b"script", b"style", b"textarea", b"title"
_OPENING = re.compile(rb"<!--|<(script|style|textarea|title)\b", re.IGNORECASE)
_WRAPPING = re.compile(r"\A\s*+(?:<!--|(?:(?://|/\*)\s*+)?+<!\[CDATA\[(?:\s*+\*/)?+)")
_WRAPPED = re.compile(r"(?:-->|(?:(?://|/\*)\s*+)?+\]\]>(?:\s*+\*/)?+)\s*+\Z")


class Distilled(NamedTuple):
    """The JSON-LD of one page."""

    triples: bytes
    """As N-Triples."""
    refused: Counter[str]
    """Scripts that gave none, by reason."""


def distil_with_reasons(
    body: bytes, base: str, media_type: str, *, charset: str | None = None, label: str = "b"
) -> Distilled:
    """Return the triples of a page, and the reasons why some of its scripts gave none."""
    text = in_utf8(body, media_type, charset)
    is_html = "xml" not in media_type
    refused: Counter[str] = Counter()
    lines: dict[str, None] = {}
    names: dict[str, str] = {}
    found = scripts(text)
    if found:
        base = document_base(text, base)
    for number, script in enumerate(found):
        data = script.decode("utf-8", "replace")
        try:
            script_text = data if is_html else unescape(data)
            _add(script_text, base, f"{label}{number}_", names, lines)
        except _Refused as refusal:
            refused[refusal.reason] += 1
        names.clear()
    return Distilled(ntriples.encoded(list(lines)), refused)


def distil_document(body: bytes, base: str, *, label: str = "b") -> Distilled:
    """Return the triples of a document that is JSON-LD as a whole."""
    refused: Counter[str] = Counter()
    lines: dict[str, None] = {}
    try:
        _add(body.decode("utf-8-sig", "replace"), base, label, {}, lines)
    except _Refused as refusal:
        refused[refusal.reason] += 1
    return Distilled(ntriples.encoded(list(lines)), refused)


def scripts(body: bytes) -> list[bytes]:
    """Return the contents of the elements that hold JSON-LD, in UTF-8 as the page is."""
    found: list[bytes] = []
    position = 0
    while opening := next_element(body, position, _NAMES, _OPENING):
        name = opening[1]
        if name is None:
            end = body.find(b"-->", opening.end() - 2)
            position = len(body) if end < 0 else end + 3
            continue
        attributes, start = attributes_at(body, opening.end())
        name = name.lower()
        closing = _closing(name).search(body, start)
        end = closing.start() if closing else len(body)
        position = closing.end() if closing else len(body)
        kind = attributes.get("type", "").partition(";")[0].strip().lower()
        if name == b"script" and kind == "application/ld+json":
            found.append(body[start:end])
    return found


@cache
def _closing(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"</" + name + rb"[\s/>]", re.IGNORECASE)


class _Refused(Exception):
    """A script is refused for this reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _read(text: str) -> Any:
    """Parse JSON, and put the contexts that it refers to into it."""
    if len(text) > LARGEST_BYTES:
        raise _Refused(JSON_TOO_LARGE)
    text = _WRAPPED.sub("", _WRAPPING.sub("", text)).strip()
    try:
        # Line breaks within texts are wrong, common, and harmless.
        document = json.loads(text, strict=False, parse_constant=_no_number)
    except RecursionError:
        raise _Refused(JSON_TOO_DEEP) from None
    except ValueError:
        raise _Refused(BAD_JSON) from None
    _bring_contexts(document, len(text))
    return document


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def _bring_contexts(document: Any, size: int) -> None:
    """Replace addresses of known contexts by these; refuse others, and too deep or costly JSON.

    Of a known context only the terms are taken that occur at all: reading it costs more than
    everything else. `size` is that of the script.
    """
    layers: list[list[dict[str, Any]]] = []
    words: set[str] = set()
    layer: list[Any] = [document]
    for _ in range(DEEPEST):
        inner: list[Any] = []
        with_context = []
        for part in layer:
            if isinstance(part, dict):
                words.update(part)
                if "@context" in part:
                    with_context.append(part)
                inner += [value for value in part.values() if isinstance(value, dict | list)]
            elif isinstance(part, list):
                inner += [value for value in part if isinstance(value, dict | list)]
        if with_context:
            layers.append(with_context)
        if not inner:
            break
        layer = inner
    else:
        raise _Refused(JSON_TOO_DEEP)
    known: dict[str, Any] = {}
    for with_context in layers:
        for part in with_context:
            part["@context"] = _context(part["@context"], words, known)
    contexts = [[part["@context"] for part in parts] for parts in layers]
    # Most scripts have one context, a well-known one.
    if contexts != [list(known.values())] and (
        context_work(contexts, size) > WORK_OF_BYTE * size + SPARE_WORK
    ):
        raise _Refused(TOO_COSTLY)


def _context(given: Any, words: set[str], made: dict[str, Any]) -> Any:
    if isinstance(given, list):
        return [_context(one, words, made) for one in given]
    if isinstance(given, str):
        if given in made:
            return made[given]
        address = urldefrag(given.strip())[0].partition("://")[2].removeprefix("www.").rstrip("/")
        known = CONTEXTS.get(address.lower())
        if known is None:
            raise _Refused(UNKNOWN_CONTEXT)
        made[given] = {
            term: meaning
            for term, meaning in known.items()
            if term in words or isinstance(meaning, str)
        }
        return made[given]
    if isinstance(given, dict):
        if len(given) > MOST_TERMS:
            raise _Refused(JSON_TOO_LARGE)
        if "@import" in given:
            raise _Refused(UNKNOWN_CONTEXT)
    return given


def _add(script: str, base: str, label: str, names: dict[str, str], lines: dict[str, None]) -> None:
    """Add the triples of a script; those before a mistake, or the end of the room, are kept."""
    document, size = _read(script), len(script)
    data = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    room = room_of(size)
    try:
        for quad in pyoxigraph.parse(
            data, format=pyoxigraph.RdfFormat.JSON_LD, base_iri=ntriples.checked(base)
        ):
            if len(lines) >= MOST_TRIPLES:
                return
            if room < 0:
                raise _Refused(TOO_COSTLY)
            subject, value = quad.subject, quad.object
            words = [
                _blank(word, label, names) if isinstance(word, pyoxigraph.BlankNode) else str(word)
                for word in (subject, value)
            ]
            line = f"{words[0]} {quad.predicate} {words[1]}"
            room -= len(line)
            lines[line] = None
    except (SyntaxError, ValueError):
        raise _Refused(BAD_JSON_LD) from None


def _blank(node: pyoxigraph.BlankNode, label: str, names: dict[str, str]) -> str:
    name = names.get(node.value)
    if name is None:
        name = names[node.value] = f"_:{label}{len(names)}"
    return name
