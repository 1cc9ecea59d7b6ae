"""Rows on their way into an open table: their bytes are those that Arrow writes for them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.model.links import Links, Target
from lycosa.model.records import Answer, Capture, Item, Outcome, Purpose, Request
from lycosa.storage.segments.survey import journal_batches
from lycosa.storage.tables._rows import LinkRows, Pending
from lycosa.storage.tables.rows import CODES, JOURNAL_SCHEMAS, KIND_NAMES, Row, plain
from seeds import examples
from unit.storage.tables import pure_rows

TEXTS = st.text(st.characters(), max_size=12) | st.sampled_from(["", "\ud800", "a\udfffb"])
"""Lone surrogates are among them: pages of the web have such."""
IDS = st.integers(0, 2**64 - 1)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "Q": IDS,
    "q": st.integers(-(2**63), 2**63 - 1),
    "i": st.integers(-(2**31), 2**31 - 1),
    "h": st.integers(-(2**15), 2**15 - 1),
    "?": st.booleans(),
    "s": TEXTS,
}
CALENDAR = st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999)
"""Of the years 1 to 9999: a reader takes others for damage."""


def rows_of(kind: str, least: int = 1) -> st.SearchStrategy[list[Row]]:
    """Draw rows of a table any value of which may be missing."""
    fields = JOURNAL_SCHEMAS[kind]
    values = [
        st.none() | (CALENDAR if pa.types.is_timestamp(field.type) else VALUES[chr(code)])
        for code, field in zip(CODES[kind], fields, strict=True)
    ]
    return st.lists(st.tuples(*values), min_size=least, max_size=20)


def unsigned_taken_as_signed(kind: str, row: Row) -> Row:
    """Return a row as Arrow's own conversion takes it."""
    return tuple(
        value - (1 << 64) if code == ord("Q") and value is not None and value >> 63 else value
        for code, value in zip(CODES[kind], row, strict=True)
    )


def add(pending: Pending, kind: str, row: Row) -> None:
    {"pages": pending.add_page, "hosts": pending.add_host, "text": pending.add_text}[kind](row)


@pytest.mark.parametrize("kind", ["pages", "hosts", "text"])
@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_rows_are_written_as_arrow_writes_them(kind: str, data: st.DataObject) -> None:
    rows = data.draw(rows_of(kind))
    pending = Pending()
    for row in rows:
        add(pending, kind, row)
    expected = [unsigned_taken_as_signed(kind, row) for row in rows]
    assert pending.messages() == {kind: [pure_rows.message(kind, expected)]}


WRONG = {"Q": 2**64, "q": 2**63, "i": 2**31, "h": 2**15, "s": 7}


@pytest.mark.parametrize("kind", ["pages", "hosts", "text"])
@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_a_row_that_fails_leaves_nothing_behind(kind: str, data: st.DataObject) -> None:
    rows, others = data.draw(rows_of(kind)), data.draw(rows_of(kind))
    columns = [at for at, code in enumerate(CODES[kind]) if chr(code) in WRONG]
    pending = Pending()
    for row in rows:
        add(pending, kind, row)
    for row in others:
        at = data.draw(st.sampled_from(columns))
        wrong = (*row[:at], WRONG[chr(CODES[kind][at])], *row[at + 1 :])
        with pytest.raises((OverflowError, TypeError)):
            add(pending, kind, wrong)
        with pytest.raises(ValueError, match="fewer values"):
            add(pending, kind, row[:at])
        with pytest.raises(ValueError, match="more values"):
            add(pending, kind, (*row, None))
        add(pending, kind, row)
    expected = [unsigned_taken_as_signed(kind, row) for row in rows + others]
    assert pending.messages() == {kind: [pure_rows.message(kind, expected)]}


def test_nothing_is_written_of_no_rows() -> None:
    assert Pending().messages() == {}


KINDS = [number for number, name in enumerate(KIND_NAMES) if name]


@st.composite
def page_links(draw: st.DrawFn) -> Links:
    """Draw links; many lead to the same targets."""
    known = draw(
        st.lists(st.builds(Target, st.just("org.e:/"), TEXTS, IDS), min_size=1, max_size=4)
    )
    targets = draw(st.lists(st.sampled_from(known), max_size=8))
    count = len(targets)

    def column(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=count, max_size=count))

    return Links(
        targets,
        column(st.sampled_from(KINDS)),
        column(TEXTS),
        column(TEXTS),
        column(st.integers(1, 2**31 - 1)),
        column(st.integers(0, 2**31 - 2)) if draw(st.booleans()) else [],
        column(TEXTS) if draw(st.booleans()) else [],
    )


