"""A recipe sets what nothing else has set, says so, and is remembered by the job."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from lycosa.cli.input.jobs import build_job, recipe_text
from lycosa.cli.main import cli
from lycosa.cli.screen.summary import commands_of
from lycosa.model.job import Job, parse_job
from lycosa.model.job.recipes import RECIPES
from lycosa.model.job.writer import write_value
from unit.cli.screen.moments import BUSY, Ended

HOWTO = Path(__file__).parents[3] / "docs" / "howto"
FLAGS = {"settings": ()}


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_sets_its_keys_and_the_job_keeps_them(name: str) -> None:
    job = build_job(Job(), {**FLAGS, "recipe": name})
    for section, key, value in RECIPES[name].settings:
        assert getattr(getattr(job, section), key) == value
    again = parse_job(job.to_toml())
    assert again == job
    assert again.crawl.recipe == name
    assert build_job(again, FLAGS) == job  # a resume changes nothing


def test_flags_win() -> None:
    flags = {**FLAGS, "recipe": "archive", "mining": "full"}
    flags["settings"] = ("fetch.content_types=text/html",)
    job = build_job(Job(), flags)
    assert (job.discovery.mining, job.fetch.content_types) == ("full", ("text/html",))
    assert job.extract.requisites
    told = recipe_text(Job(), job, "archive")
    assert told.splitlines()[1:] == ["  [extract] requisites = true"]


def test_what_a_file_says_wins() -> None:
    base = Job.of(discovery={"mining": "full"})
    job = build_job(base, {**FLAGS, "recipe": "dataset"})
    assert job.discovery.mining == "full"
    assert job.structured.forms == ()
    assert "mining" not in recipe_text(base, job, "dataset")


def test_without_a_recipe_nothing_is_set() -> None:
    assert build_job(Job(), {**FLAGS, "recipe": None}) == Job()
    assert Job().crawl.recipe == "none"


@pytest.mark.parametrize("name", RECIPES)
def test_the_page_of_a_recipe_says_what_it_sets(name: str) -> None:
    page = (HOWTO / f"recipe-{name}.md").read_text(encoding="utf-8")
    said = re.findall(r"^\| `(\[\w+\] \w+ = [^`]+)` \| .+ \|$", page, re.MULTILINE)
    settings = RECIPES[name].settings
    assert said == [f"[{section}] {key} = {write_value(value)}" for section, key, value in settings]
    assert f"--recipe {name} " in page
    assert f"(recipe-{name}.md)" in (HOWTO / "recipes.md").read_text(encoding="utf-8")


OWN = {
    "archive": ("lycosa verify mycrawl", "lycosa export wacz mycrawl -o mycrawl.wacz"),
    "site-check": ("lycosa check-site mycrawl", "lycosa export sitemap mycrawl -o sitemap.xml"),
    "dataset": ("lycosa export text mycrawl --format parquet -o mycrawl.parquet",),
    "study": ("lycosa report mycrawl", "lycosa study mycrawl"),
    "semantic": ("lycosa index mycrawl --only triples",),
}


@pytest.mark.parametrize("name", RECIPES)
def test_a_crawl_with_a_recipe_ends_with_its_own_commands_which_can_be_typed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mycrawl").mkdir()
    job = Job.of(["https://example.org/"], crawl={"recipe": name})
    text = commands_of(Ended("exhausted", BUSY, is_complete=True), job, Path("mycrawl"), 60).plain
    typed = [line.strip() for line in text.splitlines() if line.startswith("  lycosa ")]
    assert set(OWN[name]) <= set(typed)
    for line in typed:
        found: click.Command | None = cli
        context, words = click.Context(cli), shlex.split(line)[1:]
        while isinstance(found, click.Group):
            _, found, words = found.resolve_command(context, words)
        assert found is not None
        found.make_context(line, words)
