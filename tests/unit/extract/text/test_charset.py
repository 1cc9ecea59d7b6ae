from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lycosa.extract.html._scan import is_utf8
from lycosa.extract.page import scan
from lycosa.extract.text.charset import (
    _LABELS,
    charset_of_label,
    charset_of_type,
    decode,
    prescan,
    to_utf8,
)
from seeds import examples

PAGE = "<title>Привет</title>"


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("iso-8859-1", "windows-1252"),
        (" US-ASCII ", "windows-1252"),
        ("latin5", "windows-1254"),
        ("shift_jis", "shift_jis"),
        ("x-sjis", "shift_jis"),
        ("gb2312", "gbk"),
        ("ks_c_5601-1987", "euc-kr"),
        ("UTF8", "utf-8"),
        ("utf-16", "utf-16le"),
        ("hz-gb-2312", "replacement"),
        ("cp437", "cp437"),
        ("zip", None),
        ("utf-7", None),
        ("unicode_escape", None),
        ("no\0ne", None),
        ("", None),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label: str, name: str | None) -> None:
    assert charset_of_label(label) == name


@pytest.mark.parametrize(
    ("data", "name", "text"),
    [
        (b"\x80\x81\xe9", "windows-1252", "€\x81é"),
        (b"\x82\xa0\x87\x40", "shift_jis", "あ①"),
        (b"\xb0\xa1\x81\x41", "euc-kr", "가갂"),
        (b"\xa4\xa2", "euc-jp", "あ"),
        (b"\x1b$B$\x22\x1b(B", "iso-2022-jp", "あ"),
        (b"\xc4\xe3\x80", "gbk", "你\ufffd"),
        (b"\xa7\x41", "big5", "你"),
        (b"\xcf\xd2", "koi8-r", "ор"),
        (b"\xaa", "windows-1253", "\ufffd"),
        (b"a\xff", "x-user-defined", "a\uf7ff"),
        (b"abc", "replacement", "\ufffd"),
        (b"a\0\xd8", "utf-16le", "a\ufffd"),
    ],
)
def test_legacy_encodings_are_decoded(data: bytes, name: str, text: str) -> None:
    assert decode(data, name) == text


@pytest.mark.parametrize("name", sorted(_LABELS))
@given(data=st.binary(max_size=40))
@settings(max_examples=examples(25), deadline=None)
def test_any_bytes_are_utf_8_afterwards(name: str, data: bytes) -> None:
    body, used = to_utf8(data, f"text/html; charset={name}")
    text = body.decode("utf-8")
    assert "\0" not in text
    assert used


@pytest.mark.parametrize(
    ("body", "content_type", "used"),
    [
        (b"\xef\xbb\xbfx", "text/html; charset=koi8-r", "utf-8"),
        (b"\xff\xfex\0", "text/html; charset=koi8-r", "utf-16le"),
        (b"\xfe\xff\0x", None, "utf-16be"),
        (b"<meta charset=utf-8>", 'text/html; Charset="KOI8-R"', "koi8-r"),
        (b"<meta charset=cp1251>", "text/html; charset=nonsense", "windows-1251"),
        (b"\xc3\xa9", None, "utf-8"),
        (b"\xe9", None, "windows-1252"),
        (b"<meta charset=utf-8>\xe9", None, "utf-8"),
        (b"plain", None, "utf-8"),
    ],
)
def test_mark_header_declaration_and_content_are_asked_in_this_order(
    body: bytes, content_type: str | None, used: str
) -> None:
    assert to_utf8(body, content_type)[1] == used


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("<meta charset=KOI8-R>", "koi8-r"),
        ("<meta charset = 'koi8-r' >", "koi8-r"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', "koi8-r"),
        ("<meta content='x; charset = \"koi8-r\"' http-equiv=content-type>", "koi8-r"),
        ("<meta content='text/html; charset=koi8-r'>", None),
        ("<!-- <meta charset=koi8-r> -->", None),
        ("<!-- <meta charset=koi8-r> --><meta charset=cp1251>", "windows-1251"),
        ("<meta charset=nonsense><meta charset=cp1251>", "windows-1251"),
        ("<p title='<meta charset=koi8-r>'><meta name=x charset=cp1251>", "windows-1251"),
        ("<meta charset=utf-16>", "utf-8"),
        ("<meta charset=x-user-defined>", "windows-1252"),
        ("<?xml version='1.0' encoding='koi8-r'?>", "koi8-r"),
        (" " * 1020 + "<meta charset=koi8-r>", None),
        ("<meta charset=", None),
        ("<!-- <meta charset=koi8-r>", None),
        ("<!x <meta charset=koi8-r", None),
    ],
)
def test_a_declaration_within_the_first_bytes_counts(head: str, name: str | None) -> None:
    assert prescan(head.encode()) == name


@pytest.mark.parametrize(
    "charset", ["utf-8", "utf-16", "utf-16-be", "koi8-r", "gb18030", "utf-32-le"]
)
def test_a_page_is_read_in_its_charset(charset: str) -> None:
    body = (PAGE + "<a href=/я>").encode(charset)
    facts = scan(body, f'text/html; charset="{charset}"')
    assert facts.title == "Привет"
    assert facts.hrefs == ["/я"]


def test_what_is_not_utf_8_is_taken_for_windows_1252() -> None:
    facts = scan(b"<a href=/\xe9>\x80 1", None)
    assert (facts.hrefs, facts.text, facts.charset) == (["/é"], "€ 1", "windows-1252")


def test_malformed_utf_8_becomes_replacement_characters() -> None:
    facts = scan(b"<a href=/\xe9>x\xe2\x82y\0", "text/html; charset=utf-8")
    assert (facts.hrefs, facts.text) == (["/\ufffd"], "x\ufffdy\ufffd")


@given(
    st.binary(max_size=40) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "ignore"))
)
@example(b"12345678\xc3\xa9")
@example(b"1234567\xc3")
@example(b"\xed\xa0\x80")
@example(b"\xf4\x90\x80\x80")
@example(b"\xe0\x9f\xbf")
@example("\U0010ffff\uffff\u0800\u07ff".encode())
def test_utf8_is_recognised_as_python_does(body: bytes) -> None:
    try:
        body.decode()
    except UnicodeDecodeError:
        assert not is_utf8(body)
    else:
        assert is_utf8(body)


@pytest.mark.parametrize("before", ["charset", "charset=", "charset='"])
def test_no_content_type_takes_long(before: str) -> None:
    began = time.process_time()
    assert charset_of_type(f"text/html; {before}{' ' * 250_000};") is None
    assert time.process_time() - began < 30
