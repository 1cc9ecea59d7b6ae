"""Every marked table of docs/figures.md has a maker, and the makers write what the page shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from benchmarks import bursts, members, papers
from benchmarks.figures import __main__ as command
from benchmarks.figures import examples
from benchmarks.figures.page import PAGE, PICTURES, Block, blocks, marks, measured, written
from benchmarks.figures.registry import BY_NAME, FIGURES, Figure
from benchmarks.figures.run import Made, Run

from lycosa.frontier.readiness.slots import runtime_folder

TEXT = PAGE.read_text(encoding="utf-8")
OVER_SOCKETS = {
    "whole-crawls": papers.crawls_made({papers.Way(2, 1, 300): papers.Crawled(2.0, 50, 150, 9)}),
    "gathering-speed": papers.speed_made(
        {papers.Way(2, n, c): papers.Crawled(1.0, 50, 150, 9) for n in (1, 2) for c in (4, 16)}
    ),
    "members": members.made_of(
        {5 * n: {m: members.Speed(10.0 * m, 0.1) for m in members.MEMBERS} for n in (1, 2)}
    ),
    "bursts": bursts.made_of({20: bursts.Crawled(400, 40, 10.0, 0.8)}, {0.1: [4.0, 2.0, 0.2]}),
}
"""Figures whose crawls ask servers, made of numbers that were not measured."""


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def heads(table: str) -> list[str]:
    """Return the heads of a table, without its sizes, and see that all rows fit under them."""
    lines = table.splitlines()
    assert len({len(cells(line)) for line in lines}) == 1, table
    assert re.fullmatch(r"\|( --- \|)+", lines[1])
    return [re.sub(r"\d[\d,]*", "N", cell) for cell in cells(lines[0])]


def on_page() -> dict[str, str]:
    """Return the tables of the page, without the line below them."""
    return {block.table: block.text.split("\n\n")[0] for block in blocks(TEXT)}


def check(made: Made) -> None:
    """Hold tables and pictures against the page."""
    for name, table in made.tables.items():
        assert heads(table) == heads(on_page()[name])
    for name, picture in made.pictures.items():
        assert picture.startswith("<svg")
        assert f"(pictures/{name}.svg)" in TEXT
        assert (PICTURES / f"{name}.svg").exists()


def test_every_marked_table_has_a_maker_and_every_maker_a_place() -> None:
    assert TEXT.count(": begin, written by") == TEXT.count(": end -->") == len(blocks(TEXT))
    shown = [(block.table, block.figure) for block in blocks(TEXT)]
    made = [(table, figure.name) for figure in FIGURES for table in figure.tables]
    assert sorted(shown) == sorted(made)
    assert len(set(shown)) == len(shown)


def test_every_marked_table_says_when_and_where_it_was_measured() -> None:
    for block in blocks(TEXT):
        _, line = block.text.split("\n\n")
        assert re.fullmatch(r"\*Measured \d{4}-\d\d-\d\d .*\d cores.*\*", line), block.table


SMALL = [figure for figure in FIGURES if figure.tables and figure.name not in OVER_SOCKETS]


@pytest.mark.parametrize("figure", SMALL, ids=lambda figure: figure.name)
def test_a_figure_makes_the_tables_and_pictures_that_the_page_shows(figure: Figure) -> None:
    said: list[str] = []
    made = figure.make(Run(said.append, is_small=True))
    assert tuple(made.tables) == figure.tables
    check(made)


@pytest.mark.parametrize("name", OVER_SOCKETS)
def test_what_a_crawl_over_sockets_finds_is_shown_as_the_page_has_it(name: str) -> None:
    made = OVER_SOCKETS[name]
    assert tuple(made.tables) == BY_NAME[name].tables
    check(made)


def test_rates_and_their_growth_are_those_that_were_measured() -> None:
    def last_row(name: str) -> list[str]:
        return cells(OVER_SOCKETS[name].tables[name].splitlines()[-1])

    assert last_row("whole-crawls") == ["ours", "2", "1", "2.0", "150", "50", "25", "0.0 MB"]
    assert last_row("gathering-speed") == ["2", "16", "50"]
    assert last_row("members")[:6] == ["10", "10.0", "20.0", "30.0", "**2.00**", "**3.00**"]
    assert last_row("bursts") == ["20", "400", "40", "40.0", "2.00 ms"]


def test_all_tests_that_the_page_names_are_run() -> None:
    names = set(re.findall(r"`((?:\w+/)?test_\w+\.py)`", TEXT))
    assert len(names) >= 10
    paths = examples.named(TEXT)
    for name in names:
        assert any(str(path).endswith(f"/{name}") for path in paths), name


def test_a_long_measurement_tells_how_far_it_is() -> None:
    said: list[str] = []
    assert Run(said.append).each(str, [4, 16]) == {4: "4", 16: "16"}
    assert said == ["1 of 2: 4", "2 of 2: 16"]


def test_a_table_takes_the_place_of_the_one_with_its_marks() -> None:
    begin, end = marks("some", "any")
    other = "\n".join(["before", *marks("other", "any"), "after"])
    page = f"{other}\n{begin}\n| old |\n{end}\nrest\n"
    block = Block("some", "any", f"| new |\n\n{measured('1cedf90f', 0.5)}")
    put = written(page, block)
    assert put == f"{other}\n{begin}\n{block.text}\n{end}\nrest\n"
    assert blocks(put)[-1] == block
    with pytest.raises(ValueError, match="no place for a table"):
        written(page, Block("none", "any", "| new |"))


class Pages:
    """A page and a folder of pictures that a command may write to."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.page = folder / "figures.md"
        self.page.write_text("\n".join([*marks("tiny", "tiny"), ""]), encoding="utf-8")
        made = Made({"tiny": "| a |\n| --- |\n| 1 |"}, {"tiny": "<svg/>"})
        tiny = Figure("tiny", "something small", "no time", lambda run: self.made(run, made), ())
        figures: Mapping[str, Figure] = {"tiny": tiny, "other": tiny._replace(name="other")}
        self.runs: list[Run] = []
        self.folders: list[Path] = []
        monkeypatch.setattr(command, "PAGE", self.page)
        monkeypatch.setattr(command, "PICTURES", folder)
        monkeypatch.setattr(command, "BY_NAME", figures)

    def made(self, run: Run, made: Made) -> Made:
        """Remember how it was asked for."""
        self.runs.append(run)
        self.folders.append(runtime_folder())
        run.say("done")
        return made


