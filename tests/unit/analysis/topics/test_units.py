"""Pages of several topics are cut into pieces, and these put together to units."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from lycosa.analysis.exports.export import Rows, export
from lycosa.analysis.study.sql import asked
from lycosa.analysis.topics.page_topics import classify
from lycosa.analysis.topics.page_units import split_pages
from lycosa.analysis.topics.sections import Piece, pieces_of_page
from lycosa.errors import LycosaError
from lycosa.extract.topics.model import TopicModel
from lycosa.extract.topics.training import train
from lycosa.model.url import key_of
from made_topics import VOCABULARIES, examples, made_texts, sentence
from unit.analysis.study.drawn_crawl import Fetch, write

MANY = "word " * 30


@pytest.fixture(scope="module")
def model() -> TopicModel:
    return train(examples(made_texts(40)))


def text_about(topic: str) -> str:
    return sentence(VOCABULARIES[topic], random.Random(3), 60)


def test_a_page_is_cut_at_its_headings() -> None:
    body = f"<title>No</title><p>{MANY}<H2 id=a>First <b>one</b></H2><p>{MANY}<h3>Second</h3>{MANY}"
    found = pieces_of_page(body.encode(), "text/html")
    assert [piece.heading for piece in found] == ["", "First one", "Second"]
    assert all(len(piece.text.split()) >= 30 for piece in found)
    assert b"No" not in found[0].text


@pytest.mark.parametrize(
    "hidden",
    ["<!-- <h2>no</h2> -->", "<script>'<h2>no</h2>'</script>", "<textarea><h1>no</h1></textarea>"],
)
def test_what_is_no_heading_cuts_nothing(hidden: str) -> None:
    body = f"<h1>Yes</h1>{MANY}{hidden}{MANY}<header>{MANY}</header><hr><sectional>"
    (only,) = pieces_of_page(body.encode(), "text/html")
    assert only.heading == "Yes" and len(only.text.split()) == 91


def test_a_short_section_is_a_part_of_its_neighbour() -> None:
    body = f"<p>menu<h1>Page</h1><h2>Part</h2>{MANY}<h2>Contact</h2>us"
    assert pieces_of_page(body.encode(), None) == [
        Piece("Part", f"menu\nPage\nPart\n{MANY.strip()}\nContact\nus".encode())
    ]


@pytest.mark.parametrize("mark", ["<hr>", "<article class=a>", "<section>"])
def test_other_marks_of_a_new_part_cut_too(mark: str) -> None:
    found = pieces_of_page(f"<h1>Page</h1>{MANY}{mark}{MANY}".encode(), "text/html")
    assert [piece.heading for piece in found] == ["Page", ""]


def test_a_long_part_is_cut_between_its_paragraphs() -> None:
    paragraphs = "".join(f"<p>{MANY}{number}" for number in range(5))
    found = pieces_of_page(f"<h1>Page</h1>{paragraphs}".encode(), "text/html")
    assert [piece.heading for piece in found] == ["Page", ""]
    assert [piece.text.split()[-1] for piece in found] == [b"1", b"4"]


def test_a_page_of_few_words_is_one_piece() -> None:
    assert pieces_of_page(b"<h1>Page</h1><h2>Part</h2>text", None) == [
        Piece("Page", b"Page\nPart\ntext")
    ]


def test_cutting_takes_linear_time() -> None:
    for unclosed in ("<!--", "<script>", "<h1>"):
        pieces_of_page(unclosed.encode() * 20_000, "text/html")


def test_units_of_a_page_have_the_topics_of_their_sections(
    model: TopicModel, tmp_path: Path
) -> None:
    parts = "".join(f"<h2>{t}</h2><p>{text_about(t)}" for t in ("music", "music", "sport", "sport"))
    fetches = [
        Fetch(key_of("http://mixed.test/"), body=f"<html><body>{parts}", depth=1),
        Fetch(key_of("http://whole.test/"), body=f"<h1>songs</h1>{text_about('music')}", depth=1),
    ]
    folder = tmp_path / "crawl"
    write(folder, fetches)
    found = classify(folder, model)
    assert len(found.mixed) == 1
    assert split_pages(folder, model, found.mixed) == 1
    query = "select number, heading, topic, topic_confidence > 0.5 from page_units order by 1"
    with asked(folder, query) as answer:
        assert answer.fetchall() == [(1, "music", "music", True), (2, "sport", "sport", True)]
    target = tmp_path / "music.jsonl"
    export(folder, "text", "jsonl", target, rows=Rows("music", units=True))
    mixed, whole = (json.loads(line) for line in target.read_text(encoding="utf-8").splitlines())
    assert (mixed["url"], mixed["number"], mixed["topic"]) == ("http://mixed.test/", 1, "music")
    assert text_about("music") in mixed["text"] and text_about("sport") not in mixed["text"]
    assert (whole["url"], whole["number"]) == ("http://whole.test/", 0)
    with pytest.raises(LycosaError, match="units are texts of a topic"):
        export(folder, "pages", "jsonl", target, rows=Rows("music", units=True))
