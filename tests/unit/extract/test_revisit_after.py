"""The wish of a page about its next visit."""

from __future__ import annotations

import pytest

from growth import is_linear
from lycosa.extract.revisit_after import LONGEST_SECONDS, revisit_after_seconds

DAY = 86_400.0


@pytest.mark.parametrize(
    ("markup", "days"),
    [
        ('<meta name="revisit-after" content="7 days">', 7),
        ("<META NAME='Revisit-After' CONTENT='2 Weeks'>", 14),
        ('<meta content="1 month" name=revisit-after>', 30),
        ("<meta name=revisit-after content=3>", 3),
        ('<meta name="revisit-after" content="12 hours" />', 0.5),
        ('<meta name="revisit-after" content="soon">', 0),
        ('<meta name="revisited" content="7 days">', 0),
        ("<p>revisit-after 7 days</p>", 0),
        ("<p>nothing</p>", 0),
    ],
)
def test_numbers_with_a_unit_are_read(markup: str, days: float) -> None:
    assert revisit_after_seconds(f"<html><head>{markup}</head>".encode()) == days * DAY


def test_no_wish_counts_for_longer_than_a_year() -> None:
    body = b'<meta name="revisit-after" content="99999 years">'
    assert revisit_after_seconds(body) == LONGEST_SECONDS


def test_the_cost_is_linear() -> None:
    assert is_linear(lambda n: revisit_after_seconds(b"<meta =revisit-after " * n), 300)
