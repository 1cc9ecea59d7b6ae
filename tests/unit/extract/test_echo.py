"""Error pages repeat the address that they do not have; without it they are alike."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lycosa.extract.echo import _found_alone, own_name, without_echo
from lycosa.extract.text.fingerprint import fingerprints
from plain_fingerprint import plain_fingerprint


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/", ""),
        ("/lamp-7", "lamp-7"),
        ("/shop/lamp-7.html", "lamp-7"),
        ("/shop/lamp-7/?page=2", "lamp-7"),
        ("/a.b/c.tar.gz", "c.tar"),
        ("/.htaccess", ".htaccess"),
        ("/caf%C3%A9.html", "café"),
    ],
)
def test_a_page_is_called_by_its_last_segment(path: str, name: str) -> None:
    assert own_name(path) == name


@pytest.mark.parametrize(
    ("text", "path", "left"),
    [
        ("No lamp-7 here", "/shop/lamp-7.html", "No  here"),
        ("No (http://a.test/shop/lamp-7.html), sorry", "/shop/lamp-7.html", "No  sorry"),
        ("lamp-7\nis not here: lamp-7", "/lamp-7", "\nis not here: "),
        ("No lamp-77 here", "/lamp-7", "No lamp-77 here"),
        ("clamp-7 and lamp-7.", "/lamp-7", "clamp-7 and "),
        ("a_lamp-7_b is one word", "/lamp-7", " is one word"),
        ("lamp-7,lamp-7,lamp-7 end", "/lamp-7", " end"),
        ("No my page here", "/my%20page", "No  here"),
        ("nothing of the kind", "/lamp-7", "nothing of the kind"),
        ("the front page", "/", "the front page"),
        ("", "/lamp-7", ""),
    ],
)
def test_the_words_with_the_own_name_are_dropped(text: str, path: str, left: str) -> None:
    assert without_echo(text, path) == left


@given(st.lists(st.sampled_from(["a", "b", "lamp", "/x/lamp.html", "lamps", "\n", "é", "lamp_"])))
def test_all_other_words_stay_in_their_order(words: list[str]) -> None:
    left = without_echo(" ".join(words), "/x/lamp.html").split()
    dropped = {"lamp", "/x/lamp.html", "lamp_"}
    assert left == [word for word in words if word.strip() and word not in dropped]


@given(st.text("a_ ²é.\n", min_size=1, max_size=3), st.lists(st.integers(0, 5), max_size=12))
@example("._.", [0, 1, 1])
def test_a_name_is_found_where_a_pattern_finds_it(name: str, pieces: list[int]) -> None:
    text = "".join((name, name[1:], name[:1], "é", "_", " ")[number] for number in pieces)
    pattern = rf"(?<![^\W_]){re.escape(name)}(?![^\W_])"
    assert list(_found_alone(name, text)) == [found.start() for found in re.finditer(pattern, text)]


@given(
    st.sampled_from(["lamp", "lamp-7", "my page", "é", "1-1", "a"]),
    st.lists(
        st.sampled_from(["lamp", "s", "-7", "my", "page", "é", "ß", "—", "1", "-", "a", " ", "\n"])
    ),
)
@example("my page", ["my", " ", "page", " ", "my", " ", "page"])
@example("my page", ["my", "\n", "page", " ", "my", "a", "page"])
def test_fingerprints_are_taken_without_the_same_words(name: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    left = without_echo(text, f"/x/{name}").encode()
    whole, without = fingerprints(text.encode(), name.encode())
    assert whole == plain_fingerprint(text.encode())
    assert without == plain_fingerprint(left)


@given(st.lists(st.sampled_from(["lamp", "one", "two", "three", "four"]), max_size=60))
def test_both_fingerprints_of_longer_texts(words: list[str]) -> None:
    kept = [word for word in words if word != "lamp"]
    whole, without = fingerprints(" ".join(words).encode(), b"lamp")
    assert whole == plain_fingerprint(" ".join(words).encode())
    assert without == plain_fingerprint(" ".join(kept).encode())


def test_no_name_is_no_word() -> None:
    expected = plain_fingerprint(b"one two three")
    assert fingerprints(b"one two three", b"") == (expected, expected)


def test_one_endless_word_takes_linear_time() -> None:
    assert without_echo("lamp/" * 200_000 + " end", "/lamp") == " end"
