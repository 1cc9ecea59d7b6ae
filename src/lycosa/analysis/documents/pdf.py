"""PDF, by pypdfium2: the library that Chromium shows PDF with."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from lycosa.analysis.documents.document import (
    DAMAGED,
    ENCRYPTED,
    LONGEST_LINK,
    MOST_CHARACTERS,
    MOST_LINKS,
    NEEDS_LIBRARY,
    Document,
    Unreadable,
    read_document,
)

if TYPE_CHECKING:
    import pypdfium2

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
    """Read a PDF; raise `Unreadable` if that fails."""
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
    links: list[str] = []
    size = 0
    for number in range(pages):
        if size >= MOST_CHARACTERS:
            break
        try:
            page = file[number]
            if len(links) < MOST_LINKS:
                links += _links(file, page)
            found = page.get_textpage()
            texts.append(found.get_text_bounded())
            size += len(texts[-1])
            found.close()
            page.close()
        except pypdfium2.PdfiumError:  # the page is damaged; the others are still read
            continue
    if not pages:
        raise Unreadable(DAMAGED)
    return read_document("pdf", title, pages, "\n".join(texts), links)


def _links(file: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> Iterator[str]:
    """Yield the addresses of a page's link annotations (ISO 32000-1, 12.6.4.7)."""
    from pypdfium2 import raw

    place, link = ctypes.c_int(0), raw.FPDF_LINK()
    for _ in range(MOST_LINKS):
        if not raw.FPDFLink_Enumerate(page, place, link):
            return
        action = raw.FPDFLink_GetAction(link)
        if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
            continue
        size = raw.FPDFAction_GetURIPath(file, action, None, 0)
        if 1 < size <= LONGEST_LINK:
            buffer = ctypes.create_string_buffer(size)
            raw.FPDFAction_GetURIPath(file, action, buffer, size)
            yield buffer.value.decode("utf-8", "replace").strip()
