"""Texts of crawls and folders, and the examples that labels and pools make of them."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lycosa.analysis.topics.examples import from_pools, labelled
from lycosa.analysis.topics.labels import Labels
from lycosa.analysis.topics.pools import Pool, read_pools
from lycosa.analysis.topics.texts import texts_of, texts_of_crawl
from lycosa.errors import LycosaError
from lycosa.extract.topics.model import READ_BYTES
from lycosa.model.url import key_of
from made_topics import made_texts, write_pages
from unit.analysis.study.drawn_crawl import BEGAN, Fetch, write

ONE, TWO = (key_of(f"http://a.test/{number}") for number in (1, 2))


def crawl(folder: Path) -> Path:
    write(folder, [Fetch(ONE, body="old"), Fetch(TWO, body="x")])
    write(folder, [Fetch(ONE, body="new")], BEGAN + 1000, is_sealed=False)
    return folder


def test_the_newest_text_of_every_page_is_read_also_of_open_segments(tmp_path: Path) -> None:
    found = {text.address: text.content for text in texts_of(crawl(tmp_path / "c"))}
    assert sorted(found.values()) == [b"new", b"x"]
    assert len(list(texts_of_crawl(tmp_path / "c", with_old=True))) == 3


def test_rows_from_before_texts_had_urls_get_them_from_the_pages(tmp_path: Path) -> None:
    write(tmp_path / "c", [Fetch(ONE, body="old"), Fetch(TWO, body="x")])
    (path,) = (tmp_path / "c" / "text").glob("*.parquet")
    pq.write_table(pq.read_table(path).drop_columns(["url", "title", "language"]), path)
    found = {text.address: text.content for text in texts_of(tmp_path / "c")}
    assert found == {"http://a.test/1": b"old", "http://a.test/2": b"x"}


def test_a_folder_gives_the_pages_below_it_by_their_paths(tmp_path: Path) -> None:
    write_pages(tmp_path, made_texts(2, ["biology"]))
    (tmp_path / "picture.png").write_bytes(b"no page")
    long = tmp_path / "long.htm"
    long.write_text(f"<title>L</title>{'word ' * 5000}", encoding="utf-8")
    found = {text.address: text for text in texts_of(tmp_path)}
    assert sorted(found) == ["biology/0.html", "biology/1.html", "long.htm"]
    assert found["biology/0.html"].title == "Page 0"
    assert len(found["long.htm"].content) == READ_BYTES


def test_a_folder_without_pages_and_a_folder_that_is_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LycosaError, match="holds no text of a page"):
        list(texts_of(tmp_path))
    with pytest.raises(LycosaError, match="is not a folder"):
        list(texts_of(tmp_path / "nowhere"))


def test_labels_make_examples_of_a_crawl_by_url(tmp_path: Path) -> None:
    urls = [text.address for text in texts_of(crawl(tmp_path / "c"))]
    labels: Labels = {
        urls[0].replace("http:", "HTTP:"): ("science.biology",),
        "http://gone.test/": ("x",),
    }
    found = labelled([tmp_path / "c"], labels, level=1)
    assert [one.topics for one in found.examples] == [("science",)]
    assert (found.addresses, found.missing) == ([urls[0]], 1)


def test_labels_of_other_pages_are_an_error_that_shows_both_names(tmp_path: Path) -> None:
    write_pages(tmp_path, made_texts(1, ["biology"]))
    with pytest.raises(LycosaError) as error:
        labelled([tmp_path], {"elsewhere/1.html": ("x",)})
    assert "'elsewhere/1.html'" in str(error.value) and "'biology/0.html'" in str(error.value)


def test_pools_make_examples_of_their_files_and_of_the_pages_they_list(tmp_path: Path) -> None:
    write_pages(tmp_path, made_texts(2, ["biology"]))
    texts = made_texts(2, ["music"])
    pools = [*read_pools(tmp_path), Pool("music", urls=(texts[1].address,))]
    found = from_pools(pools, texts)
    assert sorted(one.topics for one in found.values()) == [("biology",), ("biology",), ("music",)]
    assert texts[1].address in found
