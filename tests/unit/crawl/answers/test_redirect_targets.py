"""Where a redirect leads, as browsers read its location."""

from __future__ import annotations

import pytest

from lycosa.crawl.answers.reading import redirect_of
from lycosa.model.records import Answer


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (b"/next", "/next"),
        (b"/%C3%A4", "/%C3%A4"),
        ("/ä/日本".encode(), "/ä/日本"),
        ("/ä".encode("latin-1"), "/ä"),
        (b"", ""),
    ],
)
def test_a_location_in_raw_bytes_is_read_as_utf8_if_it_is(sent: bytes, read: str) -> None:
    # Header values reach us as Latin-1, byte for byte.
    answer = Answer(301, (("Location", sent.decode("latin-1")),), b"", 0.0, 1.0)
    assert redirect_of(answer).hrefs == [read]
