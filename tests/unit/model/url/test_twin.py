"""The compiled call from an href to its key agrees with the pure Python functions."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lycosa.model.url import canonical_key, canonical_keys, canonicalize, key_of, url_of
from lycosa.model.url.key import url_of as plain_url_of
from seeds import examples

PIECES = [
    *["http:", "https:", "HTTP://", "https://", "//", "/", "\\", "?", "#", ":", "@", ".", ".."],
    *["a", "B", "example.org", "www.", "xn--bcher-kva", "bücher", "[::1]", "127.0.0.1", "0x7f.1"],
    *[":80", ":443", ":8080", ":0", "%3a", "%2e", "%2E%2e", "%zz", "%", "%%3a", "&", "=", ";", "'"],
    *[
        " ",
        "\t",
        "\n",
        "\r",
        "\0",
        "\x1f",
        "\x7f",
        "é",
        "\ufffd",
        "\ud800",
        "\udc00",
        "😀",
        "\u00ad",
    ],
    *[
        "mailto:",
        "javascript:",
        "data:",
        "file:///",
        "ftp://",
        "user:secret@",
        "index.html",
        "~",
        "|",
    ],
]
broken = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
absolute = broken.map(lambda rest: "http://example.org/" + rest)
plain = st.lists(
    st.sampled_from(["/", "..", ".", "a", "b1", "/", "..", "c.html", "-_~", "..."]), max_size=14
).map("".join)
with_fragment = st.tuples(plain, broken).map("#".join)
hrefs = st.one_of(broken, absolute, plain, with_fragment, st.text(st.characters()))
bases = st.one_of(
    st.sampled_from(
        [
            "https://example.org",
            "http://www.example.org/docs/guide/page.html?x=1#top",
            "http://user@example.org/a/b",
            "https://[::1]:81/a/../b//",
            "http://example.org:8080/%3a/b/../%zz/c%20d/e",
            "https://example.org/" + "a/" * 1030,
            "https://example.org/?" + "q" * 2100,
            "data:text/plain,x",
            "file:///c:/x",
            "not a url",
        ]
    ),
    broken.map(lambda rest: "https://example.org/" + rest),
    absolute,
    broken,
)


def plain_key(href: str, base: str | None) -> str | None:
    url = canonicalize(href, base)
    return None if url is None else key_of(url)


@settings(max_examples=examples(300), deadline=None)
@given(href=hrefs)
def test_one_compiled_call_equals_two_plain_ones(href: str) -> None:
    assert canonical_key(href) == plain_key(href, None)


@settings(max_examples=examples(600), deadline=None)
@given(page=st.lists(hrefs, max_size=6), base=bases)
@example(page=["/\t/evil.example/"], base="http://example.org/a")
@example(page=["/\\evil.example/"], base="http://example.org/a")
@example(page=["https:x", "http:x", "https:/x"], base="https://example.org/a/b")
@example(page=["", " ", "#", "?", "."], base="https://example.org/a/b?c#d")
@example(page=["#é", "a#?", "/#/..", "..#\t", "a #b", "#" + "a" * 5000], base="http://b.org/a/?c#d")
@example(page=["..", "../..", "../../x", "a//../b", "/..//", "/"], base="http://example.org/a//b/c")
@example(page=["x" * 50, "../" * 40 + "y", "/" + "z/" * 1200], base="http://b.org/" + "a/" * 1030)
@example(page=["http://[::1", "http://", "https://"], base="https://example.org/")
@example(page=["ht\ntp://example.net/"], base="https://example.org/")
def test_resolving_a_whole_page_at_once_changes_nothing(page: list[str], base: str) -> None:
    expected = [plain_key(href, base) for href in page]
    assert canonical_keys(page, base) == expected
    assert [canonical_key(href, base) for href in page] == expected


@pytest.mark.parametrize("length", [2082, 2083, 2084, 4165, 4166, 4167, 65_536, 65_537])
@pytest.mark.parametrize(
    "href", ["", "/", "?", "#", "http://example.net/", "a/../", "%3a", "é/../"]
)
def test_lengths_around_every_limit_are_the_same_in_both(href: str, length: int) -> None:
    base = "https://example.org/folder/page?query"
    long = href + "a" * (length - len(href))
    assert canonical_keys([long], base) == [plain_key(long, base)]
    assert canonical_key(long, base) == plain_key(long, base)
    padded = href + "x" + " " * (length - len(href) - 1)
    assert canonical_keys([padded], base) == [plain_key(padded, base)]


def test_a_very_long_base_is_resolved_like_a_short_one() -> None:
    base = "https://example.org/" + "a/" * 5000
    for href in ("x", "/x", "?x", "../" * 5000 + "x", "http://example.net/"):
        assert canonical_keys([href], base) == [plain_key(href, base)]


def test_a_page_with_a_broken_base_leads_nowhere() -> None:
    assert canonical_keys(["http://example.org/", "/x"], "not a url") == [None, None]


def test_what_is_not_text_is_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError):
        canonical_keys([b"http://example.org/"], "http://example.org/")  # type: ignore[list-item]
    with pytest.raises(TypeError):
        canonical_keys([None], "http://example.org/")  # type: ignore[list-item]


@settings(max_examples=examples(500))
@given(hrefs, bases)
@example("http://127.0.0.1:81/x", "")
@example("https://[::1]:81/x", "")
@example("https://4.example.org/x?y", "")
@example("http://example.4x/x", "")
@example("https://a/", "")
def test_urls_are_made_of_keys_as_in_plain_python(href: str, base: str) -> None:
    key = canonical_key(href, base or None)
    if key is not None:
        assert url_of(key) == plain_url_of(key) == canonicalize(href, base or None)


@pytest.mark.parametrize("nonsense", ["", "a", "a/", "/", "a" * 3000 + ":/"])
def test_what_is_no_key_has_no_url(nonsense: str) -> None:
    with pytest.raises(ValueError, match="not a key"):
        url_of(nonsense)
