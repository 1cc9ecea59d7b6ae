"""Main texts, as a user asks for them: by the engine of the index, and by that of corpora."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from integration.small_servers import serving_site
from lycosa.analysis.exports.export import Rows, export
from warm import lycosa

_STORY = " ".join(f"Sentence {n} of a story about wolf spiders and their young." for n in range(30))
ARTICLE = (
    "<html><head><title>Spiders</title></head><body>"
    "<nav><ul><li><a href=/menu>Menu of prices</a></li></ul></nav>"
    f"<article><h1>Spiders</h1><p>{_STORY}</p><p>{_STORY}</p></article>"
    "<footer><p>Imprint and cookies</p></footer></body></html>"
)
MENU = "<html><body><nav><a href=/>Home alone</a></nav></body></html>"


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("main") / "crawl"
    pages = {"/": (200, ARTICLE), "/menu": (200, MENU)}
    with serving_site(lambda path: pages.get(path, (404, ""))) as port:
        done = lycosa("crawl", f"http://127.0.0.1:{port}/", "-o", folder, "--quiet", "--delay", "0")
        assert done.returncode == 0, done.stderr
    return folder


def texts_of(path: Path) -> dict[bool, dict[str, str]]:
    return {"wolf" in row["text"]: row for row in pq.read_table(path).to_pylist()}


def test_an_export_of_main_texts_says_by_which_library(crawl: Path, tmp_path: Path) -> None:
    target = tmp_path / "texts.parquet"
    done = lycosa("export", "text", crawl, "--main", "--format", "parquet", "-o", target)
    assert done.returncode == 0, done.stderr
    assert "main texts by trafilatura 2." in done.stderr
    found = texts_of(target)[True]
    assert found["main_by"].startswith("trafilatura 2.")
    assert "story about wolf spiders" in found["text"]
    assert "Imprint" not in found["text"] and "Menu" not in found["text"]
    plain = tmp_path / "plain.parquet"
    assert lycosa("export", "text", crawl, "--format", "parquet", "-o", plain).returncode == 0
    whole = texts_of(plain)[True]
    assert "Imprint" in whole["text"] and "main_by" not in whole
    refused = lycosa("export", "pages", crawl, "--main")
    assert refused.returncode and "`pages` has no main texts" in refused.stderr


def test_an_export_tells_how_far_it_is(crawl: Path, tmp_path: Path) -> None:
    shutil.rmtree(crawl / "index" / "main_text", ignore_errors=True)
    told: list[tuple[int, int]] = []
    target = tmp_path / "texts.csv"
    main = Rows(is_main=True)
    export(crawl, "text", "csv", target, rows=main, on_segment=lambda *n: told.append(n))
    assert told[-1] == (1, 1)


def test_each_engine_keeps_its_own_files_and_verify_knows_them(crawl: Path, tmp_path: Path) -> None:
    old = crawl / "index" / "main_text" / "lycosa-0-00001.parquet"
    old.parent.mkdir(parents=True, exist_ok=True)
    old.write_bytes(b"of a version that had one engine")
    told = json.loads(lycosa("index", crawl, "--only", "text", "--json").stdout)
    assert sum(told["main_texts"].values()) == 2 and told["main_texts"]["found"] >= 1
    asked = ("--main", "--format", "jsonl", "-o", tmp_path / "texts.jsonl")
    assert lycosa("export", "text", crawl, *asked).returncode == 0
    made = {path.parent.name for path in (crawl / "index" / "main_text").rglob("*.parquet")}
    assert made == {"resiliparse", "trafilatura"}
    assert lycosa("verify", crawl).returncode == 0
    settings = crawl / "crawl.toml"
    settings.write_text(re.sub("(?m)^.*main_text =.*$", "", settings.read_text()))
    chosen = '[extract]\nmain_text = "trafilatura"\n'
    settings.write_text(settings.read_text().replace("[extract]\n", chosen))
    done = lycosa("index", crawl, "--only", "text", "--json")
    assert done.returncode == 0, done.stderr
    again = json.loads(done.stdout)["text"]
    assert again["is_anew"], "an index with other main texts is made anew"
