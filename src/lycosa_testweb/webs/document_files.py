"""Makes documents byte by byte: PDF, office files, e-books, and some that cannot be read.

Each is as small as its format allows, and real: the programs of its format open it.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_OPEN = "urn:oasis:names:tc:opendocument:xmlns:"
_OFFICE = "http://schemas.openxmlformats.org/"
_CORE = f"{_OFFICE}package/2006/metadata/core-properties"
_DUBLIN = "http://purl.org/dc/elements/1.1/"
_MIMETYPE = "mimetype"
_LINES_PER_PAGE = 40


def pdf(
    lines: Sequence[str], title: str = "", *, is_encrypted: bool = False, links: Sequence[str] = ()
) -> bytes:
    """Return a PDF with these lines of ASCII, and links on its first page."""
    pages = [lines[n : n + _LINES_PER_PAGE] for n in range(0, len(lines), _LINES_PER_PAGE)]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, page in enumerate(pages):
        shown = "".join(f"({_in_pdf(line)})'\n" for line in page)
        marks = "" if number else "".join(map(_link, links))
        stream = zlib.compress(f"BT /F1 12 Tf 14 TL 50 780 Td\n{shown}ET".encode())
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {5 + 2 * number} 0 R/Annots[{marks}]>>".encode()
        )
        head = f"<</Length {len(stream)}/Filter/FlateDecode>>stream\n".encode()
        objects.append(head + stream + b"\nendstream")
    objects.append(f"<</Title({_in_pdf(title)})>>".encode())
    trailer = f"/Root 1 0 R/Info {len(objects)} 0 R"
    if is_encrypted:
        key = "00" * 32
        objects.append(f"<</Filter/Standard/V 1/R 2/O<{key}>/U<{key}>/P -4>>".encode())
        trailer += f"/Encrypt {len(objects)} 0 R/ID[<00><00>]"
    return _with_table(objects, trailer)


def _link(url: str) -> str:
    return f"<</Type/Annot/Subtype/Link/Rect[50 700 300 790]/A<</S/URI/URI({_in_pdf(url)})>>>>"


def _in_pdf(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _with_table(objects: Sequence[bytes], trailer: str) -> bytes:
    """Join the objects of a PDF, with the table of where each begins (ISO 32000-1, 7.5.4)."""
    out = b"%PDF-1.4\n"
    starts = []
    for number, content in enumerate(objects, 1):
        starts.append(len(out))
        out += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    rows = "".join(f"{start:010} 00000 n \n" for start in starts)
    size = len(objects) + 1
    table = f"xref\n0 {size}\n0000000000 65535 f \n{rows}trailer\n<</Size {size}{trailer}>>\n"
    return out + f"{table}startxref\n{len(out)}\n%%EOF\n".encode()


def _zipped(parts: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            # The media type stands first and unpacked, so that programs see it (ODF 1.3, 3.3).
            how = zipfile.ZIP_STORED if name == _MIMETYPE else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name), content, how)
    return out.getvalue()


def _core(title: str) -> str:
    return (
        f'<cp:coreProperties xmlns:cp="{_CORE}" xmlns:dc="{_DUBLIN}">'
        f"<dc:title>{escape(title)}</dc:title></cp:coreProperties>"
    )


def docx(lines: Sequence[str], title: str = "") -> bytes:
    """Return a text of Word."""
    shown = "".join(f"<w:p><w:r><w:t>{escape(line)}</w:t></w:r></w:p>" for line in lines)
    space = f"{_OFFICE}wordprocessingml/2006/main"
    document = f'<w:document xmlns:w="{space}"><w:body>{shown}</w:body></w:document>'
    return _zipped({"word/document.xml": document, "docProps/core.xml": _core(title)})


def pptx(slides: Sequence[str], title: str = "") -> bytes:
    """Return slides of PowerPoint with one line each."""
    space = f"{_OFFICE}drawingml/2006/main"
    parts = {"ppt/presentation.xml": "<presentation/>", "docProps/core.xml": _core(title)}
    for number, line in enumerate(slides, 1):
        words = f"<a:p><a:r><a:t>{escape(line)}</a:t></a:r></a:p>"
        parts[f"ppt/slides/slide{number}.xml"] = f'<sld xmlns:a="{space}">{words}</sld>'
    return _zipped(parts)


def xlsx(cells: Sequence[str], title: str = "") -> bytes:
    """Return a sheet of Excel with texts in its cells."""
    strings = "".join(f"<si><t>{escape(cell)}</t></si>" for cell in cells)
    return _zipped(
        {
            "xl/workbook.xml": '<workbook><sheets><sheet name="Stock"/></sheets></workbook>',
            "xl/sharedStrings.xml": f"<sst>{strings}</sst>",
            "xl/worksheets/sheet1.xml": "<worksheet><row><c><v>42</v></c></row></worksheet>",
            "docProps/core.xml": _core(title),
        }
    )


def open_document(
    lines: Sequence[str], title: str = "", kind: str = "text", *, is_encrypted: bool = False
) -> bytes:
    """Return an OpenDocument file: `text`, `spreadsheet` or `presentation`."""
    shown = "".join(f"<text:p>{escape(line)}</text:p>" for line in lines)
    spaces = f'xmlns:office="{_OPEN}office:1.0" xmlns:text="{_OPEN}text:1.0"'
    locked = "<encryption-data/>" if is_encrypted else ""
    return _zipped(
        {
            _MIMETYPE: f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<office:document-content {spaces}>{shown}</office:document-content>",
            "meta.xml": f'<meta xmlns:dc="{_DUBLIN}"><dc:title>{escape(title)}</dc:title></meta>',
            "META-INF/manifest.xml": f"<manifest>{locked}</manifest>",
        }
    )


def epub(chapters: Sequence[str], title: str = "") -> bytes:
    """Return an e-book with one line a chapter."""
    numbers = range(len(chapters))
    items = "".join(
        f'<item id="c{n}" href="text/c{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n in numbers
    )
    order = "".join(f'<itemref idref="c{n}"/>' for n in numbers)
    head = f'<metadata xmlns:dc="{_DUBLIN}"><dc:title>{escape(title)}</dc:title></metadata>'
    package = f"{head}<manifest>{items}</manifest><spine>{order}</spine>"
    parts = {
        _MIMETYPE: "application/epub+zip",
        "META-INF/container.xml": '<container><rootfile full-path="book/p.opf"/></container>',
        "book/p.opf": f"<package>{package}</package>",
    }
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{}</p></body></html>'
    for number, line in enumerate(chapters):
        parts[f"book/text/c{number}.xhtml"] = page.format(escape(line))
    return _zipped(parts)


def rtf(lines: Sequence[str], title: str = "") -> bytes:
    """Return a text in Rich Text Format."""
    font = r"{\fonttbl{\f0 Helvetica;}}"
    shown = "".join(f"{line}\\par\n" for line in lines)
    marked = "".join(one if ord(one) < 128 else f"\\u{ord(one)}?" for one in shown)
    return f"{{\\rtf1\\ansi\\ansicpg1252{font}{{\\info{{\\title {title}}}}}{marked}}}".encode()


def bomb(unpacked_bytes: int) -> bytes:
    """Return a text of Word that unpacks to very much."""
    piece = b"<a b='" + b" " * 1_000_000 + b"'/>"
    return _zipped({"word/document.xml": b"<d>" + piece * (unpacked_bytes // len(piece))})


def laughs() -> bytes:
    """Return a text of Word whose entities would multiply to gigabytes."""
    rows = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    entities = f'<!DOCTYPE d [<!ENTITY e0 "laugh">{rows}]>'
    text = '<d xmlns:w="w"><w:p><w:t>before &e11; after</w:t></w:p></d>'
    return _zipped({"word/document.xml": entities + text})
