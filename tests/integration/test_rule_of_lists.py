"""A crawl knows pages of a list by the rule that it began with: resumed, repaired, explained."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from integration.small_servers import serving_site
from lycosa.cli.main import main
from lycosa.storage.archive.reader import rows

PAGES = 8
"""Of the list; each lists two products."""


def site(path: str) -> tuple[int, str]:
    if path == "/robots.txt":
        return 404, ""
    if path.startswith("/product"):
        return 200, f"<title>{path}</title><p>The thing {path}."
    number = int(path.partition("page=")[2])
    things = "".join(f"<a href='/product/{number}-{n}'>{n}</a>" for n in range(2))
    following = f"<a href='/shop?page={number + 1}'>more</a>" if number < PAGES else ""
    return 200, f"<!doctype html><title>Shop {number}</title><p>List {number}{things}{following}"


@pytest.fixture
def seed() -> Iterator[str]:
    with serving_site(site) as port:
        yield f"http://127.0.0.1:{port}/shop?page=1"


def begin(folder: Path, seed: str, *more: str) -> None:
    words = ["crawl", seed, "-o", str(folder), "--quiet", "--delay", "1ms", "--depth", "2"]
    words += ["--set", "crawl.workers=1", "--set", "frontier.partitions=2"]
    assert main([*words, "--set", "discovery.mining=off", *more]) == 0


def kinds(folder: Path) -> Counter[tuple[str, str]]:
    """Return how often each target is linked to by each kind of link."""
    found: Counter[tuple[str, str]] = Counter()
    for batch in rows(folder, "links"):
        found.update(
            (row["target_url"].partition("/shop")[2], row["kind"]) for row in batch.to_pylist()
        )
    return found


def kept(folder: Path) -> set[str]:
    return {
        row["url"]
        for batch in rows(folder, "pages")
        for row in batch.to_pylist()
        if row["outcome"] == "kept"
    }


def test_explain_names_the_link_and_what_it_costs(
    tmp_path: Path, seed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(tmp_path / "site", seed)
    capsys.readouterr()
    assert main(["explain", str(tmp_path / "site"), seed.replace("page=1", "page=5")]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    before = seed.replace("page=1", "page=4")
    assert f"found on {before} by a link of the kind `pagination`, which costs no depth" in shown
    assert "another page of its list" in shown


@pytest.mark.parametrize("lost", ["links", "pages"])
def test_a_repair_gives_links_the_same_kinds(tmp_path: Path, seed: str, lost: str) -> None:
    folder = tmp_path / "site"
    begin(folder, seed)
    before = kinds(folder)
    assert sum(number for (_, kind), number in before.items() if kind == "pagination") == PAGES - 1
    for path in (folder / lost).glob("*.parquet"):
        path.unlink()
    assert main(["verify", str(folder), "--repair"]) == 0
    main(["resume", str(folder), "--quiet"])
    assert kinds(folder) == before
    assert len(kept(folder)) == 3 * PAGES


def test_a_crawl_of_before_the_rule_goes_on_without_it(tmp_path: Path, seed: str) -> None:
    folder = tmp_path / "site"
    begin(folder, seed, "--set", "extract.pagination=0", "--max-pages", "2")
    for path in (folder / "crawl.toml", folder / "log" / "crawl.toml"):
        text, removed = re.subn(r"(?m)^pagination = 0\n", "", path.read_text())
        assert removed == 1
        path.write_text(text)
    assert main(["resume", str(folder), "--quiet", "--max-pages", "0"]) == 0
    assert not any(kind == "pagination" for _, kind in kinds(folder))
    assert {url for url in kept(folder) if "/shop" in url} == {
        seed.replace("page=1", f"page={number}") for number in (1, 2, 3)
    }, "each page of the list is a link farther"


@pytest.mark.parametrize(("begun", "asked"), [(1, 0), (0, 1)])
def test_another_rule_is_refused_and_nothing_is_changed(
    tmp_path: Path, seed: str, capsys: pytest.CaptureFixture[str], begun: int, asked: int
) -> None:
    folder = tmp_path / "site"
    begin(folder, seed, "--set", f"extract.pagination={begun}", "--max-pages", "2")
    before = (folder / "crawl.toml").read_bytes()
    capsys.readouterr()
    assert main(["resume", str(folder), "--quiet", "--set", f"extract.pagination={asked}"]) != 0
    said = capsys.readouterr().err
    assert f"has begun with [extract] pagination = {begun}" in said
    assert f"set it to {begun} again" in said
    assert (folder / "crawl.toml").read_bytes() == before
    by_hand = before.replace(b"pagination = %d" % begun, b"pagination = %d" % asked)
    assert by_hand != before
    (folder / "crawl.toml").write_bytes(by_hand)
    assert main(["resume", str(folder), "--quiet", "--max-pages", "0"]) != 0
    assert f"set it to {begun} again" in capsys.readouterr().err
    (folder / "crawl.toml").write_bytes(before)
    assert main(["resume", str(folder), "--quiet", "--max-pages", "0"]) == 0
