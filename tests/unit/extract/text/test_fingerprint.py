from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from lycosa.extract.text.fingerprint import distance, fingerprint, without_digits
from plain_fingerprint import plain_fingerprint

words = st.text(alphabet="abcé \n\t\u00a0😀", max_size=12)


@given(st.text() | st.lists(words, max_size=80).map(" ".join))
@example("")
@example("one")
@example("one two")
@example("\ud800 lone")
@example("a" * 100)
def test_the_fingerprint_equals_its_twin(text: str) -> None:
    content = text.encode("utf-8", "replace")
    assert fingerprint(content) == plain_fingerprint(content)


def test_fingerprints_never_change() -> None:
    assert fingerprint(b"") == 0
    assert fingerprint(b"the quick brown fox") == 0x288082412F70A9


def test_white_space_says_nothing() -> None:
    assert fingerprint(b" a\n\nb\tc d ") == fingerprint(b"a b c d")


def joined(some: list[str]) -> int:
    return fingerprint(" ".join(some).encode())


def test_near_texts_have_near_fingerprints() -> None:
    text = [f"word{number * number % 977}" for number in range(1000)]
    changed = [*text[:500], "another", *text[501:]]
    near = distance(joined(text), joined(changed))
    far = distance(joined(text), joined([f"{word}x" for word in text]))
    assert near <= 6
    assert far >= 16


@given(st.one_of(st.binary(max_size=60), st.text("09a/:\xb0\u0660 ", max_size=60).map(str.encode)))
@example(bytes(range(256)))
@example(b"page 17 of 20")
@example(b"1234567890" * 7)
def test_a_text_without_digits_is_what_translate_makes_of_it(text: bytes) -> None:
    assert without_digits(text) == text.translate(None, b"0123456789")
