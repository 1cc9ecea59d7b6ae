"""No page makes its readers work or grow out of proportion: twice the bytes, twice the work.

Work is counted, not timed: calls of functions, bytes of memory that Python allocates, bytes of
markup that trees have, bytes of JSON that are parsed, bytes of triples.
"""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
import turbohtml
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.analysis.study.main_text import MainTexts
from lycosa.extract.html.trees import SPARE_BYTES
from lycosa.extract.page import scan
from lycosa.extract.structured import ntriples
from lycosa.extract.structured.budget import SPARE_OUTPUT
from lycosa.extract.structured.counts import TOO_COSTLY
from lycosa.extract.structured.distiller import Distiller, Found, Page
from lycosa.fetch.coding._chunks import ChunkReader
from lycosa.fetch.coding.chunks import dechunk
from lycosa_testweb.webs.bombs import BOMBS, Bomb
from seeds import examples

pytestmark = pytest.mark.slow

URL = "http://a.test/"
STRUCTURED = [name for name, bomb in BOMBS.items() if bomb.reader not in ("main-text", "mentions")]


def read(page: bytes, *, is_wide: bool = False) -> Found:
    facts = scan(page, "text/html", wants_wide=is_wide)
    return Distiller().distil(Page(page, URL, "text/html", facts), "b")


class Work(NamedTuple):
    """What reading a page took, in counts that do not depend on the machine."""

    calls: int
    peak_bytes: int
    markup_bytes: int
    json_bytes: int
    triple_bytes: int


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch, counts: dict[str, int]) -> Iterator[None]:
    parse, dumps = turbohtml.parse, json.dumps

    def parse_counted(text: str) -> turbohtml.Document:
        document = parse(text)
        counts["markup"] += len(document.html)
        return document

    def dumps_counted(document: Any, **how: Any) -> str:
        text = dumps(document, **how)
        counts["json"] += len(text)
        return text

    def count_call(frame: object, event: str, argument: object) -> None:
        if event in ("call", "c_call"):
            counts["calls"] += 1

    with monkeypatch.context() as patch:
        patch.setattr(turbohtml, "parse", parse_counted)
        patch.setattr(json, "dumps", dumps_counted)
        sys.setprofile(count_call)
        try:
            yield
        finally:
            sys.setprofile(None)


def work_of(page: bytes, monkeypatch: pytest.MonkeyPatch, *, is_wide: bool = False) -> Work:
    ntriples._checked.cache_clear()
    counts = {"calls": 0, "markup": 0, "json": 0}
    tracemalloc.start()
    try:
        with counted(monkeypatch, counts):
            found = read(page, is_wide=is_wide)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return Work(counts["calls"], peak, counts["markup"], counts["json"], len(found.triples))


