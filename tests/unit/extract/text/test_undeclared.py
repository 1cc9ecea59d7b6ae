"""Pages that declare no character set are read right, and at a bounded cost."""

from __future__ import annotations

import pytest

from growth import is_linear
from lycosa.extract.text.charset import to_utf8
from lycosa.extract.text.undeclared import detected, utf16_without_mark

# The first article of the Universal Declaration of Human Rights.
JAPANESE = (
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"
    "人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。"
)
KOREAN = (
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 "
    "양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다."
)
SIMPLIFIED = "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。"
TRADITIONAL = (
    "人人生而自由,在尊嚴和權利上一律平等。他們賦有理性和良心,並應以兄弟關係的精神互相對待。"
)
THAI = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม"
GREEK = (
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. "
    "Είναι προικισμένοι με λογική και συνείδηση."
)
RUSSIAN = (
    "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и "
    "совестью и должны поступать в отношении друг друга в духе братства."
)
POLISH = (
    "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni "
    "obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa."
)
FRENCH = (
    "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de "
    "raison et de conscience et doivent agir les uns envers les autres dans un esprit fraternel."
)


def page_with(text: str) -> str:
    return f"<!DOCTYPE html><html><head><title>x</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize(
    ("codec", "name", "text"),
    [
        ("cp932", "shift_jis", JAPANESE),
        ("euc_jp", "euc-jp", JAPANESE),
        ("iso2022_jp", "iso-2022-jp", JAPANESE),
        ("cp949", "euc-kr", KOREAN),
        ("gb2312", "gbk", SIMPLIFIED),
        ("big5", "big5", TRADITIONAL),
        ("cp874", "windows-874", THAI),
        ("cp1253", "windows-1253", GREEK),
        ("cp1251", "windows-1251", RUSSIAN),
        ("koi8_r", "koi8-r", RUSSIAN),
        ("iso8859_2", "iso-8859-2", POLISH),
        ("cp1252", "windows-1252", FRENCH),
        ("utf_16_le", "utf-16le", JAPANESE),
        ("utf_16_be", "utf-16be", RUSSIAN),
    ],
)
def test_a_page_that_declares_nothing_is_read_right(codec: str, name: str, text: str) -> None:
    page = page_with(text)
    body, charset = to_utf8(page.encode(codec), "text/html")
    assert body.decode() == page
    # KOI8-U holds KOI8-R but for letters that Russian lacks.
    assert charset in (name, "koi8-u" if name == "koi8-r" else name)


def test_what_is_declared_is_not_questioned() -> None:
    page = page_with(RUSSIAN).encode("cp1251")
    assert to_utf8(page, "text/html; charset=windows-1252")[1] == "windows-1252"


@pytest.mark.parametrize("broken", [b"\xff", b"\xe9 ", b"\xf0\x9f"])
def test_a_broken_sequence_does_not_make_a_page_of_utf8_something_else(broken: bytes) -> None:
    body, charset = to_utf8(page_with(GREEK).encode() + broken, None)
    assert charset == "utf-8"
    assert GREEK in body.decode()


def test_a_few_zero_bytes_are_no_utf16() -> None:
    assert utf16_without_mark(b"<p>" + b"\0" * 3 + b"text of a page in ASCII" * 20) is None
    assert utf16_without_mark(b"\0" * 512) is None
    assert utf16_without_mark(b"") is None


@pytest.mark.parametrize("unit", [b"\xe4", b"<\xe4", b"\xe4<", b"a" * 99 + b"\xe4", b"<>\xff"])
def test_the_time_is_bounded_for_any_bytes(unit: bytes) -> None:
    assert is_linear(lambda size: detected(unit * (size // len(unit))), 100_000)


@pytest.mark.parametrize("body", [b"a price in \x1b$ and more", b"\x1b$B\x1b(B", b"\x1b[31mred"])
def test_other_escapes_are_no_japanese(body: bytes) -> None:
    assert to_utf8(body, None) == (body, "utf-8")


def test_escapes_count_only_among_ascii_bytes_that_declare_nothing() -> None:
    japanese = page_with(JAPANESE).encode("iso2022_jp")
    assert to_utf8(japanese, "text/html; charset=utf-8")[1] == "utf-8"
    assert to_utf8(japanese + RUSSIAN.encode("cp1251"), None)[1] != "iso-2022-jp"
    assert JAPANESE in to_utf8(japanese, None)[0].decode()
