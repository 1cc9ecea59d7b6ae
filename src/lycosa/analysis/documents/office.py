"""Office files and e-books: zip archives of XML, read paragraph by paragraph.

No entity of a document type is expanded and nothing is loaded from elsewhere. Of spreadsheets
texts and names of sheets are read, not numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import dirname, join, normpath
from typing import NamedTuple
from urllib.parse import unquote

from lxml import etree

from lycosa.analysis.documents.archives import Archive
from lycosa.analysis.documents.document import (
    DAMAGED,
    ENCRYPTED,
    MOST_CHARACTERS,
    UNSUPPORTED,
    Document,
    Unreadable,
    read_document,
)
from lycosa.extract.page import scan

_CONTENT, _CORE = "content.xml", "docProps/core.xml"
_OPEN_DOCUMENT = {
    b"application/vnd.oasis.opendocument.text": "odt",
    b"application/vnd.oasis.opendocument.spreadsheet": "ods",
    b"application/vnd.oasis.opendocument.presentation": "odp",
}
_EPUB = b"application/epub+zip"
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "s": " ", "line-break": "\n"}
_SLIDE = re.compile(r"ppt/slides/slide(\d+)\.xml")
_PAGE_TYPES = ("application/xhtml+xml", "text/html")


def read_office(body: bytes) -> Document:
    """Read an office file or an e-book; raise `Unreadable` if that fails."""
    archive = Archive(body)
    names = archive.names
    if "word/document.xml" in names:
        return _of_paragraphs(archive, "docx", ["word/document.xml"], _CORE)
    if "ppt/presentation.xml" in names:
        numbered = [(int(found[1]), name) for name in names if (found := _SLIDE.fullmatch(name))]
        slides = [name for _, name in sorted(numbered)]
        return _of_paragraphs(archive, "pptx", slides, _CORE, len(slides))
    if "xl/workbook.xml" in names:
        return _spreadsheet(archive)
    media = archive.content("mimetype").strip() if "mimetype" in names else b""
    if media == _EPUB:
        return _book(archive)
    if media in _OPEN_DOCUMENT:
        return _open_document(archive, _OPEN_DOCUMENT[media])
    raise Unreadable(UNSUPPORTED)


def _of_paragraphs(
    archive: Archive, kind: str, parts: list[str], properties: str, pages: int = 0
) -> Document:
    title = _title(archive, properties)
    lines: list[str] = []
    size = 0
    for part in parts:
        for element in _elements(archive, part, {"p", "h"}, all_text=kind.startswith("od")):
            lines.append(element.text)
            size += len(element.text) + 1
            if size > MOST_CHARACTERS:
                return read_document(kind, title, pages, "\n".join(lines))
    return read_document(kind, title, pages, "\n".join(lines))


def _open_document(archive: Archive, kind: str) -> Document:
    manifest = "META-INF/manifest.xml"
    if manifest in archive.names and b"encryption-data" in archive.content(manifest):
        raise Unreadable(ENCRYPTED)
    return _of_paragraphs(archive, kind, [_CONTENT], "meta.xml")


def _spreadsheet(archive: Archive) -> Document:
    title = _title(archive, _CORE)
    sheets = _elements(archive, "xl/workbook.xml", {"sheet"})
    lines = [sheet.attributes.get("name", "") for sheet in sheets]
    pages = len(lines)
    parts = sorted(name for name in archive.names if name.startswith("xl/worksheets/sheet"))
    for part in ("xl/sharedStrings.xml", *parts):
        if part in archive.names:
            lines.extend(cell.text for cell in _elements(archive, part, {"si", "is"}))
    return read_document("xlsx", title, pages, "\n".join(lines))


def _book(archive: Archive) -> Document:
    """Read the chapters of an e-book in the order of its spine (EPUB 3.3, 5.7)."""
    roots = _elements(archive, "META-INF/container.xml", {"rootfile"})
    package = next((root.attributes.get("full-path", "") for root in roots), "")
    if "META-INF/encryption.xml" in archive.names and "META-INF/rights.xml" in archive.names:
        raise Unreadable(ENCRYPTED)
    title, files, order = "", dict[str, str](), list[str]()
    for element in _elements(archive, package, {"title", "item", "itemref"}, all_text=True):
        given = element.attributes
        if element.name == "title":
            title = title or element.text
        elif element.name == "itemref":
            order.append(given.get("idref", ""))
        elif given.get("media-type") in _PAGE_TYPES:
            path = normpath(join(dirname(package), unquote(given.get("href", ""))))
            files[given.get("id", "")] = path
    texts, size = [], 0
    for chapter in order:
        path = files.get(chapter, "")
        if path in archive.names and size < MOST_CHARACTERS:
            texts.append(scan(archive.content(path), "application/xhtml+xml").text)
            size += len(texts[-1])
    return read_document("epub", title, 0, "\n".join(texts))


def _title(archive: Archive, part: str) -> str:
    if part not in archive.names:
        return ""
    titles = _elements(archive, part, {"title"}, all_text=True)
    return next((element.text for element in titles), "")


class _Element(NamedTuple):
    """An element that has ended."""

    name: str
    attributes: dict[str, str]
    text: str


class _Gathering:
    """Takes the events of a parser, so that no tree of a large part is built."""

    def __init__(self, names: set[str], *, all_text: bool) -> None:
        self._names = names
        self._all_text = all_text
        self._open: list[tuple[str, dict[str, str], list[str]]] = []
        self._texts = 0
        """Number of open elements `t`: only these hold text in Microsoft's files."""
        self.found: list[_Element] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take the beginning of an element."""
        name = tag.rpartition("}")[2]
        if name in self._names:
            self._open.append((name, dict(attributes), []))
        elif self._open and name in _BREAKS:
            self._open[-1][2].append(_BREAKS[name])
        self._texts += name == "t"

    def data(self, text: str) -> None:
        """Take some text."""
        if self._open and (self._all_text or self._texts):
            self._open[-1][2].append(text)

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        name = tag.rpartition("}")[2]
        self._texts -= name == "t"
        if name in self._names:
            name, attributes, pieces = self._open.pop()
            self.found.append(_Element(name, attributes, "".join(pieces)))

    def close(self) -> None:
        """End the document."""


def _elements(
    archive: Archive, part: str, names: set[str], *, all_text: bool = False
) -> Iterator[_Element]:
    """Yield the elements with these local names when they end."""
    target = _Gathering(names, all_text=all_text)
    parser = etree.XMLParser(
        target=target, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    file = archive.open(part)
    try:
        while content := file.read():
            parser.feed(content)
            yield from target.found
            target.found.clear()
        parser.close()
        yield from target.found
    except etree.XMLSyntaxError:
        raise Unreadable(DAMAGED) from None
