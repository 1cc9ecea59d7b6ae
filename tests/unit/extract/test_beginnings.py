"""The compiled look at the first bytes of a page agrees with the pure Python one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import plain_look
from lycosa.extract._look import place_of
from lycosa.extract.beginnings import PRESCAN_BYTES, is_sitemap, label
from lycosa.extract.text import charset
from lycosa.extract.text.charset import charset_of_label
from offenders import none_of
from seeds import examples

WORDS = st.sampled_from(
    [
        *(b"<meta", b"<META", b"<meta ", b"<meta\t", b"<meta\x0b", b"<metadata "),
        *(b"charset", b"CHARSET", b"charset=", b'charset="', b"charset=utf-8>", b"charset ="),
        *(b"utf-8", b"UTF-8", b"iso-8859-1", b"x_y:z.0", b"\xe9", b"utf\x0d8"),
        *(b"http-equiv=", b"content-type", b'"content-type" ', b'content="text/html;', b"content="),
        *(b' charset=utf-8"', b"  ", b" ", b"\n", b"\f", b"\r", b"\x0b", b"", b"\0", b"a" * 400),
        *(b'"', b"'", b">", b"/", b"/>", b";", b"<!--", b"-->", b"<", b"<!-", b"<title>it's"),
        *(b"<!-->", b"<!-- x -->", b"</p", b"</", b"<?", b"<!x", b"<a b=", b"='", b'="', b"<p c>"),
        *(b'<meta charset="utf-8">', b"<meta charset=koi8-r />", b"<meta name=charset>"),
        b'<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1">',
    ]
)
BEGINNINGS = st.lists(WORDS | st.binary(max_size=3), max_size=12).map(b"".join)


@st.composite
def nearly_usual(draw: st.DrawFn) -> bytes:
    """A page as most are, with a byte changed or left out now and then."""
    page = b'<!DOCTYPE html>\n<html lang="en">\n<head>\n' + draw(
        st.sampled_from(
            [
                b'<meta charset="utf-8">',
                b"<META charset=UTF-8/>",
                b'<meta http-equiv="Content-Type" content="text/html; charset=UTF-8">',
                b'<meta http-equiv=content-type  content="text/html;charset=utf-8" />',
            ]
        )
    )
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(page)))
        put = draw(WORDS | st.binary(max_size=1))
        page = page[:at] + put + page[at + draw(st.integers(0, 1)) :]
    spaces: int = draw(st.sampled_from([0, 0, 0, *range(PRESCAN_BYTES - 90, PRESCAN_BYTES)]))
    return b" " * spaces + page


@settings(max_examples=examples(700), deadline=None)
@given(BEGINNINGS | nearly_usual())
def test_the_declared_label_equals_its_twin(body: bytes) -> None:
    assert label(body) == plain_look.label(body)


@settings(max_examples=examples(700), deadline=None)
@given(BEGINNINGS | nearly_usual())
def test_what_is_told_at_a_look_is_what_the_whole_rules_say(body: bytes) -> None:
    told = label(body)
    name = charset_of_label(told) if told else None
    if name is not None:
        assert charset._declared_in_meta(body[:PRESCAN_BYTES]) == name


LIST_WORDS = st.sampled_from(
    [
        *(b"<urlset", b"<sitemapindex", b"urlset", b"sitemapindex", b"<a:urlset>", b"<Urlset>"),
        *(b"<", b":", b">", b" ", b"\x0b", b"\x0c", b"\x1c", b"/", b"s", b"_", b"\xc3"),
        *(b"<ns1:", b"<1:", b"<:", b"<-:", b"<a.b-c_d:", b"<" + b"p" * 31 + b":"),
        *(b"<" + b"p" * 32 + b":", b"<urlset:urlset\n", b"</urlset>", b"<!--", b"xmlns="),
    ]
)


@settings(max_examples=examples(700), deadline=None)
@given(st.lists(LIST_WORDS | st.binary(max_size=2), max_size=8).map(b"".join))
def test_whether_it_is_a_sitemap_equals_its_twin(first: bytes) -> None:
    assert is_sitemap(first) is plain_look.is_sitemap(first)


AROUND = [
    b"<meta%scharset=utf-8>",
    b"<meta charset=%sutf-8>",
    b"<meta charset=utf%s8>",
    b"<meta charset=utf-8%s>",
    b"%s<meta charset=utf-8>",
    b'<meta http-equiv="content-type"%scontent="text/html; charset=utf-8">',
    b'<meta http-equiv="content-type" content="text/html%s charset=utf-8">',
    b'<meta http-equiv="content-type" content="text/html;%scharset=utf-8"',
    b"<meta charse%s=utf-8>",
]
AROUND_LISTS = [b"<%surlset>", b"<a%surlset>", b"<a%sb:urlset>", b"<urlset%s", b"%surlset>"]


def test_every_byte_means_the_same_to_both() -> None:
    byte = [bytes([code]) for code in range(256)]
    pages = [page % one for page in AROUND for one in byte]
    none_of(page for page in pages if label(page) != plain_look.label(page))
    lists = [page % one for page in AROUND_LISTS for one in byte]
    none_of(page for page in lists if is_sitemap(page) is not plain_look.is_sitemap(page))


def test_every_cut_of_a_declaration_means_the_same_to_both() -> None:
    page = b'<html><meta http-equiv="content-type" content="text/html; charset=utf-8"><a:urlset >'
    for end in range(len(page) + 1):
        assert label(page[:end]) == plain_look.label(page[:end])
        assert is_sitemap(page[:end]) is plain_look.is_sitemap(page[:end])
        late = b" " * (PRESCAN_BYTES - end) + page
        assert label(late) == plain_look.label(late)


def test_the_two_usual_ways_are_known() -> None:
    assert label(b'<html><head><meta charset="UTF-8"><title>') == "utf-8"
    usual = b'<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1">'
    assert label(b"<html><head>" + usual) == "iso-8859-1"
    assert label(b"<!-- <meta charset=utf-8> -->") == ""


def test_comments_and_quotes_before_a_declaration_do_not_hide_it() -> None:
    doxygen = b'<!-- HTML header -->\n<!DOCTYPE html PUBLIC "-//W3C//DTD" "http://w3.org/">\n<html '
    assert label(doxygen + b'lang="en"><title>It\'s</title><meta charset="UTF-8"/>') == "utf-8"
    assert label(b"<!--><meta charset=utf-8> -->") == "utf-8"
    assert label(b"<a title='<!--'><b title='--><meta charset=utf-8>") == ""
    assert label(b"<!-- a -- > <meta charset=utf-8>") == ""


def test_a_page_without_a_declaration_has_no_label() -> None:
    assert label(b"<html><title>x") is None


NAMES = (b"!--", b"meta", b"title", b"a")


@settings(max_examples=examples(700), deadline=None)
@given(BEGINNINGS, st.integers(0, 40))
def test_the_place_of_an_element_equals_its_twin(body: bytes, start: int) -> None:
    assert place_of(body, start, NAMES) == plain_look.place_of(body, start, NAMES)
    assert place_of(body, len(body) + start, NAMES) == -1
    assert place_of(b"<", 0, NAMES) == place_of(b"", 0, ()) == -1
