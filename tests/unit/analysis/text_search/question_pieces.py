"""Pieces of questions for a search of texts."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = st.sampled_from(
    [
        "ada",
        '"',
        '"a b"',
        "-",
        "-x",
        "site:",
        "site:a.test",
        "lang:de",
        "before:",
        "after:2025",
        "a:Person",
        "word*",
        "*",
        ":",
        "::",
        "before:2025-99",
        "http://a.test/?q=1",
        "東京",
        "\x00",
    ]
)
