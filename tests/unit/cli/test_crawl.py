"""`crawl` and `resume`, with a crawl that is only pretended."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from lycosa.cli.main import main
from lycosa.errors import ConfigError, FormatError, LogError, LycosaError, StoreError
from lycosa.model.job import Job, read_job
from lycosa.runtime.directory import CrawlDirectory
from unit.cli.pretended import Captured, PretendedCrawl, crawl
from unit.cli.screen.moments import BUSY, Ended


def test_a_crawl_writes_its_job_and_tells_its_end(
    path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    assert crawl(path, "--max-pages", "5", "--exclude", ".cl", "--delay", "2s") == 0
    job = read_job(path / "crawl.toml")
    assert job == pretended.job
    assert (job.seeds, job.limits.pages) == (("https://example.org/",), 5)
    assert job.rules == ({"action": "reject", "suffix": ".cl"},)
    printed = capsys.readouterr()
    assert "Complete: no URL" in printed.out
    assert f"lycosa status {path}" in printed.out
    assert "mailto:a@b: not a usable seed: unknown scheme `mailto`" in printed.err
    assert "event=progress" in printed.err


def test_seeds_come_from_files_too(
    path: Path, tmp_path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    (tmp_path / "seeds.txt").write_text("# two\nhttp://a.example/\n\nb.example\n")
    assert crawl(path, "--seeds", str(tmp_path / "seeds.txt")) == 0
    seeds = ("https://example.org/", "http://a.example/", "https://b.example")
    assert pretended.job.seeds == seeds
    assert "b.example: read as https://b.example" in capsys.readouterr().err


def test_a_seed_file_in_another_encoding_is_refused(
    path: Path, tmp_path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    (tmp_path / "seeds.txt").write_bytes("http://münchen.example/".encode("latin-1"))
    assert crawl(path, "--seeds", str(tmp_path / "seeds.txt")) == 2
    assert "not UTF-8" in capsys.readouterr().err


def test_flags_are_stronger_than_the_file(
    path: Path, tmp_path: Path, pretended: PretendedCrawl
) -> None:
    file = tmp_path / "job.toml"
    file.write_text(Job.of(seeds=["http://a.example/"], limits={"pages": 9, "bytes": 8}).to_toml())
    assert crawl(path, "--config", str(file), "--max-pages", "7") == 0
    assert (pretended.job.limits.pages, pretended.job.limits.bytes) == (7, 8)
    assert pretended.job.seeds == ("http://a.example/", "https://example.org/")


def test_the_summary_is_json_where_that_is_asked_for(
    path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    assert crawl(path, "--json") == 0
    printed = capsys.readouterr()
    data = json.loads(printed.out)
    assert (data["reason"], data["is_complete"], data["pages"]) == ("exhausted", True, 1234)
    assert any(json.loads(x)["pages"] == 1234 for x in printed.err.splitlines() if x[0] == "{")


@pytest.mark.parametrize(
    ("ends", "code"),
    [
        (Ended("exhausted", BUSY, True), 0),
        (Ended("pages", BUSY, False), 0),
        (Ended("free disk", BUSY, False), 0),
        (Ended("stopped", BUSY, False), 130),
        (KeyboardInterrupt(), 130),
        (LycosaError("wrong"), 1),
        (ConfigError("wrong"), 2),
        (FormatError("wrong"), 3),
        (LogError("wrong"), 4),
        (StoreError("wrong"), 5),
        (RuntimeError("wrong"), 70),
    ],
)
def test_the_exit_code_says_how_it_ended(
    ends: Any, code: int, path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    pretended.ends = ends
    assert crawl(path, "--quiet") == code
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err
    if isinstance(ends, LycosaError):
        assert printed.err.splitlines()[-1] == "wrong"


def test_ctrl_c_is_answered_with_how_to_go_on(
    path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    pretended.is_stopped = True
    pretended.ends = Ended("stopped", BUSY, False)
    assert crawl(path) == 130
    printed = capsys.readouterr()
    hint = f"stopping cleanly (Ctrl-C again stops at once); continue: lycosa resume {path}"
    assert hint in printed.err
    assert f"lycosa resume {path}" in printed.out


def test_a_second_ctrl_c_is_answered_too(
    path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    pretended.ends = KeyboardInterrupt()
    assert crawl(path) == 130
    assert "stopped at once; committed pages are safe" in capsys.readouterr().err


def test_our_own_mistake_leaves_its_traceback_in_the_log_file(
    path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    pretended.ends = RuntimeError("the sky fell")
    assert crawl(path) == 70
    err = capsys.readouterr().err
    assert "this is a bug in lycosa: RuntimeError: the sky fell" in err
    assert f"the details are in {path / 'lycosa.log'}" in err
    assert "please report it" in err
    assert "Traceback" in (path / "lycosa.log").read_text()


def test_with_debug_the_traceback_is_on_the_screen(
    path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    pretended.ends = RuntimeError("the sky fell")
    arguments = ["crawl", "https://example.org/", "-o", str(path), "--contact", "a@b.cl"]
    assert main(["--debug", *arguments]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_the_log_file_tells_of_the_run(path: Path, pretended: PretendedCrawl) -> None:
    assert crawl(path) == 0
    text = (path / "lycosa.log").read_text()
    for part in ("begins: job ", "seed mailto:a@b refused: scheme", "ends: Complete", "pages=1234"):
        assert part in text
    assert not logging.getLogger("lycosa").handlers


def test_a_folder_with_a_crawl_is_not_used_again(
    existing: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    assert crawl(existing) == 2
    assert f"continue it: lycosa resume {existing}" in capsys.readouterr().err


def test_resume_changes_the_job_for_good(existing: Path, pretended: PretendedCrawl) -> None:
    before = read_job(existing / "crawl.toml")
    assert main(["resume", str(existing), "--max-pages", "9", "--set", "fetch.retries=1"]) == 0
    after = read_job(existing / "crawl.toml")
    assert (after.limits.pages, after.fetch.retries) == (9, 1)
    assert (after.seeds, after.fetch.contact) == (before.seeds, before.fetch.contact)
    assert pretended.job == after


def test_a_crawl_that_runs_cannot_be_resumed_or_changed(
    existing: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    before = read_job(existing / "crawl.toml")
    with CrawlDirectory.open(existing).locked():
        assert main(["resume", str(existing), "--max-pages", "9"]) == 4
    assert "is crawling it" in capsys.readouterr().err
    assert read_job(existing / "crawl.toml") == before