LINKS = page_links()
FETCHES = st.lists(st.tuples(IDS, TEXTS, IDS, st.integers(0, 2**62), LINKS), max_size=5)


MOMENT = JOURNAL_SCHEMAS["links"].field("fetched_at").type


def links_stream(messages: list[bytes]) -> bytes:
    return b"".join([JOURNAL_SCHEMAS["links"].serialize().to_pybytes(), *messages])


@settings(max_examples=examples(60), deadline=None)
@given(FETCHES)
def test_links_are_written_as_arrow_writes_them(
    fetches: list[tuple[int, str, int, int, Links]],
) -> None:
    rows = LinkRows(KIND_NAMES)
    for fetch in fetches:
        rows.add(*fetch)
    assert len(rows) == sum(len(links.kinds) for *_, links in fetches)
    if not rows:
        return
    written = links_stream(rows.messages())
    batch = pa.ipc.open_stream(written).read_next_batch()
    batch.validate(full=True)
    for column in batch.columns:
        if pa.types.is_dictionary(column.type):  # Parquet relies on strings that differ
            assert len(set(column.dictionary.to_pylist())) == len(column.dictionary)
    numbers = [
        column.cast(pa.int64()) if column.type == MOMENT else column for column in plain(batch)
    ]
    assert list(zip(*(column.to_pylist() for column in numbers), strict=True)) == list(
        pure_rows.link_rows(fetches)
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    end = 8  # the mark at the end of a stream: an open table has none
    assert written == sink.getvalue().to_pybytes()[:-end]


def test_links_that_fail_leave_nothing_behind() -> None:
    good = Links([Target("org.e:/", "http://e.org/", 7)], [1], ["a"], ["b"], [1])
    one, two = LinkRows(KIND_NAMES), LinkRows(KIND_NAMES)
    one.add(1, "http://e.org/", 1, 1, good)
    for wrong in (
        Links([Target("org.e:/", "http://e.org/", 7)] * 2, [1, 1], ["a", 7], ["b", "b"], [1, 1]),  # type: ignore[list-item]
        Links([Target("org.e:/", "http://e.org/", 7)], [1], ["a"], ["b"], [1 << 40]),
    ):
        with pytest.raises((TypeError, OverflowError)):
            one.add(1, "http://e.org/", 1, 1, wrong)
    one.add(2, "http://e.org/", 2, 2, good)
    two.add(1, "http://e.org/", 1, 1, good)
    two.add(2, "http://e.org/", 2, 2, good)
    assert one.messages() == two.messages()


def test_links_whose_columns_differ_in_length_are_refused() -> None:
    target = Target("org.e:/", "http://e.org/")
    for links in (
        Links([target], [1], ["a"], [""], []),
        Links([target], [1], [], [""], [1]),
        Links([target], [1], ["a"], [""], [1], [], ["a", "b"]),
    ):
        with pytest.raises(ValueError, match="differ in length"):
            LinkRows(KIND_NAMES).add(1, "", 1, 1, links)


KEYS = ["org.e:/", "org.e:s8443/x", "org.e.www:/y", "[::1]:81/x", "127.0.0.1:/", "org.ex:/"]
HEADERS = [(), (("Content-Type", "text/html"),), (("X", "y"), ("Location", "/there"))]
MOMENTS = st.floats(0, 4e9)


@st.composite
def captures(draw: st.DrawFn) -> Capture:
    key = draw(st.sampled_from(KEYS))
    purpose = draw(st.sampled_from(Purpose))
    headers = draw(st.sampled_from(HEADERS))
    by_name = {name.lower(): value for name, value in headers}
    answer = Answer(
        draw(st.integers(0, 599)),
        headers,
        draw(st.binary(max_size=4)),
        draw(MOMENTS),
        draw(MOMENTS),
        truncated=draw(st.booleans()),
        by_name=by_name if draw(st.booleans()) else None,
    )
    return Capture(
        key,
        purpose,
        draw(st.sampled_from(Outcome)),
        draw(st.integers(0, 9)),
        Request("http://e.org/" + draw(TEXTS), "e.org", "192.0.2.1", purpose, "", 1),
        answer,
        draw(LINKS),
        draw(TEXTS),
        draw(TEXTS),
        draw(st.text(max_size=9)).encode("utf-8", "replace"),
        draw(TEXTS),
        draw(TEXTS),
        draw(st.integers(-(2**63), 2**64 - 1)),
        draw(st.sampled_from(["", "sibling"])),
        triples=draw(st.sampled_from([None, b""])),
        refused_links=draw(LINKS),
        is_noindex=draw(st.booleans()),
        is_noarchive=draw(st.booleans()),
        is_withheld=draw(st.booleans()),
        source_id=draw(IDS),
        is_after_redirect=draw(st.booleans()),
        unread=draw(st.sampled_from(["", "links"])),
        items=draw(st.sampled_from([(), (Item("a", "{}"),) * 2, (Item("", "0" * 16),)])),
    )


EXCHANGES = st.tuples(
    captures(),
    st.sampled_from([None, "", "response", "revisit"]),
    st.none() | TEXTS,
    st.booleans(),
    st.tuples(*[st.integers(0, 2**40)] * 4),
)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(EXCHANGES, min_size=1, max_size=6))
def test_rows_of_an_exchange_are_those_of_its_twin(
    exchanges: list[tuple[Capture, str | None, str | None, bool, tuple[int, ...]]],
) -> None:
    found, expected = Pending("file.warc.gz"), Pending()
    for capture, kind, digest, is_changed, places in exchanges:
        found.add(capture, kind, digest, is_changed, *places)
        row = pure_rows.fetch_row(capture, kind, digest, "file.warc.gz", places)
        if capture.purpose is Purpose.ROBOTS:
            expected.add_host(row)
            continue
        facts = pure_rows.facts_row(capture, is_changed)
        expected.add_page(row + facts)
        link_rows, text_rows = facts[-5:-3]
        if link_rows:
            for links in (capture.links, capture.refused_links):
                expected.links.add(row[0], row[4], row[1], row[2], links)
        if text_rows:
            expected.add_text(pure_rows.text_row(capture))
    assert found.messages() == expected.messages()


