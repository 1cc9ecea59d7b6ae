"""Figures: well-formed, within their frame, and saying what they are given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.analysis.charts import (
    AgainstChance,
    Axis,
    Band,
    Bar,
    Bars,
    BowTie,
    Calibration,
    CalibrationPoint,
    Column,
    Columns,
    Confusion,
    Curve,
    Curves,
    Figure,
    Line,
    Mark,
    Part,
    Scatter,
    Series,
    Shares,
)
from lycosa.analysis.charts.canvas import SMALL, fitted, text_width
from seeds import examples

HOSTILE = "\"><script>alert('x')</script>&\N{RIGHT-TO-LEFT OVERRIDE}\0]]>"
WIDTHS = (680, 328)
SVG = "{http://www.w3.org/2000/svg}"


def figures(text: str = "name") -> list[Figure]:
    points = [(1.0, 1.0), (3.0, 0.2), (900.0, 0.001)]
    return [
        Bars(text, text, [Bar(text, 400, "400"), Bar("b", 0, "0"), Bar(text * 50, 1, text)]),
        Columns(text, text, text, text, [Column(text, 3), Column("1", 0)], mark=Mark(1, text)),
        Scatter(
            text,
            text,
            Axis(text),
            Axis(text),
            [Series(text, points), Series("b", points, is_hollow=True)],
            [Line(text, points)],
        ),
        Shares(text, text, [Part(text, 5), Part("b", 0), Part("c", 1)]),
        BowTie(text, text, {"scc": 10, "in": 3, "out": 0, "tendril": 1, "island": 2}),
        Confusion(text, text, [text, "b", text * 50], [[9, 1, 0], [0, 0, 0], [3, 0, 1200]]),
        AgainstChance(text, text, [text, "b", text * 50], [[9, 1, 0], [None, 0.5, 2], [3, 1, 400]]),
        Curves(
            text,
            text,
            text,
            text,
            [Curve(text, [(1, 0), (50, 1)]), Curve("b", [(1, 0.5)])],
            Band(text, [(1, 0, 0.2), (50, 0.9, 1)]),
        ),
        Calibration(text, f"{text}", [CalibrationPoint(0.5, 0.4, 9), CalibrationPoint(1, 1, 9)]),
    ]


def drawn(figure: Figure, width: int) -> ElementTree.Element:
    return ElementTree.fromstring(figure.draw(width, "figure-1"))


def texts(root: ElementTree.Element) -> str:
    return " ".join(root.itertext())


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("figure", figures(), ids=lambda figure: type(figure).__name__)
def test_a_figure_tells_readers_of_screens_what_it_is(figure: Figure, width: int) -> None:
    root = drawn(figure, width)
    named = (root.get("aria-labelledby") or "").split()
    found = {child.get("id"): child for child in root if child.get("id")}
    assert [found[name].tag for name in named] == [f"{SVG}title", f"{SVG}desc"]
    assert found[named[0]].text == "name"
    assert root.get("viewBox", "").startswith(f"0 0 {width} ")
    assert root.get("width") is None


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("figure", figures(HOSTILE), ids=lambda figure: type(figure).__name__)
def test_no_text_becomes_markup(figure: Figure, width: int) -> None:
    svg = figure.draw(width, "figure-1")
    root = ElementTree.fromstring(svg)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "rect", "circle", "path", "text", "tspan"}
    assert "<script" not in svg
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in svg
    assert "alert" in texts(root)


NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")


def places(root: ElementTree.Element) -> Iterator[tuple[float, float]]:
    """Yield where shapes and texts begin."""
    for element in root.iter():
        if element.tag in (f"{SVG}rect", f"{SVG}text"):
            yield float(element.get("x", "0")), float(element.get("y", "0"))
        if element.tag == f"{SVG}rect":
            x, y = float(element.get("x", "0")), float(element.get("y", "0"))
            yield x + float(element.get("width", "0")), y + float(element.get("height", "0"))
        if element.tag == f"{SVG}circle":
            yield float(element.get("cx", "0")), float(element.get("cy", "0"))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("figure", figures(), ids=lambda figure: type(figure).__name__)
def test_everything_is_within_the_frame(figure: Figure, width: int) -> None:
    root = drawn(figure, width)
    height = float(root.get("viewBox", "").split()[3])
    for x, y in places(root):
        assert -0.5 <= x <= width + 0.5
        assert -0.5 <= y <= height + 0.5


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("last_edge", ["11 min 15 s", ""])
def test_long_names_of_columns_are_whole_and_apart(last_edge: str, width: int) -> None:
    names = ["11 min 15 s", "11 min 16 s", "11 min 17 s", *"abcdefghijklmnopqrst"]
    columns = [Column(name, 9) for name in names]
    root = drawn(Columns("", "", "", "", columns, last_edge=last_edge), width)
    ends = []
    for text in root.iter(f"{SVG}text"):
        if text.text in names:
            half = text_width(text.text or "", SMALL) / 2
            ends.append((float(text.get("x", "0")) - half, float(text.get("x", "0")) + half))
    assert len(ends) > 2 and ends[0][0] > -0.1 and ends[-1][1] < width + 0.1
    assert all(before[1] < after[0] for before, after in pairwise(ends))


def test_bars_are_as_long_as_their_numbers() -> None:
    bars = Bars("", "", [Bar("a", 100, "100"), Bar("b", 50, "50"), Bar("c", 0, "0")])
    lengths = [float(e.get("width", "0")) for e in drawn(bars, 680).iter(f"{SVG}rect")]
    assert lengths[1] == pytest.approx(lengths[0] / 2, abs=0.1)
    assert lengths[2] == 0


def test_columns_are_as_high_as_their_numbers() -> None:
    columns = Columns("", "", "", "", [Column("a", 80), Column("b", 40)])
    heights = [float(e.get("height", "0")) for e in drawn(columns, 680).iter(f"{SVG}rect")]
    assert heights[1] == pytest.approx(heights[0] / 2, abs=0.1)


def test_shares_fill_the_width() -> None:
    shares = Shares("", "", [Part("a", 75), Part("b", 25)])
    first, second = [e for e in drawn(shares, 680).iter(f"{SVG}rect") if e.get("y") == "0.0"]
    assert float(second.get("x", "0")) == pytest.approx(510)
    assert float(first.get("width", "0")) == pytest.approx(509)


def test_points_fall_where_their_logarithms_say() -> None:
    points = [(1.0, 1.0), (10.0, 0.1), (100.0, 0.01)]
    scatter = Scatter("", "", Axis("x"), Axis("y"), [Series("s", points)])
    xs, ys = zip(
        *(
            (float(e.get("cx", "0")), float(e.get("cy", "0")))
            for e in drawn(scatter, 680).iter(f"{SVG}circle")
        ),
        strict=True,
    )
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.2)
    assert ys[1] - ys[0] == pytest.approx(ys[2] - ys[1], abs=0.2)
    assert xs[0] < xs[2] and ys[0] < ys[2]


@settings(max_examples=examples(60), deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["scc", "in", "out", "tube", "tendril", "island"]), st.integers(0, 10**7)
    ).filter(lambda parts: sum(parts.values()) > 0),
    st.sampled_from(WIDTHS),
)
def test_every_bow_tie_can_be_drawn_and_says_its_numbers(parts: dict[str, int], width: int) -> None:
    root = drawn(BowTie("t", "c", parts), width)
    told = texts(root)
    assert all(f"{number:,}" in told for number in parts.values())


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(1e-9, 1e9), st.floats(1e-9, 1)), min_size=1, max_size=60, unique=True
    ).map(sorted)
)
def test_any_points_can_be_drawn(points: list[tuple[float, float]]) -> None:
    root = drawn(Scatter("t", "c", Axis("x"), Axis("y"), [Series("s", points)]), 680)
    assert 1 <= len(list(root.iter(f"{SVG}circle"))) <= len(points) + 1


def test_of_very_many_points_those_are_drawn_that_can_be_told_apart() -> None:
    points = [(float(n), 1.0 / n) for n in range(1, 20_001)]
    root = drawn(Scatter("t", "c", Axis("x"), Axis("y"), [Series("s", points)]), 680)
    circles = [float(e.get("cx", "0")) for e in root.iter(f"{SVG}circle")]
    assert 100 < len(circles) < 500
    assert circles == sorted(circles)
    assert circles[0] < 80 and circles[-1] > 560


@settings(deadline=None)
@given(st.text(max_size=200), st.floats(30, 400))
def test_names_are_cut_to_the_room_there_is(name: str, room: float) -> None:
    assert text_width(fitted(name, room)) <= max(room, 30)


def test_a_curve_runs_from_nothing_at_the_left_to_all_at_the_right() -> None:
    curves = Curves("", "", "", "", [Curve("c", [(0, 0.0), (50, 0.5), (100, 1.0)])])
    way = max((e.get("d", "") for e in drawn(curves, 680).iter(f"{SVG}path")), key=len)
    (x0, y0), (x1, y1), (x2, y2) = (
        (float(x), float(y)) for x, y in map(str.split, way[1:].split("L"))
    )
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.2) and x0 < x2
    assert y0 - y1 == pytest.approx(y1 - y2, abs=0.2) and y0 > y2


def test_links_above_chance_are_blue_and_below_orange_and_as_many_topics_as_fit_are_drawn() -> None:
    few = drawn(AgainstChance("", "", ["a", "b"], [[4, 0.25], [None, 1]]), 680)
    fills = [e.get("fill") or "" for e in few.iter(f"{SVG}rect") if len(e)]
    blue, orange, unknown, chance = (tuple(bytes.fromhex(fill[1:])) for fill in fills)
    assert blue[2] > blue[0] and orange[0] > orange[2] and unknown == chance == (255, 255, 255)
    names = [f"topic {number}" for number in range(40)]
    many = AgainstChance("", "", names, [[1.0] * 40] * 40)
    assert "topic 39" not in texts(drawn(many, 328)) and "more topics" in texts(drawn(many, 328))
