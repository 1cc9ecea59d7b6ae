"""The picture of a model: one figure of two parts, as SVG and as PDF."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from lycosa.analysis.charts.model_picture import model_picture, write_picture
from lycosa.errors import LycosaError

SVG = "{http://www.w3.org/2000/svg}"
GROUPS = [(0.5, 0.4, 10), (0.9, 0.95, 10)]


def drawn(topics: int) -> ElementTree.Element:
    names = [f"topic_{number}" for number in range(topics)]
    counts = [[10 * (row == column) for column in range(topics)] for row in range(topics)]
    return ElementTree.fromstring(model_picture("m", "all right", names, counts, GROUPS))


def test_every_topic_and_every_group_is_drawn() -> None:
    root = drawn(3)
    said = [element.text for element in root.iter(f"{SVG}text")]
    assert {"m", "all right", "topic_0", "topic_1", "topic_2", "confidence"} <= set(said)
    assert said.count("10") == 3
    assert len(list(root.iter(f"{SVG}circle"))) == len(GROUPS)


def test_cells_of_many_topics_stay_readable() -> None:
    width = float(drawn(60).attrib["viewBox"].split()[2])
    assert width > 60 * 24 > float(drawn(3).attrib["viewBox"].split()[2])


def test_a_darker_cell_is_a_larger_share() -> None:
    svg = model_picture("m", "", ["a", "b"], [[9, 1], [5, 5]], GROUPS)
    fills = [
        element.attrib["fill"]
        for element in ElementTree.fromstring(svg).iter(f"{SVG}rect")
        if element.find(f"{SVG}title") is not None
    ]
    depth = [sum(int(fill[at : at + 2], 16) for at in (1, 3, 5)) for fill in fills]
    assert depth[0] < depth[2] == depth[3] < depth[1]


def test_the_name_of_the_file_says_the_format(tmp_path: Path) -> None:
    svg = model_picture("m", "", ["a"], [[1]], GROUPS)
    write_picture(tmp_path / "m.svg", svg)
    write_picture(tmp_path / "m.pdf", svg)
    assert (tmp_path / "m.svg").read_text(encoding="utf-8") == svg
    assert (tmp_path / "m.pdf").read_bytes().startswith(b"%PDF-")
    with pytest.raises(LycosaError, match=r"written as \.svg or \.pdf\n  choose: --picture \S+svg"):
        write_picture(tmp_path / "m.png", svg)