def test_what_is_no_capture_is_refused() -> None:
    with pytest.raises(TypeError):
        Pending().add("page", None, None, True, 0, 0, 0, 0)  # type: ignore[arg-type]


def test_values_of_plugins_must_be_those_of_the_segments_columns() -> None:
    request = Request("http://e.org/", "e.org", "192.0.2.1", Purpose.PAGE, "", 1)
    page = Capture(
        "org.e:/", Purpose.PAGE, Outcome.KEPT, 0, request, Answer(410, (), b"", 1.0, 2.0)
    )
    pending = Pending("", 2)
    pending.add(page, None, None, True, 0, 0, 0, 0)
    assert pending.extra == [(None, None)]
    with pytest.raises(ValueError, match="columns of plugins"):
        Pending().add(
            Capture(*(page.key, page.purpose, page.outcome, 0, request, page.answer), extra=(1,)),
            *(None, None, True, 0, 0, 0, 0),
        )


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(rows_of("hosts"), min_size=1, max_size=4), st.data())
def test_a_table_cut_anywhere_has_the_flushes_before_the_cut(
    flushes: list[list[Row]], data: st.DataObject
) -> None:
    written = JOURNAL_SCHEMAS["hosts"].serialize().to_pybytes()
    ends = [len(written)]
    for rows in flushes:
        pending = Pending()
        for row in rows:
            pending.add_host(row)
        written = b"".join([written, *pending.messages()["hosts"]])
        ends.append(len(written))
    cut = data.draw(st.integers(ends[0], ends[-1]))
    whole = sum(end <= cut for end in ends[1:])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hosts.arrows"
        path.write_bytes(written[:cut])
        found = [len(batch) for batch in journal_batches(path)]
    assert found == [len(rows) for rows in flushes[:whole]]


@settings(max_examples=examples(100), deadline=None)
@given(rows_of("pages"), st.data())
def test_a_changed_byte_of_a_table_never_crosses_the_end_of_its_rows(
    rows: list[Row], data: st.DataObject
) -> None:
    pending = Pending()
    for row in rows:
        pending.add_page(row)
    written = bytearray(JOURNAL_SCHEMAS["pages"].serialize().to_pybytes())
    begin = len(written)
    written += b"".join(pending.messages()["pages"])
    written[data.draw(st.integers(begin, len(written) - 1))] ^= data.draw(st.integers(1, 255))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pages.arrows"
        path.write_bytes(written)
        for batch in journal_batches(path):  # what is read is looked through first
            assert all(len(values(column)) == len(batch) for column in batch.columns)


def values(column: pa.Array) -> list[object]:
    """Return the values of a column; moments as numbers, since no date is before the year 1."""
    is_moment = pa.types.is_timestamp(column.type)
    found: list[object] = (column.view(pa.int64()) if is_moment else column).to_pylist()
    return found
