"""The compiled columns and their plain twins say the same about any links."""

from __future__ import annotations

from array import array

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.links import (
    Known,
    Links,
    Reach,
    Rows,
    Target,
    keys_of,
    mask_of,
    outlinks,
    pages_among,
    pure_columns,
    sifted,
    unfollowed,
    unsettled,
)
from lycosa.store.tables.rows import KIND_NAMES, SCHEMAS
from seeds import examples

KINDS = [kind for kind, name in enumerate(KIND_NAMES) if name]
REASONS = ["", "", "", "out-of-scope", "reject:2"]
TEXTS = st.sampled_from(["", "", "a", "b c", "é", "\ud800", "x" * 300]) | st.text(max_size=5)
RELS = st.sampled_from(["", "", "", "nofollow", "a  b", " \r\n x", "ü", "\udfff"])


@st.composite
def links(draw: st.DrawFn) -> Links:
    targets = [
        Target(
            f"org.e:/{number}",
            f"http://e.org/{number}",
            draw(st.integers(0, 2**64 - 1)),
            draw(st.sampled_from(REASONS)),
            draw(st.integers(-1, 2)),
            draw(st.integers(-1, 6)),
        )
        for number in range(draw(st.integers(1, 6)))
    ]
    count = draw(st.integers(0, 20))

    def column(values: st.SearchStrategy[object]) -> list[object]:
        return draw(st.lists(values, min_size=count, max_size=count))

    return Links(
        column(st.sampled_from(targets)),  # type: ignore[arg-type]
        column(st.sampled_from(KINDS)),  # type: ignore[arg-type]
        column(TEXTS),  # type: ignore[arg-type]
        column(RELS),  # type: ignore[arg-type]
        column(st.integers(1, 9)),  # type: ignore[arg-type]
        draw(st.just([]) | st.builds(column, st.just(st.integers(0, 99)))),  # type: ignore[arg-type]
        draw(st.just([]) | st.builds(column, st.just(st.sampled_from(["", "", "nofollow"])))),  # type: ignore[arg-type]
    )


SETS = st.frozensets(st.sampled_from(KINDS))


def columns_of(some: Links) -> tuple[list[object], ...]:
    return (
        [id(target) for target in some.targets],
        list(some.kinds),
        list(some.texts),
        list(some.rels),
        list(some.times),
        list(some.positions) or list(range(len(some.targets))),
    )


@settings(max_examples=examples(150), deadline=None)
@given(links(), SETS)
def test_sifting_equals_its_twin(some: Links, by: frozenset[int]) -> None:
    followed, refused, counts = sifted(some.targets, some, "out-of-scope", mask_of(by))
    twin = pure_columns.sifted(some.targets, some, "out-of-scope", by)
    assert columns_of(Links(*followed)) == columns_of(twin[0])
    assert columns_of(Links(*refused)) == columns_of(twin[1])
    assert Links(*refused).reasons == twin[1].reasons
    assert counts == twin[2]


@settings(max_examples=examples(150), deadline=None)
@given(
    links(),
    st.lists(st.integers(0, 70), max_size=6),
    st.tuples(st.integers(0, 2), st.integers(0, 70), st.integers(0, 70)),
    st.tuples(SETS, SETS),
    st.sets(st.integers(0, 6)),
    st.lists(st.integers(0, 20), min_size=6, max_size=6),
    st.integers(0, 20),
)
def test_what_is_unsettled_equals_its_twin(
    some: Links,
    far: list[int],
    numbers: tuple[int, int, int],
    kinds: tuple[frozenset[int], frozenset[int]],
    parts: set[int],
    few: list[int],
    redirects: int,
) -> None:
    distances, hops = array("H", far), array("B", few[: len(far)])
    masks = mask_of(kinds[0]), mask_of(kinds[1])
    known, reach = Known(numbers[0], distances, hops, parts), Reach(*numbers[1:], redirects)
    found = unsettled(some.targets, some.kinds, known, reach, *masks)
    assert found == pure_columns.unsettled(some, known, reach, *kinds)
    distances.append(1)  # nobody holds on to the arrays
    hops.append(1)


