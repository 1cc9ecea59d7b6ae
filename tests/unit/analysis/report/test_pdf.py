from __future__ import annotations

import re
import zlib

from lycosa.analysis.report.pdf import pdf_of


def drawn(*texts: str) -> str:
    """Return the operators of a page with these texts."""
    lines = "".join(f'<text x="5" y="9" font-size="10" fill="#333">{text}</text>' for text in texts)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50">{lines}</svg>'
    stream = re.search(rb"stream\n(.*)\nendstream", pdf_of(svg), re.DOTALL)
    assert stream is not None
    return zlib.decompress(stream[1]).decode("cp1252")


def test_an_exponent_is_raised_and_not_lost() -> None:
    assert "/R 10 Tf (10) Tj /R 6.5 Tf 3.8 Ts (–5) Tj 0 Ts" in drawn("10⁻⁵")


def test_greek_letters_arrows_and_signs_come_from_the_font_symbol() -> None:
    found = drawn("fit: α = 2", "a → b", "≤ 3")
    assert "(fit: ) Tj /S 10 Tf (a) Tj /R 10 Tf ( = 2) Tj" in found
    assert "/S 10 Tf (\xae) Tj" in found and "/S 10 Tf (\xa3) Tj" in found


def test_a_character_that_no_standard_font_has_becomes_a_question_mark() -> None:
    assert "(?? \\(x\\)) Tj" in drawn("日本 (x)")
