"""`compare` as a user types it: two crawls of a site, and two moments of one."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from garden import crawled
from lycosa.storage.archive.reader import table
from lycosa_testweb.webs.faulty_site import HOME, SHOP
from warm import lycosa


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    for garden in crawled(tmp_path_factory.mktemp("before"), 1):
        yield garden.path


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    for garden in crawled(tmp_path_factory.mktemp("after"), 2):
        yield garden.path


def compared(*arguments: object) -> dict[str, Any]:
    done = lycosa("compare", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def urls(rows: list[dict[str, Any]]) -> list[str]:
    return [row["url"].removeprefix(HOME) for row in rows]


def test_two_crawls_differ_by_what_was_mended(before: Path, after: Path) -> None:
    told = compared(before, after)
    assert urls(told["pages_new"]) == ["compost", "tulips"]
    assert {row["url"].removeprefix(HOME): row["became"] for row in told["pages_gone"]} == {
        "plain": "not met any more",
    }
    moved = [(row["old_url"], row["url"], row["known_by"]) for row in told["pages_moved"]]
    assert moved == [(f"{HOME}forgotten", f"{HOME}corner", "same text")]
    changed = {row["url"].removeprefix(HOME): row for row in told["pages_changed"]}
    assert {"new-bed", "catalogue", "roses"} <= set(changed)
    bed = changed["new-bed"]
    assert (bed["words_before"], bed["words_after"]) == (3, 6)
    assert (bed["words_added"], bed["words_removed"]) == (6, 3)
    titles = {
        row["url"].removeprefix(HOME): (row["old_title"], row["title"]) for row in told["titles"]
    }
    assert titles["roses"] == ("Roses", "Roses and their thorns")
    assert titles["untitled"] == ("", "Named at last")
    statuses = {row["url"].removeprefix(HOME): row for row in told["statuses"]}
    assert (statuses["tulips"]["old_status"], statuses["tulips"]["status"]) == (404, 200)
    gone = {(row["url"], row["target_url"]) for row in told["links_gone"]}
    assert (f"{HOME}roses", "http://elsewhere.test/gone") in gone
    assert told["counts"] == {name: len(told[name]) for name in told["counts"]}
    assert told["pages_before"] + len(told["pages_new"]) + len(told["pages_moved"]) == (
        told["pages_after"] + len(told["pages_gone"]) + len(told["pages_moved"])
    )


def test_the_same_crawl_twice_differs_in_nothing(before: Path) -> None:
    told = compared(before, before)
    assert set(told["counts"].values()) == {0}
    assert told["same"] == told["pages_before"] == told["pages_after"]


def test_what_was_fetched_after_a_moment_is_new(before: Path) -> None:
    pages = [row for row in table(before, "pages").to_pylist() if row["outcome"] == "kept"]
    moments = sorted(row["fetched_at"] for row in pages)
    middle = moments[len(moments) // 2]
    told = compared(before, "--at", middle.isoformat())
    late = sorted(row["url"] for row in pages if row["fetched_at"] > middle)
    assert [row["url"] for row in told["pages_new"]] == late
    assert told["pages_before"] == len(pages) - len(late)
    assert told["counts"]["pages_gone"] == told["counts"]["pages_changed"] == 0
    both = compared(before, "--at", moments[-1].isoformat(), "--at", middle.isoformat())
    assert both["pages_new"] == told["pages_new"]
    early = moments[0] - timedelta(days=2)
    refused = lycosa("compare", before, "--at", early.isoformat())
    assert refused.returncode != 0
    assert "no page had been fetched by then" in refused.stderr


def test_the_text_of_one_page_is_shown_line_by_line(before: Path, after: Path) -> None:
    said = lycosa("compare", before, after, "--url", f"{HOME}new-bed").stdout
    assert "-About new bed.\n+Beans and peas grow here now.\n" in said
    same = lycosa("compare", before, after, "--url", f"{HOME}herbs").stdout
    assert same == f"{HOME}herbs: the text is the same\n"
    neither = lycosa("compare", before, after, "--url", f"{HOME}nowhere")
    assert neither.returncode != 0
    assert "is not a page of both sides\n  see its history: lycosa explain" in neither.stderr


def test_the_screen_names_what_was_missing_and_does_not_round_up(before: Path, after: Path) -> None:
    said = lycosa("compare", before, after).stdout
    assert f"  {HOME}untitled\n      − (no title)\n      + Named at last\n" in said
    assert f"   99 %  {HOME}catalogue  +0 −199,960 words\n" in said


def test_another_spelling_of_the_site_is_the_same_site(before: Path, after: Path) -> None:
    elsewhere = f"{HOME.rstrip('/')}=https://other.test"
    told = compared(before, after, "--map", elsewhere)
    assert told["same"] <= 1  # the shop, which is not on that side of the mapping
    assert (
        SHOP in {row["url"] for row in (*told["pages_changed"], *told["pages_new"])} or told["same"]
    )
    wrong = lycosa("compare", before, after, "--map", "there")
    assert wrong.returncode == 2 and "is not URL=URL" in wrong.stderr


def test_a_report_has_every_row_as_csv(before: Path, after: Path, tmp_path: Path) -> None:
    place = tmp_path / "report"
    done = lycosa("compare", before, after, "--report", place, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    for name, count in told["counts"].items():
        with (place / "data" / f"{name}.csv").open(newline="") as file:
            assert len(list(csv.DictReader(file))) == count
    page = (place / "index.html").read_text()
    assert "Roses and their thorns" in page
    assert "2 pages are new." in page


def test_a_mistake_is_told_with_its_mend(before: Path) -> None:
    alone = lycosa("compare", before)
    assert alone.returncode == 2 and "Name a second crawl, or a moment" in alone.stderr
    moment = lycosa("compare", before, "--at", "yesterday")
    assert moment.returncode == 2 and "write 2026-11-01, or" in moment.stderr
