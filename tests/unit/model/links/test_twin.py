"""The compiled columns and their plain twins say the same about any links."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import plain_columns
from lycosa.model.links import (
    Known,
    Links,
    Reach,
    Target,
    Ways,
    keys_of,
    mask_of,
    note_pages,
    outlinks,
    pages_among,
    sifted,
    unfollowed,
)
from lycosa.storage.tables.rows import KIND_NAMES
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


ONE = Target("org.e:/1", "http://e.org/1")
FOLLOWED_ELSEWHERE = Links(
    [ONE, ONE, ONE], [1, 2, 1], ["", "", ""], ["", "", ""], [1, 1, 1], [], ["", "", "nofollow"]
)


@example(FOLLOWED_ELSEWHERE, frozenset())
@settings(max_examples=examples(150), deadline=None)
@given(links(), SETS)
def test_sifting_equals_its_twin(some: Links, by: frozenset[int]) -> None:
    followed, refused, counts = sifted(some.targets, some, "out-of-scope", mask_of(by))
    twin = plain_columns.sifted(some.targets, some, "out-of-scope", by)
    assert columns_of(Links(*followed)) == columns_of(twin[0])
    assert columns_of(Links(*refused)) == columns_of(twin[1])
    assert Links(*refused).reasons == twin[1].reasons
    assert list(counts.items()) == list(twin[2].items()), "the order is that of the log"
    uncounted = sifted(some.targets, some, "out-of-scope", mask_of(by), {"reject:2"})[2]
    assert uncounted == {why: count for why, count in counts.items() if why != "reject:2"}


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
    ways = Ways((masks[0], masks[0]), masks[1], (0, 0), len)
    found = ways.unsettled(some.targets, some.kinds, known, reach)
    assert found == plain_columns.unsettled(some, known, reach, *kinds)
    distances.append(1)  # nobody holds on to the arrays
    hops.append(1)


@st.composite
def new_links(draw: st.DrawFn) -> Links:
    """Links to keys of three sites, some of them with a query."""
    keys = [f"org.{site}:/{name}" for site in "abc" for name in ("x", "y?z", "v;w", "%41")]
    targets = [
        Target(key, partition=draw(st.integers(-1, 2)))
        for key in draw(st.lists(st.sampled_from(keys), min_size=1, max_size=8, unique=True))
    ]
    pairs = draw(st.lists(st.tuples(st.sampled_from(targets), st.sampled_from(KINDS)), max_size=12))
    return Links([target for target, _ in pairs], [kind for _, kind in pairs])


@settings(max_examples=examples(200), deadline=None)
@given(
    new_links(),
    st.data(),
    st.tuples(SETS, SETS, SETS),
    st.tuples(st.integers(0, 70), st.integers(0, 70)),
    st.tuples(st.integers(0, 70), st.integers(0, 70)),
    st.sampled_from(["/", "org.a:/", "org.b:/"]),
    st.booleans(),
)
def test_the_parts_of_links_equal_their_twin(
    some: Links,
    data: st.DataObject,
    kinds: tuple[frozenset[int], frozenset[int], frozenset[int]],
    farthest: tuple[int, int],
    distances: tuple[int, int],
    own_site: str,
    is_led: bool,
) -> None:
    count = len(some.targets)
    places = data.draw(st.lists(st.integers(0, count - 1), unique=True)) if count else []
    originals = {target.key: Target(target.key.partition("?")[0]) for target in some.targets}
    before = [target.partition for target in some.targets]

    def again() -> None:
        for target, partition in zip(some.targets, before, strict=True):
            target.partition = partition
        for target in originals.values():
            target.partition = -1

    lead = (lambda target: originals[target.key]) if is_led else None
    job = plain_columns.Job((kinds[0], kinds[1]), kinds[2], farthest, lambda key: ord(key[4]) % 3)
    masks = [mask_of(some) for some in kinds]
    ways = Ways((masks[0], masks[1]), masks[2], farthest, job.partition_of)
    reach = Reach(*distances, 0)
    expected, deep = plain_columns.parted(some, places, reach, 1, own_site, job, lead)
    owners = [target.partition for target in some.targets]
    again()
    parts, too_deep = ways.parted(some.targets, some.kinds, places, reach, 1, own_site, lead)
    assert too_deep == deep
    assert owners == [target.partition for target in some.targets]
    assert list(parts) == list(expected), "messages are posted in this order"
    for number, entries in expected.items():
        targets, keys, reached, requisites = parts[number]
        assert list(map(id, targets)) == [id(target) for target, _, _ in entries]
        assert keys == [target.key for target, _, _ in entries]
        assert reached == [distance for _, distance, _ in entries]
        assert requisites == [target.key for target, _, is_part in entries if is_part]


def test_pages_are_noted_on_targets_except_those_that_were_guessed() -> None:
    targets = [Target(f"org.e:/{number}", page=7) for number in range(3)]
    note_pages(targets, [-1, 0, 1], array("B", [0, 9]))
    assert [target.page for target in targets] == [-1, 0, -1]
    with pytest.raises(ValueError, match="differ in length"):
        note_pages(targets, [1], array("B"))


def test_a_place_that_no_link_has_is_refused() -> None:
    ways = Ways((0, 0), 0, (9, 9), len)
    with pytest.raises(IndexError):
        ways.parted([Target("org.e:/")], [1], [1], Reach(0, 0, 0), 0, "/", None)


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
    assert found == plain_columns.unfollowed(some.kinds, rels, by_kind, nofollow)


@settings(max_examples=examples(120), deadline=None)
@given(links())
def test_lines_of_links_equal_their_twin(some: Links) -> None:
    lines = outlinks(some.targets, some.kinds, some.rels, KIND_NAMES)
    assert lines == plain_columns.outlinks(some, KIND_NAMES)


def test_columns_that_differ_in_length_are_refused() -> None:
    target = Target("org.e:/", "http://e.org/")
    with pytest.raises(ValueError, match="differ in length"):
        sifted([target], Links([], [1], ["a"], [], [1]), "", 0)
    with pytest.raises(ValueError, match="differ in length"):
        sifted([target], Links([], [1], ["a"], [""], [1], [], ["a", "b"]), "", 0)
    with pytest.raises(ValueError, match="differ in length"):
        known = Known(0, array("H"), array("B"), set())
        Ways((0, 0), 0, (0, 0), len).unsettled([target], [], known, Reach(0, 0, 0))
    with pytest.raises(ValueError, match="differ in length"):
        outlinks([target], [1], [], KIND_NAMES)


def test_what_is_no_target_is_refused() -> None:
    with pytest.raises(TypeError):
        sifted(["http://e.org/"], Links([], [1], [""], [""], [1]), "", 0)  # type: ignore[list-item]


@given(st.lists(st.tuples(st.text(max_size=4), st.integers(-1, 2), st.integers(-1, 9)), max_size=8))
def test_keys_and_pages_equal_their_twins(drawn: list[tuple[str, int, int]]) -> None:
    targets = [Target(key, partition=partition, page=page) for key, partition, page in drawn]
    assert keys_of(targets) == plain_columns.keys_of(targets)
    for number in (0, 1):
        assert pages_among(targets, number) == plain_columns.pages_among(targets, number)
