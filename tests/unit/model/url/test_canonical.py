"""One spelling for every URL, and never one for two pages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.model.url import LONGEST_HREF, LONGEST_URL, canonicalize, parse, refusal

SPELLINGS = [
    ("HTTP://WWW.Example.ORG/A", "http://www.example.org/A"),
    ("http://example.org", "http://example.org/"),
    ("http://example.org:80/", "http://example.org/"),
    ("https://example.org:443/", "https://example.org/"),
    ("https://example.org:80/", "https://example.org:80/"),
    ("http://example.org:080/", "http://example.org/"),
    ("http://example.org/a/./b/../c", "http://example.org/a/c"),
    ("http://example.org/../../a", "http://example.org/a"),
    ("http://example.org/a/%2e%2E/b", "http://example.org/b"),
    ("http://example.org/%3a%c3%A9", "http://example.org/%3A%C3%A9"),
    ("http://example.org/?%3a", "http://example.org/?%3A"),
    ("http://example.org/%zz%3", "http://example.org/%zz%3"),
    ("http://example.org/%%3a%3%3a", "http://example.org/%%3A%3%3A"),
    ("http://example.org/x?", "http://example.org/x"),
    ("http://example.org/x?#top", "http://example.org/x"),
    ("http://example.org/x??", "http://example.org/x??"),
    ("http://example.org/x#a?b", "http://example.org/x"),
    ("http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"),
    ("http://0x7f.1/", "http://127.0.0.1/"),
    ("http://[0:0::1]/", "http://[::1]/"),
    ("http:\\\\example.org\\a", "http://example.org/a"),
    (" http://example.org/a\n", "http://example.org/a"),
    ("http://:@example.org/", "http://example.org/"),
    ("http://example.org/a\0b", "http://example.org/a%00b"),
    ("http://example.org/\ud800", "http://example.org/%EF%BF%BD"),
    ("http://example.org/\ud83d\ude00", "http://example.org/%F0%9F%98%80"),
    ("http://example.org./", "http://example.org./"),
    ("http://a..b/", "http://a..b/"),
]


@pytest.mark.parametrize(("given_url", "canonical"), SPELLINGS)
def test_every_spelling_has_one_canonical_form(given_url: str, canonical: str) -> None:
    assert canonicalize(given_url) == canonical
    assert canonicalize(canonical) == canonical
    assert refusal(given_url) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.org/A", "http://example.org/a"),
        ("http://example.org/x", "http://example.org/x/"),
        ("http://example.org/?a&b", "http://example.org/?b&a"),
        ("http://example.org/x", "http://example.org/x?a"),
        ("http://example.org/x?a", "http://example.org/x?a="),
        ("http://example.org/x?a", "http://example.org/x?a&"),
        ("http://example.org/", "https://example.org/"),
        ("http://example.org/", "http://example.org:8080/"),
        ("http://example.org:443/", "https://example.org/"),
        ("http://www.example.org/", "http://example.org/"),
        ("http://example.org./", "http://example.org/"),
        ("http://example.org/%41", "http://example.org/A"),
        ("http://example.org/%2F", "http://example.org//"),
        ("http://example.org/a+b", "http://example.org/a%20b"),
        ("http://example.org/a//b", "http://example.org/a/b"),
        ("http://example.org/index.html", "http://example.org/"),
        ("http://example.org/a;b", "http://example.org/a"),
    ],
)
def test_pages_that_a_server_can_tell_apart_never_collide(one: str, other: str) -> None:
    assert canonicalize(one) is not None
    assert canonicalize(one) != canonicalize(other)


@pytest.mark.parametrize(
    ("href", "base", "canonical"),
    [
        ("b", "http://example.org/a/x", "http://example.org/a/b"),
        ("../b", "http://example.org/a/x", "http://example.org/b"),
        ("//example.net", "https://example.org/", "https://example.net/"),
        ("?q", "http://example.org/a?b#c", "http://example.org/a?q"),
        ("#c", "http://example.org/a?b", "http://example.org/a?b"),
        ("", "http://example.org/a?b", "http://example.org/a?b"),
        ("http:b", "http://example.org/a/x", "http://example.org/a/b"),
    ],
)
def test_references_are_resolved_against_their_page(href: str, base: str, canonical: str) -> None:
    assert canonicalize(href, base) == canonical


@pytest.mark.parametrize(
    ("href", "reason"),
    [
        ("http://", "invalid"),
        ("/relative", "invalid"),
        ("http://exa mple.org/", "invalid"),
        ("http://example.org:99999/", "invalid"),
        ("http://1.2.3.400/", "invalid"),
        ("mailto:someone@example.org", "scheme"),
        ("javascript:void(0)", "scheme"),
        ("ftp://example.org/", "scheme"),
        ("httpx://example.org/", "scheme"),
        ("http://user@example.org/", "credentials"),
        ("https://user:secret@example.org/", "credentials"),
        ("https://:secret@example.org/", "credentials"),
        ("http://example.org/" + "a" * LONGEST_URL, "too-long"),
        ("http://example.org/#" + "a" * LONGEST_HREF, "too-long"),
    ],
)
def test_every_refusal_has_its_reason(href: str, reason: str) -> None:
    assert canonicalize(href) is None
    assert refusal(href) == reason


def test_an_at_sign_in_a_path_is_no_credential() -> None:
    assert canonicalize("http://example.org/@user?x@y") == "http://example.org/@user?x@y"


def test_the_longest_url_is_still_taken_and_its_fragment_does_not_count() -> None:
    longest = "http://example.org/".ljust(LONGEST_URL, "a")
    assert canonicalize(longest) == longest
    assert canonicalize(longest + "#fragment") == longest
    assert refusal(longest + "a") == "too-long"


def test_a_reference_on_a_page_with_a_broken_base_is_invalid() -> None:
    assert refusal("http://example.org/", "not a url") == "invalid"


@settings(deadline=None)
@given(st.text(st.characters()))
def test_no_text_however_broken_raises(text: str) -> None:
    parse(text)
    canonicalize("http://example.org/" + text)
    canonicalize(text, "http://example.org/")


@settings(deadline=None)
@given(st.text(), st.text("aA%3:zZ.?#/;&=é\\ ", max_size=30))
def test_the_canonical_form_is_its_own(anything: str, likely: str) -> None:
    for url in (anything, f"http://{anything}", "http://example.org/" + likely):
        canonical = canonicalize(url)
        if canonical is not None:
            assert canonicalize(canonical) == canonical
            assert parse(canonical) == canonical
            assert canonical.isascii()
        assert (canonical is None) == (refusal(url) is not None)


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8")))
def test_lone_surrogates_are_read_as_the_replacement_character(text: str) -> None:
    broken = "http://example.org/\udfff" + text + "\ud800"
    assert parse(broken) == parse("http://example.org/\ufffd" + text + "\ufffd")
