"""Near fingerprints are found while they are remembered, and groups are kept apart."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from lycosa.features.novelty.copies import NEAR_BITS, Nearness, SeenTexts

FINGERPRINTS = st.integers(1, 2**64 - 1)
BITS = st.sets(st.integers(0, 63), max_size=8)


def changed(fingerprint: int, bits: set[int]) -> int:
    for bit in bits:
        fingerprint ^= 1 << bit
    return fingerprint


@given(FINGERPRINTS, BITS, st.integers(0, 2**64 - 1))
def test_a_fingerprint_is_near_exactly_when_few_bits_differ(
    fingerprint: int, bits: set[int], salt: int
) -> None:
    near = Nearness()
    assert near.owner(fingerprint, salt) is None
    near.note(fingerprint, 7, salt)
    found = near.owner(changed(fingerprint, bits), salt)
    assert found == (7 if len(bits) <= NEAR_BITS else None)


def test_the_last_owner_is_told() -> None:
    near = Nearness()
    near.note(0xABCDEF, 1)
    near.note(0xABCDEF, 2)
    assert near.owner(0xABCDEF ^ 1) == 2


def test_sites_are_kept_apart() -> None:
    texts = SeenTexts()
    assert not texts.is_near("one", 99)
    assert not texts.is_near("other", 99)
    assert texts.is_near("one", 98)
    assert not texts.note("one", b"text")
    assert not texts.note("other", b"text")
    assert texts.note("one", b"text")


def test_a_page_without_pictures_shows_no_others() -> None:
    texts = SeenTexts()
    assert not texts.shows_other_pictures("site", b"<p>text</p>")
    assert texts.shows_other_pictures("site", b'<img src="a.png?1"><IMG\nSRC=b.png>')
    assert not texts.shows_other_pictures("site", b"<img src=b.png><img src='a.png?2'>")
    assert texts.shows_other_pictures("site", b"<img src=c.png>")


def test_no_page_takes_long_to_be_looked_at_for_pictures() -> None:
    began = time.process_time()
    body = b"<img src=" + b" " * 1_000_000 + b">"
    assert not SeenTexts().shows_other_pictures("site", body)
    assert time.process_time() - began < 30