@settings(max_examples=examples(120), deadline=None)
@given(
    links(),
    st.lists(st.sampled_from(["", "", "wide", "never"]), min_size=64, max_size=64),
    st.sampled_from(["", "nofollow"]),
    st.booleans(),
)
def test_what_is_not_followed_equals_its_twin(
    some: Links, by_kind: list[str], nofollow: str, is_nofollow: bool
) -> None:
    rels = [f"{rel} nofollow" if is_nofollow else rel for rel in some.rels]
    found = unfollowed(some.kinds, rels, by_kind, nofollow)
    assert found == pure_columns.unfollowed(some.kinds, rels, by_kind, nofollow)


@settings(max_examples=examples(120), deadline=None)
@given(links())
def test_lines_of_links_equal_their_twin(some: Links) -> None:
    lines = outlinks(some.targets, some.kinds, some.rels, KIND_NAMES)
    assert lines == pure_columns.outlinks(some, KIND_NAMES)


def column_of(column: bytes | tuple[bytes, ...], count: int, kind: pa.DataType) -> pa.Array:
    if isinstance(column, bytes):
        return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(column)])
    *places, ends, content = map(pa.py_buffer, column)
    strings = pa.Array.from_buffers(pa.string(), len(ends) // 4 - 1, [None, ends, content])
    if not places:
        return strings
    assert len(set(strings.to_pylist())) == len(strings)  # Parquet relies on that
    return strings.take(pa.Array.from_buffers(pa.int32(), count, [None, *places]))


@settings(max_examples=examples(120), deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 2**64 - 1),
            st.sampled_from(["http://e.org/", "http://e.org/\ud800"]),
            st.integers(0, 2**64 - 1),
            st.integers(0, 2**62),
            links(),
        ),
        max_size=4,
    )
)
def test_rows_of_links_equal_their_twin(fetches: list[tuple[int, str, int, int, Links]]) -> None:
    rows = Rows(KIND_NAMES)
    for fetch in fetches:
        rows.add(*fetch)
    twin = pure_columns.rows(fetches, KIND_NAMES)
    assert len(rows) == len(twin)
    names, found = SCHEMAS["links"].names, rows.columns()
    numbers = {"position": pa.int32(), "times": pa.int32(), "fetched_at": pa.int64()}
    arrays = [
        column_of(column, len(rows), numbers.get(name, pa.uint64()))
        for name, column in zip(names, found, strict=True)
    ]
    table = pa.Table.from_arrays(arrays, names)
    table.validate(full=True)
    assert [tuple(row.values()) for row in table.to_pylist()] == twin


def test_columns_that_differ_in_length_are_refused() -> None:
    target = Target("org.e:/", "http://e.org/")
    with pytest.raises(ValueError, match="differ in length"):
        sifted([target], Links([], [1], ["a"], [], [1]), "", 0)
    with pytest.raises(ValueError, match="differ in length"):
        sifted([target], Links([], [1], ["a"], [""], [1], [], ["a", "b"]), "", 0)
    with pytest.raises(ValueError, match="differ in length"):
        known = Known(0, array("H"), array("B"), set())
        unsettled([target], [], known, Reach(0, 0, 0), 0, 0)
    with pytest.raises(ValueError, match="differ in length"):
        outlinks([target], [1], [], KIND_NAMES)
    with pytest.raises(ValueError, match="differ in length"):
        Rows(KIND_NAMES).add(1, "", 1, 1, Links([target], [1], ["a"], [""], []))


def test_what_is_no_target_is_refused() -> None:
    with pytest.raises(TypeError):
        sifted(["http://e.org/"], Links([], [1], [""], [""], [1]), "", 0)  # type: ignore[list-item]


@given(st.lists(st.tuples(st.text(max_size=4), st.integers(-1, 2), st.integers(-1, 9)), max_size=8))
def test_keys_and_pages_equal_their_twins(drawn: list[tuple[str, int, int]]) -> None:
    targets = [Target(key, partition=partition, page=page) for key, partition, page in drawn]
    assert keys_of(targets) == pure_columns.keys_of(targets)
    for number in (0, 1):
        assert pages_among(targets, number) == pure_columns.pages_among(targets, number)