OF_BOMBS = Work(20_000, 2_000_000, 500_000, 500_000, 500_000)
"""What any page of some hundred kilobytes takes."""
GRANTED = Work(400_000, 2 * SPARE_BYTES, SPARE_BYTES, SPARE_OUTPUT // 2, SPARE_OUTPUT // 2)
"""What `trees` and `budget` grant to the smallest page: its tree may grow by `SPARE_BYTES`, of
which serialising takes a copy, and a reader may write `SPARE_OUTPUT`. Random pages have few
kilobytes, and some are bombs: up to here their work may grow faster than they do, and not above."""


def assert_linear(small: Work, large: Work, floor: Work) -> None:
    """Twice the input is at most 2.5 times the work, or than the floor."""
    for once, twice, least in zip(small, large, floor, strict=True):
        assert twice <= 2.5 * max(once, least), (small, large)


@pytest.mark.parametrize("name", [name for name in BOMBS if name != "main-text"])
def test_twice_the_bytes_of_a_bomb_take_twice_the_work(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, _, reader = BOMBS[name]
    is_wide = reader == "mentions"
    read(make(1000), is_wide=is_wide)  # imports are not counted
    once, twice = (make(size) for size in (150_000, 300_000))
    small = work_of(once, monkeypatch, is_wide=is_wide)
    assert_linear(small, work_of(twice, monkeypatch, is_wide=is_wide), OF_BOMBS)


def _ends(name: str) -> Found:
    make, size, _ = BOMBS[name]
    return read(make(size))


@pytest.mark.parametrize(
    "name",
    [n for n in STRUCTURED if n not in ("long-base", "adopted", "attributes", "long-schema")],
)
def test_a_bomb_ends_its_reader_and_is_counted(name: str) -> None:
    found = _ends(name)
    assert found.left_out[TOO_COSTLY]
    # The triple that exceeds the room may be the last.
    assert len(found.triples) <= 17 * BOMBS[name].size_bytes + (1 << 20)


def test_a_page_that_is_refused_keeps_its_links() -> None:
    page = BOMBS["formatting"].make(37_000)
    assert scan(page, "text/html").hrefs == ["/next"]


def test_other_forms_of_a_page_with_a_bomb_are_read() -> None:
    bomb = BOMBS["one-context"].make(33_000)
    page = bomb.replace(b"<body", b'<body property="og:title" content="A page"', 1)
    found = read(page)
    assert found.left_out == {TOO_COSTLY: 1}
    assert b'"A page"' in found.triples


def test_a_page_with_formatting_elements_left_open_has_no_main_text() -> None:
    pytest.importorskip("resiliparse")
    texts = MainTexts("resiliparse")
    assert texts.find(BOMBS["main-text"].make(37_000), "text/html") == (None, "too_large")


def test_strings_without_an_end_take_linear_time() -> None:
    # The square of this would be 10^10 steps.
    page = BOMBS["escaped-quotes"].make(200_000)
    assert scan(page, "text/html", wants_wide=True).hrefs == ["/next"]


def test_brackets_behind_an_address_take_linear_time() -> None:
    page = b"<p>see http://a.test/x" + b")" * 400_000
    assert scan(page, "text/html", wants_wide=True).hrefs == ["http://a.test/x"]


def test_chunks_of_one_byte_cost_few_calls() -> None:
    body = b"1\r\na\r\n" * 20_000 + b"0\r\n\r\n"
    counts = {"calls": 0}

    def count_call(frame: object, event: str, argument: object) -> None:
        counts["calls"] += event in ("call", "c_call")

    reader = ChunkReader()
    sys.setprofile(count_call)
    try:
        assert reader.take(body) == len(body)
        content = dechunk(body).content
    finally:
        sys.setprofile(None)
    assert content == b"a" * 20_000
    assert counts["calls"] < 6 * 20_000


PIECES = st.sampled_from(
    [
        *("<p>", "<b>", "<b x=%d>", "<a href=%d>", "<i title='%d'>", "</b>", "</a>", "</p>", "x"),
        *("<table>", "<td>", "</table>", "<object>", "</object>", "<svg>", "</svg>", "<select>"),
        *("<div about=x:%d>", "<div rel='x:%d x:b' inlist>", "<p property=x:%d>", "</div>"),
        *("<p property=x:%d datatype=rdf:XMLLiteral><u>t</u></p>", "<p xmlns:n%d='x:%d'>"),
        *("<p prefix='p%d: x:%d'>", "<i typeof='p1:a p2:b'></i>", "<p vocab='x:%d/'>"),
        *("<div itemscope itemref='r%d r1'>", "<i id=r%d itemprop='x:a x:%d'>v</i>"),
        "<i itemprop>",
        *("<meta property='og:a%d og:b' content='text %d'>", "<link rel='DC.a%d' href='/%d'>"),
        *("<!--", "-->", "<script>", "</script>", "<style>", "</style>", '"', "'", "\\", ">"),
    ]
)


def _repeated(parts: list[tuple[list[str], int]], times: int) -> bytes:
    said = ["<body property=x:a itemscope>"]
    for pieces, share in parts:
        text = "".join(pieces)
        said += [text.replace("%d", f"{n:x}") for n in range(share * times)]
    return "".join(said).encode()


@given(
    st.lists(
        st.tuples(st.lists(PIECES, min_size=1, max_size=3), st.sampled_from([1, 4, 16])),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=examples(50), deadline=None)
def test_what_is_repeated_twice_as_often_takes_twice_the_work(
    parts: list[tuple[list[str], int]],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        small, large = (work_of(_repeated(parts, times), patch) for times in (100, 200))
    assert_linear(small, large, GRANTED)


def test_every_bomb_has_a_size_and_a_reader() -> None:
    for bomb in BOMBS.values():
        assert isinstance(bomb, Bomb)
        assert 0.3 * bomb.size_bytes < len(bomb.make(bomb.size_bytes)) < 1.3 * bomb.size_bytes
