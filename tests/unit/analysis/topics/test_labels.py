"""Labels are read from tabs and commas, written whole, and wrong lines are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.analysis.topics.labelling import Labelling
from lycosa.analysis.topics.labels import read_labels, write_labels
from lycosa.errors import ConfigError
from made_topics import made_texts

LABELS = {"http://a.test/1": ("biology", "music"), "b, c/2.html": ("other",)}


@pytest.mark.parametrize("name", ["labels.tsv", "labels.csv", "labels"])
def test_what_is_written_is_read_back(name: str, tmp_path: Path) -> None:
    write_labels(tmp_path / name, LABELS)
    assert read_labels(tmp_path / name) == LABELS


def test_tabs_commas_headings_and_comments_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "l.tsv"
    path.write_text("url\ttopic\n# mine\na\tx, y\nb\tx\ty\n\na\tx,y\n", encoding="utf-8")
    assert read_labels(path) == {"a": ("x", "y"), "b": ("x", "y")}


def test_a_heading_turns_the_columns_as_in_pools(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    path.write_text("topic,url\nx,a\ny,b\n", encoding="utf-8")
    assert read_labels(path) == {"a": ("x",), "b": ("y",)}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.tsv", "x\ta\ny\n", "a.tsv:2: y has no topic\n  write the topic after a tab"),
        ("b.csv", "x,a\ny,\n", "b.csv:2: y has no topic\n  write the topic after a comma"),
        ("c.tsv", "x\ta\nx\tb\n", "c.tsv:2: x has other topics in line 1"),
        ("d.tsv", "x\tmy topic\n", "d.tsv:1: `my topic` is not a name of a topic"),
        ("e.csv", 'x,"a\n', "e.csv:1: is not CSV"),
    ],
)
def test_a_wrong_line_is_named(name: str, text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        read_labels(tmp_path / name)
    assert said in str(error.value)


def test_every_answer_is_written_at_once_and_can_be_undone(tmp_path: Path) -> None:
    texts, file = made_texts(3), tmp_path / "labels.tsv"
    course = Labelling(texts, file)
    first = course.current
    assert first is not None
    course.choose(("biology",))
    assert read_labels(file) == {first.address: ("biology",)}
    course.skip()
    assert course.undo() and course.undo() and not course.undo()
    assert read_labels(file) == {} and course.current == first


def test_labelling_is_taken_up_where_it_was_left(tmp_path: Path) -> None:
    texts, file = made_texts(3), tmp_path / "labels.tsv"
    course = Labelling(texts, file)
    course.choose(("music",))
    course.choose(("sport",))
    following = course.current
    again = Labelling(list(reversed(texts)), file)
    assert (again.current, again.left, len(again.labels)) == (following, 7, 2)
