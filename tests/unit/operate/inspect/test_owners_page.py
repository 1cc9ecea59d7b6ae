"""The page for owners of sites says what the job does, and holds no markup of strangers."""

from __future__ import annotations

from pathlib import Path

from lxml import html

from lycosa.cli.main import main
from lycosa.fetch.robots.rules import compile_robots
from lycosa.model.job import Job
from lycosa.operate.inspect.owners_page import owners_page
from lycosa.runtime.directory import CrawlDirectory


def test_it_names_operator_agent_and_pauses_of_the_job() -> None:
    job = Job.of(fetch={"agent": "ada-bot"}, politeness={"delay_seconds": 42.0})
    page = owners_page(job, "Ada <b>Lovelace</b>", "ada@example.org", "To count & compare.")
    tree = html.fromstring(page)
    text = " ".join(tree.text_content().split())
    assert "run by Ada <b>Lovelace</b>." in text and "To count & compare." in text
    assert "rests 42 seconds" in text
    assert tree.xpath("//a/@href") == ["mailto:ada@example.org"]
    assert not tree.xpath("//b | //script | //link | //img")


def test_the_robots_lines_that_it_shows_stop_the_crawler() -> None:
    job = Job.of(fetch={"agent": "ada-bot"})
    tree = html.fromstring(owners_page(job, "Ada", "ada@example.org"))
    shown = tree.xpath("string(//td/code)")
    assert not compile_robots(shown.encode(), "ada-bot").is_allowed("/x")


def test_wishes_that_the_job_does_not_obey_are_not_promised() -> None:
    job = Job.of(extract={"obey_nofollow": False, "obey_noarchive": False})
    page = owners_page(job, "Ada", "ada@example.org")
    assert "noindex" in page and "nofollow" not in page and "noarchive" not in page


def test_the_command_takes_a_crawl_or_the_usual_settings(tmp_path: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    given = ("--mail", "ada@example.org", "--operator", "Ada")
    assert main(["owners-page", *given]) == 0
    assert "rests 15 seconds" in capsys.readouterr().out
    job = Job.of(["http://a.test/"], politeness={"delay_seconds": 7.0})
    CrawlDirectory.create(tmp_path / "crawl", job)
    assert main(["owners-page", str(tmp_path / "crawl"), *given]) == 0
    assert "rests 7 seconds" in capsys.readouterr().out
    assert main(["owners-page", "--mail", "nowhere", "--operator", "Ada"]) == 2
    assert "is not a mail address" in capsys.readouterr().err
