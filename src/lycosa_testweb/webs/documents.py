"""A web of documents: PDF, office files, e-books, and some that cannot be read.

There is one host, `papers.test`. Every document that can be read has a word that no other one has.
"""

from __future__ import annotations

from typing import NamedTuple

from lycosa.model.records import Request, Resolved
from lycosa_testweb.web import HTML, PLAIN, Reply
from lycosa_testweb.webs import document_files as make

HOST = "papers.test"
HOME = f"http://{HOST}/"

_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."
_PDF = "application/pdf"
APPENDIX = f"{HOME}appendix"
"""A page that only a PDF links to."""
_LINKS = ("/appendix", HOME, "mailto:clerk@papers.test", "/appendix")
_ENGLISH = "The river rises in the hills behind the town and reaches the sea after two days."


class DocumentRow(NamedTuple):
    """A document."""

    name: str
    media: str
    body: bytes
    outcome: str
    """As it should be read."""
    title: str = ""
    word: str = ""
    """The words that only this document has."""


def _lines(word: str) -> list[str]:
    return [_ENGLISH, f"Its water is measured at the {word} gauge.", _ENGLISH]


def _rows() -> list[DocumentRow]:
    rows = [
        DocumentRow("river.pdf", _PDF, make.pdf(_lines("heron"), "A River", links=_LINKS), "read"),
        DocumentRow(
            "bridges.docx",
            _OFFICE + "wordprocessingml.document",
            make.docx(_lines("otter"), "Bridges & Fords"),
            "read",
        ),
        DocumentRow(
            "talk.pptx",
            _OFFICE + "presentationml.presentation",
            make.pptx(_lines("beaver"), "A Talk"),
            "read",
        ),
        DocumentRow(
            "stock.xlsx",
            _OFFICE + "spreadsheetml.sheet",
            make.xlsx(_lines("newt"), "Stock of Boats"),
            "read",
        ),
        DocumentRow(
            "letter.odt", _OPEN + "text", make.open_document(_lines("eel"), "A Letter"), "read"
        ),
        DocumentRow(
            "book.epub", "application/epub+zip", make.epub(_lines("pike"), "The Book"), "read"
        ),
        DocumentRow("note.rtf", "application/rtf", make.rtf(_lines("trout"), "A Note"), "read"),
        DocumentRow(
            "download.pdf", "application/octet-stream", make.pdf(_lines("perch"), "Saved"), "read"
        ),
    ]
    words = ("heron", "otter", "beaver", "newt", "eel", "pike", "trout", "perch")
    titles = ["A River", "Bridges & Fords", "A Talk", "Stock of Boats"]
    titles += ["A Letter", "The Book", "A Note", "Saved"]
    read = [
        row._replace(word=word, title=title)
        for row, word, title in zip(rows, words, titles, strict=True)
    ]
    whole = make.pdf(_lines("lost"))
    return [
        *read,
        DocumentRow("locked.pdf", _PDF, make.pdf(["secret"], is_encrypted=True), "encrypted"),
        DocumentRow(
            "locked.odt",
            _OPEN + "text",
            make.open_document(["secret"], is_encrypted=True),
            "encrypted",
        ),
        DocumentRow("torn.pdf", _PDF, b"%PDF-1.4\n" + whole[200:300], "damaged"),
        DocumentRow("scan.pdf", _PDF, make.pdf([""]), "no_text"),
        DocumentRow("renamed.pdf", _PDF, b"<html><p>gone</p></html>", "unsupported"),
        DocumentRow(
            "bomb.docx",
            _OFFICE + "wordprocessingml.document",
            make.bomb(110_000_000),
            "too_large",
        ),
    ]


class DocumentWeb:
    """The host with its documents."""

    def __init__(self) -> None:
        self.rows = _rows()
        self._found = {HOME + row.name: row for row in self.rows}

    def seeds(self) -> list[str]:
        """Return the URL at which a crawl begins."""
        return [HOME]

    def hosts(self) -> list[str]:
        """Return the one host."""
        return [HOST]

    def answer(self, request: Request, moment: float) -> Reply:
        """Return the list, or a document."""
        if request.url == HOME:
            links = "".join(f'<li><a href="{row.name}">{row.name}</a>' for row in self.rows)
            body = f"<!doctype html><title>Papers</title><ul>{links}</ul>"
            return Reply(200, HTML, body.encode())
        if request.url == APPENDIX:
            return Reply(200, HTML, b"<!doctype html><title>Appendix</title><p>Tables.")
        row = self._found.get(request.url)
        if row is None:
            return Reply(404, PLAIN, b"no such paper\n")
        return Reply(200, (("Content-Type", row.media),), row.body)

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the one address."""
        return Resolved("10.0.0.1" if host == HOST else None, 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        """Allow everything: there is no robots file."""
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0
