"""Extracts the structured data of a page as one set of triples, whatever its form.

A `Distiller` is made for a job. It runs only the readers that a page needs: the scan has noted
which forms there are (`Facts.has_rdfa` and so on). Their triples are joined to one set, without
those that the job's filter drops.

A filter is a list of patterns, each a triple in N-Triples with `*` for any run of characters:
`* <http://www.w3.org/1999/xhtml/vocab#stylesheet> *`.

Always true:
  * nothing here raises for any page: unreadable data is counted by reason;
  * time, memory and size of the result are linear in the page's bytes, and bounded (`budget`);
  * every triple is there once, and blank nodes begin with the label that the caller gave.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

import msgspec

from lycosa._support import failpoints
from lycosa.extract.facts import Facts
from lycosa.extract.structured.counts import DROPPED, TOO_LARGE, TOO_MANY
from lycosa.extract.structured.meta_names import has_meta
from lycosa.extract.text.charset import in_utf8

FORMS = ("rdfa", "json-ld", "microdata", "meta")
"""The forms of structured data."""

_HTML = frozenset({"", "text/html", "application/xhtml+xml"})


class Page(msgspec.Struct, frozen=True):
    """A page that has been scanned."""

    body: bytes
    url: str
    content_type: str | None
    facts: Facts

    @property
    def kind(self) -> str:
        """Type and subtype."""
        return (self.content_type or "").partition(";")[0].strip().lower()


class Found(msgspec.Struct):
    """The structured data of one page."""

    triples: bytes = b""
    """As N-Triples."""
    counts: Counter[str] = msgspec.field(default_factory=Counter)
    """Number of triples by form, before the filter."""
    left_out: Counter[str] = msgspec.field(default_factory=Counter)
    """Data that was left out, counted by reason."""

    @property
    def size(self) -> int:
        """Number of triples."""
        return self.triples.count(b"\n")


class Distiller:
    """Takes the structured data out of pages."""

    def __init__(
        self,
        forms: Collection[str] = FORMS,
        drop: Sequence[str] = (),
        most_triples: int = 0,
        largest_bytes: int = 0,
    ) -> None:
        """Take these forms; limits of 0 are none."""
        self._forms = frozenset(forms)
        self._drop = tuple(drop)
        for pattern in drop:
            _expression(pattern)  # so a wrong pattern raises its ValueError now
        self._marks = [_mark(pattern) for pattern in drop]
        self._most_triples = most_triples
        self._largest_bytes = largest_bytes

    def forms_of(self, page: Page) -> list[str]:
        """Return the forms that are wanted and that a page may hold."""
        facts = page.facts
        if not (facts.has_rdfa or facts.has_json_ld or facts.has_microdata or facts.has_meta):
            return []
        seen = {
            "rdfa": facts.has_rdfa,
            "json-ld": facts.has_json_ld,
            "microdata": facts.has_microdata,
        }
        if (facts.has_meta or facts.has_rdfa) and "meta" in self._forms:
            seen["meta"] = has_meta(page.body)
        return [form for form in FORMS if form in self._forms and seen.get(form)]

    def distil(self, page: Page, label: str, forms: list[str] | None = None) -> Found:
        """Return the triples of a page; blank nodes are `_:{label}…`.

        `forms` are those of `forms_of`, if the caller has them already.
        """
        found = Found()
        forms = self.forms_of(page) if forms is None else forms
        if not forms:
            return found
        if self._largest_bytes and len(page.body) > self._largest_bytes:
            found.left_out[TOO_LARGE] += 1
            return found
        parts: list[bytes] = []
        for form, triples in self._read(page, forms, label, found):
            if triples:
                found.counts[form] += triples.count(b"\n")
                parts.append(triples)
        found.triples = parts[0] if len(parts) == 1 else _united(parts)
        self._cut(found)
        return found

    def distil_json_ld(self, body: bytes, base: str, label: str = "b") -> Found:
        """Return the triples of a document that is JSON-LD as a whole."""
        from lycosa.extract.structured import jsonld

        said = jsonld.distil_document(body, base, label=label)
        size = said.triples.count(b"\n")
        found = Found(said.triples, Counter({"json-ld": size}), said.refused)
        self._cut(found)
        return found

    def _read(
        self, page: Page, forms: list[str], label: str, found: Found
    ) -> Iterator[tuple[str, bytes]]:
        """Yield the triples of each form; the readers are imported when they are first needed."""
        facts, url, kind = page.facts, page.url, page.kind
        if failpoints.read_bomb is not None:
            for form in forms:
                failpoints.read_bomb(page.body, form)
        if "rdfa" in forms:
            from lycosa.extract import rdfa

            charset = facts.charset or None
            triples = rdfa.distil(
                page.body,
                url,
                kind or "text/html",
                charset=charset,
                label=f"{label}r",
                left_out=found.left_out,
            )
            # the document may state a triple twice
            yield "rdfa", _united([triples])
        if kind not in _HTML or forms == ["rdfa"]:
            return
        text = in_utf8(page.body, page.content_type, facts.charset or None)
        if "json-ld" in forms:
            from lycosa.extract.structured import jsonld

            said = jsonld.distil_with_reasons(text, url, kind, charset="utf-8", label=f"{label}j")
            found.left_out.update(said.refused)
            yield "json-ld", said.triples
        if "microdata" in forms:
            from lycosa.extract.structured import microdata

            yield (
                "microdata",
                microdata.distil(
                    text, url, kind, charset="utf-8", label=f"{label}m", left_out=found.left_out
                ),
            )
        if "meta" in forms:
            from lycosa.extract.structured import meta

            yield "meta", meta.distil(text, url, kind, charset="utf-8", left_out=found.left_out)

    def _cut(self, found: Found) -> None:
        """Drop triples that the filter names, and those beyond the limits."""
        if any(mark in found.triples for mark in self._marks):
            found.triples, dropped = compiled(self._drop).subn(b"", found.triples)
            if dropped:
                found.left_out[DROPPED] += dropped
        if self._most_triples and (size := found.size) > self._most_triples:
            lines = found.triples.split(b"\n", self._most_triples)
            found.triples = b"\n".join(lines[: self._most_triples]) + b"\n"
            found.left_out[TOO_MANY] += size - self._most_triples


def _united(parts: list[bytes]) -> bytes:
    """Return the lines of all parts, each once."""
    return b"".join(dict.fromkeys(b"".join(parts).splitlines(keepends=True)))


@lru_cache(maxsize=4)
def compiled(patterns: tuple[str, ...]) -> re.Pattern[bytes]:
    """Return an expression for the lines that the patterns match; ValueError for a wrong pattern.

    With several `*` in one of its three words `re` would take the square of a line's length or
    more; with one it takes its length, and is quicker than RE2.
    """
    text = b"^(?:" + b"|".join(_expression(pattern) for pattern in patterns) + rb") \.\n"
    if any(word.count("*") > 1 for pattern in patterns for word in _words(pattern)):
        from lycosa._support.regex import compile_lines

        return compile_lines(text)
    return re.compile(text, re.MULTILINE)


def _words(pattern: str) -> list[str]:
    words = pattern.strip().split(None, 2)
    if len(words) != 3:
        raise ValueError(f"{pattern!r} has not three parts")
    return words


def _expression(pattern: str) -> bytes:
    subject, predicate, value = _words(pattern)
    return b" ".join(
        (_word(subject, rb"[^ \n]*"), _word(predicate, rb"[^ \n]*"), _word(value, rb"[^\n]*"))
    )


def _mark(pattern: str) -> bytes:
    """Return the longest part of a pattern that is in every line that it matches.

    A search for this part takes a hundredth of the time of the expression.
    """
    line = " ".join(_words(pattern))
    return max((part.strip().encode() for part in line.split("*")), key=len)


def _word(word: str, any_run: bytes) -> bytes:
    return any_run.join(re.escape(part.encode()) for part in word.split("*"))


def links_in(triples: bytes) -> list[str]:
    """Return the addresses that are named as `@id`, `url` or `sameAs`, each once."""
    found: dict[str, None] = {}
    for line in triples.splitlines():
        subject, predicate, value = line.split(b" ", 2)
        if subject.startswith(b"<http"):
            found[_address(subject)] = None
        if value.startswith(b"<http") and predicate.endswith((b"/url>", b"#url>", b"sameAs>")):
            found[_address(value[:-2])] = None
    return list(found)


def _address(word: bytes) -> str:
    return word[1:-1].decode("utf-8", "replace")
