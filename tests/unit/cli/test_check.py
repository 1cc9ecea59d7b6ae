"""`lycosa check` as it is typed: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lycosa.cli.main import cli, main
from lycosa.cli.screen.notices import Session
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory

Captured = pytest.CaptureFixture[str]
ROBOTS = "User-agent: *\nDisallow: /private/\nAllow: /private/open\nNoindex: /x\nCrawl-delay: 5\n"


@pytest.fixture(autouse=True)
def in_a_folder_of_80_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)


def check(*arguments: str, given: str | bytes | None = None) -> Result:
    return CliRunner().invoke(
        cli, ["check", *arguments], input=given, obj=Session(), standalone_mode=False
    )


def told(result: Result) -> Any:
    return json.loads(result.stdout)


# -- URLs --------------------------------------------------------------------------------


def test_a_url_is_shown_with_its_key_and_what_was_changed() -> None:
    result = check("url", "HTTP://Example.org:80/a#b")
    assert result.return_value == 0
    for part in ("http://example.org/a", "org.example:/a", "scheme in small letters"):
        assert part in result.stdout
    assert all(len(line) <= 80 for line in result.stdout.splitlines())


def test_a_canonical_url_is_said_to_be_one() -> None:
    assert "The URL is already canonical." in check("url", "http://a.test/").stdout


def test_a_url_that_is_refused_ends_with_1_and_the_reason() -> None:
    result = check("url", "mailto:a@b")
    assert result.return_value == 1
    assert "it is neither http nor https" in result.stdout


def test_one_url_is_an_object_and_several_are_a_list() -> None:
    assert told(check("url", "--json", "x", "--base", "http://a.test/"))["key"] == "test.a:/x"
    several = check("url", "--json", "http://a.test/", "ftp://b")
    assert [one["refusal"] for one in told(several)] == [None, "scheme"]
    assert several.return_value == 1


def test_the_partition_is_that_of_the_job() -> None:
    few = told(check("url", "--json", "http://a.test/", "--set", "frontier.partitions=1"))
    assert few["partition"] == 0


def test_control_characters_never_reach_the_terminal() -> None:
    Path("robots.txt").write_text("User-agent: *\nDisallow: /\x1b[31m\nx\x1b]0;t\x07: y\n")
    Path("page").write_text("<title>\x1b[31m</title><a href='\x1b[2J:x'>\x1b[1m</a>\x1b[0m")
    for arguments in (
        ["url", "http://a.test/\x1b[31m"],
        ["robots", "robots.txt", "/\x1b[31mx"],
        ["page", "page", "--url", "http://a.test/", "--content-type", "text/html;\x1b"],
        ["scope", "http://a.test/\x1b[31m"],
    ):
        assert "\x1b" not in check(*arguments).stdout.replace("\\x1b", "")


# -- robots files ------------------------------------------------------------------------


def test_a_robots_file_is_shown_with_verdicts_and_remarks() -> None:
    Path("robots.txt").write_text(ROBOTS)
    result = check("robots", "robots.txt", "/private/x", "https://a.test/private/open/y", "/")
    assert result.return_value == 1
    for part in ("line 2: Disallow: /private/", "line 3: Allow: /private/open", "5 s", "line 4"):
        assert part in result.stdout
    assert check("robots", "robots.txt", "/").return_value == 0
    assert check("robots", "robots.txt").return_value == 0


def test_a_robots_file_comes_from_standard_input_for_any_agent() -> None:
    table = told(check("robots", "-", "--agent", "other", "/private/x", "--json", given=ROBOTS))
    assert table["agent"] == "other"
    assert table["urls"][0] | {"why": ""} == {
        "url": "/private/x",
        "allowed": False,
        "rule": "Disallow: /private/",
        "line": 2,
        "why": "",
    }
    assert [remark["line"] for remark in table["remarks"]] == [4]


def test_a_url_that_is_refused_is_not_judged_by_robots() -> None:
    table = told(check("robots", "-", "mailto:x", "--json", given=ROBOTS))
    assert table["urls"] == [{"url": "mailto:x", "allowed": False, "refusal": "scheme"}]


def test_a_site_is_not_asked_without_a_contact(capsys: Captured) -> None:
    for kind in ("robots", "page"):
        assert main(["check", kind, "https://example.org/"]) == 2
        assert "--contact" in capsys.readouterr().err


# -- pages -------------------------------------------------------------------------------


def test_a_page_is_shown_with_its_links() -> None:
    Path("p.html").write_text("<title>T</title><a href=b>to b</a><a href=x:y>x</a>")
    result = check("page", "p.html", "--url", "http://a.test/")
    assert result.return_value == 0
    for part in ("kept", "http://a.test/b", "1 link not followed", "https (scheme)"):
        assert part in result.stdout


def test_a_page_that_would_not_be_kept_ends_with_1() -> None:
    result = check("page", "-", "--content-type", "image/png", given=b"x")
    assert (result.return_value, "wrong_type" in result.stdout) == (1, True)


def test_the_scope_of_a_job_file_counts_for_links() -> None:
    Path("job.toml").write_text(Job.of(["http://a.test/"]).to_toml())
    flags = ("--url", "http://a.test/", "--config", "job.toml", "--json")
    table = told(check("page", "-", *flags, given="<a href=http://b.test/>b</a>"))
    assert [link["refusal"] for link in table["refused"]] == ["out-of-scope"]


def test_a_long_page_lists_its_first_links() -> None:
    page = "".join(f"<a href={number}>" for number in range(60))
    assert (
        "and 20 more; all: --json"
        in check("page", "-", "--url", "http://a.test/", given=page).stdout
    )


def test_a_file_that_is_not_there_is_told(capsys: Captured) -> None:
    for arguments in (["page", "x"], ["robots", "x"], ["url", "--batch", "x"]):
        assert main(["check", *arguments]) == 1
        assert "x: cannot be read" in capsys.readouterr().err


# -- scope -------------------------------------------------------------------------------


def test_a_scope_decision_names_the_rule() -> None:
    result = check("scope", "http://a.cl/x.pdf", "--include", ".cl", "--exclude", "regex:pdf")
    assert result.return_value == 1
    assert 'number 1: {action = "reject", regex = "pdf"}' in result.stdout
    assert check("scope", "http://a.cl/", "--include", ".cl").return_value == 0


def test_a_refused_url_is_said_in_words_before_the_name_in_tables() -> None:
    for kind in ("scope", "url"):
        said = " ".join(check(kind, "ftp://a.test/").output.split())
        assert "counted as neither http nor https (scheme)" in said


def test_only_seeds_leaves_the_rest_out() -> None:
    flags = ("--seed", "http://a.test/", "--only-seeds", "--json")
    assert told(check("scope", "http://a.test/x", *flags))["reason"] == "too-deep"
    assert told(check("scope", "http://a.test/", *flags))["in"]


def test_the_job_of_a_crawl_counts_and_cannot_be_mixed(capsys: Captured) -> None:
    CrawlDirectory.create(Path("c"), Job.of(["http://a.test/"]))
    assert told(check("scope", "http://a.test/x", "--dir", "c", "--json"))["in"]
    assert main(["check", "scope", "http://a.test/", "--dir", "c", "--seed", "http://b/"]) == 2
    assert main(["check", "scope", "http://a.test/", "--dir", "missing"]) == 2
    capsys.readouterr()
    assert main(["check", "scope", "c", "http://a.test/"]) == 2
    assert "lycosa check scope --dir c URL" in capsys.readouterr().err


# -- batches -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["url", "robots", "page", "scope"])
def test_a_batch_answers_every_line_and_ends_with_1_if_one_is_bad(kind: str) -> None:
    Path("p").write_text("<title>T</title>")
    line = json.dumps({"url": "http://a.test/", "robots_latin1": "", "file": "p", "id": 7})
    good = check(kind, "--batch", given=f"{line}\n{line}")
    assert good.return_value == 0
    assert [json.loads(out)["id"] for out in good.stdout.splitlines()] == [7, 7]
    Path("lines").write_text(f"{line}\n\n{line}\n")
    bad = check(kind, "--batch", "lines")
    assert bad.return_value == 1
    assert ["error" in json.loads(out) for out in bad.stdout.splitlines()] == [False, True, False]


def test_nothing_to_check_is_a_usage_error(capsys: Captured) -> None:
    for kind in ("url", "robots", "page", "scope"):
        assert main(["check", kind]) == 2
        assert "--batch" in capsys.readouterr().err
    assert main(["check", "url", "--batch", "a", "b"]) == 2
    assert main(["check", "robot"]) == 2
    assert "Did you mean 'robots'?" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["url", "robots", "page", "scope"])
def test_every_kind_explains_itself(kind: str, capsys: Captured) -> None:
    assert main(["check", kind, "-h"]) == 0
    assert "--batch" in capsys.readouterr().out
