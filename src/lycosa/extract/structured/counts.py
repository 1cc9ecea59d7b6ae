"""The names of the counters about structured data, and their meanings."""

from __future__ import annotations

TRIPLES = "triples"
PAGES = "pages"
"""Counters of pages with triples."""

DROPPED, TOO_MANY, TOO_LARGE = "dropped", "too-many", "too-large"
BAD_JSON, JSON_TOO_DEEP, JSON_TOO_LARGE = (
    "json-ld-not-json",
    "json-ld-too-deep",
    "json-ld-too-large",
)
TOO_COSTLY = "too-costly"
UNKNOWN_CONTEXT, BAD_JSON_LD = "json-ld-unknown-context", "json-ld-malformed"

BROKEN = frozenset(
    {BAD_JSON, JSON_TOO_DEEP, JSON_TOO_LARGE, UNKNOWN_CONTEXT, BAD_JSON_LD, TOO_COSTLY}
)
"""Faults that the author of a page can correct, so the log file names the page."""

REASONS = {
    DROPPED: "triples that the filter dropped",
    TOO_MANY: "triples beyond the most that are taken from a page",
    TOO_LARGE: "pages too long to be read for structured data",
    TOO_COSTLY: "structured data that takes too much work or memory for the size of its page",
    BAD_JSON: "JSON-LD that is no JSON",
    JSON_TOO_DEEP: "JSON-LD nested too deeply",
    JSON_TOO_LARGE: "JSON-LD that is too long",
    UNKNOWN_CONTEXT: "JSON-LD with a context elsewhere that is not a known one",
    BAD_JSON_LD: "JSON that is no JSON-LD",
}
"""Counters of structured data that was left out."""
