"""PDF, by pypdfium2: the library that Chromium shows PDF with."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version

from lycosa.study.documents.document import (
    DAMAGED,
    ENCRYPTED,
    MOST_CHARACTERS,
    NEEDS_LIBRARY,
    Document,
    Unreadable,
    read_document,
)

_WRONG_PASSWORD = 4
"""FPDF_ERR_PASSWORD of fpdfview.h."""


@cache
def installed_version() -> str:
    """Return the version of the library; "" when it is not installed."""
    try:
        return version("pypdfium2")
    except PackageNotFoundError:
        return ""


def read_pdf(body: bytes) -> Document:
    """Read a PDF; raises `Unreadable`."""
    if not installed_version():
        raise Unreadable(NEEDS_LIBRARY)
    import pypdfium2

    try:
        file = pypdfium2.PdfDocument(body)
        pages = len(file)
        title = file.get_metadata_value("Title")
    except pypdfium2.PdfiumError as error:
        is_locked = getattr(error, "err_code", None) == _WRONG_PASSWORD
        raise Unreadable(ENCRYPTED if is_locked else DAMAGED) from None
    texts: list[str] = []
    size = 0
    for number in range(pages):
        if size >= MOST_CHARACTERS:
            break
        try:
            page = file[number]
            found = page.get_textpage()
            texts.append(found.get_text_bounded())
            size += len(texts[-1])
            found.close()
            page.close()
        except pypdfium2.PdfiumError:  # a page that is damaged: the others are read
            continue
    if not pages:
        raise Unreadable(DAMAGED)
    return read_document("pdf", title, pages, "\n".join(texts))
