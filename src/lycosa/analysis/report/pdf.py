"""Turns a figure of the report into a PDF page, for LaTeX's \\includegraphics.

It reads the few shapes that `charts.canvas` writes (rect, circle, path, text) and writes them as
PDF operators (ISO 32000-1, 8 and 9) with the standard fonts Helvetica and Symbol, which every
reader has. So a figure is the same on the screen and in print, without a library or a font file
(docs/decisions/0026-report.md says which ones were tried).

Always true: text is text, as in the SVG. Exponents are raised digits, Greek letters and arrows come
from Symbol; a character that neither font has becomes a question mark.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from itertools import groupby
from xml.etree import ElementTree

from lycosa.analysis.charts.canvas import text_width

_SVG = "{http://www.w3.org/2000/svg}"
_STEP = re.compile(r"([MLHVCQZmlhvcqz])([^MLHVCQZmlhvcqz]*)")
_NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")
_ROUND = 0.5523
"""Distance of the handles of a quarter of a circle from its ends, for a radius of 1."""
_LIKE_HELVETICA = 0.88
"""Helvetica is narrower than the widest of the usual fonts, by which widths are reckoned."""
_FONTS = {"R": "Helvetica", "B": "Helvetica-Bold", "S": "Symbol"}
_NEAREST = {"⟨": "<", "⟩": ">", "−": "–", "\u202f": " "}
_IN_SYMBOL = {"≤": "\xa3", "≥": "\xb3", "→": "\xae", "≈": "\xbb", "∞": "\xa5"} | dict(
    zip("αβγδλµσ", "abgdlms", strict=True)
)
"""Codes of characters in the font Symbol (ISO 32000-1, D.5)."""
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789–", strict=True))
_RAISED_SIZE, _RISE = 0.65, 0.38
"""The size of an exponent, and how far it stands above the line, for a size of 1."""


def pdf_of(svg: str) -> bytes:
    """Return a document of one page with the figure on it."""
    root = ElementTree.fromstring(svg)
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])
    content = "\n".join([f"1 0 0 -1 0 {height:g} cm", *_shapes(root)])
    stream = zlib.compress(content.encode("cp1252", "replace"))
    fonts = " ".join(
        f"/{name} << /Type /Font /Subtype /Type1 /BaseFont /{font}"
        f"{'' if font == 'Symbol' else ' /Encoding /WinAnsiEncoding'} >>"
        for name, font in _FONTS.items()
    )
    return _file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:g} {height:g}]"
            f" /Resources << /Font << {fonts} >> >> /Contents 4 0 R >>".encode(),
            f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n".encode()
            + stream
            + b"\nendstream",
        ]
    )


def _file(objects: list[bytes]) -> bytes:
    """Return the file with its table of offsets."""
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % table)


def _shapes(root: ElementTree.Element) -> Iterator[str]:
    for element in root:
        match element.tag.removeprefix(_SVG):
            case "rect":
                x, y, width, height = _numbers(element, "x", "y", "width", "height")
                yield _painted(element, f"{x:g} {y:g} {width:g} {height:g} re")
            case "circle":
                yield _painted(element, _circle(*_numbers(element, "cx", "cy", "r")))
            case "path":
                yield _painted(element, " ".join(_way(element.attrib["d"])))
            case "text":
                yield from _text(element)


def _numbers(element: ElementTree.Element, *names: str) -> list[float]:
    return [float(element.attrib[name]) for name in names]


def _painted(element: ElementTree.Element, way: str) -> str:
    """Fill and stroke a way as its element says."""
    fill, stroke = element.get("fill", "none"), element.get("stroke", "none")
    dashes = f"[{element.get('stroke-dasharray', '')}] 0 d"
    parts = [dashes, f"{element.get('stroke-width', '1')} w"]
    if fill != "none":
        parts.append(f"{_colour(fill)} rg")
    if stroke != "none":
        parts.append(f"{_colour(stroke)} RG")
    operator = {(True, True): "B", (True, False): "f", (False, True): "S"}
    return " ".join([*parts, way, operator.get((fill != "none", stroke != "none"), "n")])


def _colour(text: str) -> str:
    digits = text.removeprefix("#")
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    return " ".join(f"{int(digits[at : at + 2], 16) / 255:.3f}" for at in (0, 2, 4))


def _circle(x: float, y: float, r: float) -> str:
    k = _ROUND * r
    quarters = (
        (x + r, y + k, x + k, y + r, x, y + r),
        (x - k, y + r, x - r, y + k, x - r, y),
        (x - r, y - k, x - k, y - r, x, y - r),
        (x + k, y - r, x + r, y - k, x + r, y),
    )
    curves = " ".join(" ".join(f"{n:g}" for n in quarter) + " c" for quarter in quarters)
    return f"{x + r:g} {y:g} m {curves} h"


def _way(text: str) -> Iterator[str]:
    """Translate an SVG path: lines, cubic and quadratic curves, absolute and relative."""
    x = y = 0.0
    for step, rest in _STEP.findall(text):
        numbers = [float(n) for n in _NUMBER.findall(rest)]
        kind, is_relative = step.upper(), step.islower()
        if kind == "Z":
            yield "h"
            continue
        size = {"H": 1, "V": 1, "C": 6, "Q": 4}.get(kind, 2)
        for at in range(0, len(numbers) - size + 1, size):
            some = numbers[at : at + size]
            if kind == "H":
                some = [some[0] + (x if is_relative else 0), y]
            elif kind == "V":
                some = [x, some[0] + (y if is_relative else 0)]
            elif is_relative:
                some = [n + (x, y)[place % 2] for place, n in enumerate(some)]
            # PDF has cubic curves alone.
            if kind == "Q":
                a, b, x2, y2 = some
                some = [x + 2 / 3 * (a - x), y + 2 / 3 * (b - y)]
                some += [x2 + 2 / 3 * (a - x2), y2 + 2 / 3 * (b - y2), x2, y2]
            # Pairs that follow the first one of a move are lines (SVG 1.1, 8.3.2).
            operator = "c" if kind in "CQ" else "m" if kind == "M" and not at else "l"
            yield " ".join(f"{n:g}" for n in some) + f" {operator}"
            x, y = some[-2:]


def _text(element: ElementTree.Element) -> Iterator[str]:
    x, y, size = _numbers(element, "x", "y", "font-size")
    font = "B" if element.get("font-weight") else "R"
    pieces = [(element.text or "", element.get("fill", "#000"), 0.0)]
    pieces += [
        (inner.text or "", inner.get("fill", "#000"), float(inner.get("dx", 0)))
        for inner in element.findall(f"{_SVG}tspan")
    ]
    whole = sum(_width(text, size) + gap for text, _, gap in pieces)
    x -= whole * {"middle": 0.5, "end": 1.0}.get(element.get("text-anchor", "start"), 0.0)
    for text, fill, gap in pieces:
        x += gap
        shown = " ".join(_shown(text, font, size))
        yield f"BT {_colour(fill)} rg 1 0 0 -1 {x:g} {y:g} Tm {shown} ET"
        x += _width(text, size)


def _shown(text: str, font: str, size: float) -> Iterator[str]:
    """Show a text run by run: as it is, as an exponent, or in the font Symbol."""
    for kind, letters in groupby(text, _kind):
        run = "".join(letters)
        if kind == "raised":
            run = "".join(map(_RAISED.__getitem__, run))
            yield f"/{font} {size * _RAISED_SIZE:g} Tf {size * _RISE:g} Ts ({run}) Tj 0 Ts"
        elif kind == "symbol":
            run = "".join(map(_IN_SYMBOL.__getitem__, run))
            yield f"/S {size:g} Tf ({run}) Tj"
        else:
            yield f"/{font} {size:g} Tf ({_escaped(run)}) Tj"


def _kind(letter: str) -> str:
    return "raised" if letter in _RAISED else "symbol" if letter in _IN_SYMBOL else "plain"


def _width(text: str, size: float) -> float:
    return _LIKE_HELVETICA * sum(
        text_width("".join(run), size * (_RAISED_SIZE if kind == "raised" else 1.0))
        for kind, run in groupby(text, _kind)
    )


def _escaped(text: str) -> str:
    text = "".join(_NEAREST.get(letter, letter) for letter in text)
    return re.sub(r"([\\()])", r"\\\1", text)