def test_one_figure_is_made_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = Pages(tmp_path, monkeypatch)
    assert command.main(["tiny"]) == 0
    assert len(pages.runs) == 1
    [block] = blocks(pages.page.read_text(encoding="utf-8"))
    table, line = block.text.split("\n\n")
    assert table == "| a |\n| --- |\n| 1 |"
    assert line.startswith("*Measured ")
    assert (tmp_path / "tiny.svg").read_text() == "<svg/>"
    assert "tiny, 0 s: done" in capsys.readouterr().err


def test_a_figure_shares_no_addresses_with_other_crawls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = Pages(tmp_path, monkeypatch)
    before = runtime_folder()
    assert command.main(["tiny"]) == 0
    assert pages.folders and pages.folders[0] != before == runtime_folder()


def test_a_small_run_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages(tmp_path, monkeypatch)
    before = pages.page.read_text(encoding="utf-8")
    assert command.main(["--small", "tiny"]) == 0
    assert pages.runs[0].is_small
    assert pages.page.read_text(encoding="utf-8") == before
    assert not (tmp_path / "tiny.svg").exists()


def test_a_wrong_name_names_the_right_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["url-tabel"]) == 2
    said = capsys.readouterr().err
    assert "there is no figure `url-tabel`" in said
    assert "did you mean `url-table`?" in said
    assert all(name in said for name in BY_NAME)


def test_the_list_names_all_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(BY_NAME)


def test_make_asks_for_one_figure_or_all() -> None:
    made = (PAGE.parents[1] / "Makefile").read_text(encoding="utf-8")
    target = made[made.index("\nfigures:") :].partition("\n\n")[0]
    assert target.splitlines()[-1] == "\t$(BIN)/python -m benchmarks.figures $(FIGURE)"
