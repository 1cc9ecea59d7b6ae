"""The fields of the index, and how their text becomes words.

    all        title ten times, anchors ten times, main text once: the field that decides; the
               whole text, where a page has no main text
    rest       the words of the whole text that the main text does not have
    title      the title alone, and `anchors`, `url` alone: they lift a match a little
    host       the host with its port, for facets; `site` has it with all its parent domains
    language type topic     facets and filters
    moment     when this content was first fetched, in seconds since 1970
    rank       the factor of a page's rank, prepared for `weight_by_field`
    host_id    numbers for folding: pages of one host, and `copy_id`, pages of equal bytes
    content    the beginning of the main text, for passages; not searched

Repeating titles and anchors in one field imitates BM25F: with a sum over boosted fields questions
about the content of pages find half as much (docs/decisions/0065-text-search.md).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tantivy import Index, Schema, SchemaBuilder

from lycosa.analysis.text_index.words import neutral

FORMAT = 2
"""The version of fields and analysis; an index of another format is built again."""

STORED_CHARACTERS = 20_000
"""Characters of a text that are kept for passages."""
TITLE_TIMES = ANCHORS_TIMES = 10
WEIGHTS = {"all": 1.0, "rest": 0.2, "title": 0.1, "anchors": 0.1, "url": 0.05}
"""The fields that a word is looked for in."""

_NEUTRAL = "lycosa_neutral"


@cache
def schema() -> Schema:
    """Return the fields."""
    found = SchemaBuilder()
    found.add_integer_field("url_id", stored=True, indexed=True, fast=True)
    found.add_text_field("all", tokenizer_name=_NEUTRAL)
    found.add_text_field("rest", tokenizer_name=_NEUTRAL, index_option="basic")
    found.add_text_field("title", stored=True, tokenizer_name=_NEUTRAL)
    found.add_text_field("anchors", tokenizer_name=_NEUTRAL, index_option="freq")
    found.add_text_field("url", stored=True, tokenizer_name=_NEUTRAL, index_option="freq")
    for name in ("host", "language", "type", "topic"):
        found.add_text_field(
            name, stored=True, fast=True, tokenizer_name="raw", index_option="basic"
        )
    found.add_text_field("site", tokenizer_name="raw", index_option="basic")
    found.add_integer_field("moment", stored=True, indexed=True, fast=True)
    found.add_float_field("rank", fast=True)
    found.add_integer_field("host_id", fast=True)
    found.add_integer_field("copy_id", fast=True)
    found.add_bytes_field("content", stored=True)
    return found.build()


def open_store(path: Path) -> Index:
    """Open the index in a folder, or begin one there."""
    index = Index(schema(), str(path))
    index.register_tokenizer(_NEUTRAL, neutral())
    return index
