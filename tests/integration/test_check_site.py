"""`check-site` and `export sitemap` as a user types them, on a site with every fault once."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from junitparser import JUnitXml
from lxml import etree

from garden import Garden, crawled
from lycosa.analysis.checks.registry import CHECKS
from lycosa.extract.sitemap import scan_sitemap
from lycosa.model.records import Purpose
from lycosa.operate.checking.heads import ask_heads
from lycosa.runtime.directory import CrawlDirectory
from lycosa_testweb.webs.faulty_site import FAULTS, HOME, OTHER_HOST, SHOP, FaultySite
from warm import lycosa

UNTIMED = set(FAULTS) - {"slow"}
"""Sockets serve without latencies; `slow` has a test of its own."""
PATIENT = ("--slow", "60s")
"""A busy machine may take seconds for any page."""


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Garden]:
    yield from crawled(tmp_path_factory.mktemp("faulty"), 1)


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Garden]:
    yield from crawled(tmp_path_factory.mktemp("mended"), 2)


def checked(garden: Garden, *flags: str) -> dict[str, Any]:
    done = lycosa("check-site", garden.path, "--json", *PATIENT, *flags)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def pairs(told: dict[str, Any]) -> dict[str, list[tuple[str, str | None]]]:
    found: dict[str, list[tuple[str, str | None]]] = {}
    for one in told["findings"]:
        found.setdefault(one["kind"], []).append((one["url"], one["target_url"]))
    return {kind: sorted(some) for kind, some in found.items()}


def test_the_web_has_a_fault_for_every_check() -> None:
    assert set(FAULTS) == {check.name for check in CHECKS}


def test_each_check_finds_exactly_its_fault(faulty: Garden) -> None:
    told = checked(faulty, "--check-outside")
    assert pairs(told) == {kind: FAULTS[kind] for kind in UNTIMED}
    by_kind = {one["kind"]: one for one in told["findings"]}
    broken = by_kind["broken"]
    assert (broken["status"], broken["text"], broken["detail"]) == (404, "Tulips", "404 not found")
    assert by_kind["chains"]["hops"] == [HOME + name for name in ("soil", "earth", "ground")]
    assert by_kind["loops"]["hops"] == [HOME + name for name in ("round", "and-round", "round")]


def test_links_outside_are_asked_once_a_day_and_politely(faulty: Garden) -> None:
    checked(faulty, "--check-outside")
    asked = faulty.server.requests
    assert "outside" in pairs(checked(faulty, "--check-outside"))
    assert faulty.server.requests == asked
    assert [str(breach) for breach in faulty.referee.breaches] == []


def test_a_clean_site_has_no_finding(mended: Garden) -> None:
    assert checked(mended, "--check-outside")["findings"] == []
    done = lycosa("check-site", mended.path, *PATIENT)
    assert done.stdout.splitlines() == [f"{mended.path}: 22 pages checked, nothing found"]
    assert [str(breach) for breach in mended.referee.breaches] == []


def test_fail_on_has_an_exit_code_of_its_own(faulty: Garden, mended: Garden) -> None:
    wanted = ("--fail-on", "broken,loops", *PATIENT)
    assert lycosa("check-site", faulty.path, *wanted).returncode == 8
    assert lycosa("check-site", mended.path, *wanted).returncode == 0
    ignored = ("--ignore", f"{HOME}tulips", "--ignore", r"regex:/round$")
    assert lycosa("check-site", faulty.path, *ignored, *wanted).returncode == 0
    assert lycosa("check-site", mended.path, "--fail-on", "any", *PATIENT).returncode == 0


def test_a_check_to_fail_on_must_be_run(faulty: Garden) -> None:
    left_out = lycosa("check-site", faulty.path, "--only", "titles", "--fail-on", "loops,broken")
    assert left_out.returncode == 2
    assert left_out.stderr == (
        "--fail-on loops: --only leaves this check out, so that it finds nothing\n"
        "  add it: --only loops, or leave out --only to run all checks\n"
    )
    some = ("--only", "broken,titles", "--fail-on", "links", *PATIENT)
    assert lycosa("check-site", faulty.path, *some).returncode == 8
    any_of = ("--only", "mixed", "--fail-on", "any", *PATIENT)
    assert lycosa("check-site", faulty.path, *any_of).returncode == 8


def test_links_outside_are_asked_by_head_and_by_get_only_if_that_is_refused(
    mended: Garden, faulty: Garden
) -> None:
    for garden, paths in ((mended, ["there"]), (faulty, ["gone", "there"])):
        checked(garden, "--check-outside")
        pages = [(purpose, url) for purpose, url in garden.web.asked if OTHER_HOST in url]
        heads = [(Purpose.HEAD, f"http://{OTHER_HOST}/{path}") for path in paths]
        assert sorted(pages)[: -len(heads)] == [
            (Purpose.PAGE, f"http://{OTHER_HOST}/there"),
            (Purpose.ROBOTS, f"http://{OTHER_HOST}/robots.txt"),
        ]
        assert sorted(pages)[-len(heads) :] == heads


def test_heads_come_over_both_carriers_and_leave_the_connection_whole(mended: Garden) -> None:
    job = CrawlDirectory.open(mended.path).job()
    urls = [HOME, f"{HOME}herbs", SHOP, f"{SHOP}/none", SHOP, f"{HOME}catalogue"]
    asked = {one.url: one for one in ask_heads(job, urls, lambda host, seconds: None)}
    told = {url: (one.status, one.outcome.name) for url, one in asked.items()}
    kept = dict.fromkeys(urls, (200, "KEPT"))
    assert told == kept | {f"{SHOP}/none": (404, "NOT_FOUND")}


def test_a_wrong_name_is_refused_with_the_right_one(faulty: Garden) -> None:
    wrong = lycosa("check-site", faulty.path, "--only", "brokn")
    assert wrong.returncode == 2
    assert "--only brokn: there is no such check\n  did you mean `broken`?" in wrong.stderr
    pattern = lycosa("check-site", faulty.path, "--ignore", "regex:(")
    assert pattern.returncode == 2 and pattern.stderr.startswith("--ignore: ")
    name = lycosa("check-site", faulty.path, "-o", "findings.txt")
    assert name.returncode == 2 and "add --format: junit, sarif, csv, json" in name.stderr


def test_the_screen_names_pages_texts_and_hops(faulty: Garden) -> None:
    said = lycosa("check-site", faulty.path, "--only", "broken,chains", *PATIENT).stdout
    assert f"  {HOME}tulips  404 not found\n      on {HOME}roses  “Tulips”\n" in said
    assert f"  {HOME}soil  2 redirects in a row\n      → {HOME}earth\n      → {HOME}ground" in said


def test_junit_is_read_by_a_program_that_reads_junit(faulty: Garden, tmp_path: Path) -> None:
    file = tmp_path / "checks.xml"
    done = lycosa("check-site", faulty.path, "--fail-on", "links", *PATIENT, "-o", file)
    assert done.returncode == 8
    suites = {suite.name: suite for suite in JUnitXml.fromfile(str(file))}
    assert list(suites) == [check.name for check in CHECKS]
    (case,) = suites["broken"]
    assert (suites["broken"].failures, case.classname, case.name) == (1, "broken", f"{HOME}roses")
    assert case.result[0].message == f"404 not found: {HOME}tulips “Tulips”"
    (other,) = suites["loops"]
    assert (suites["loops"].failures, other.is_passed) == (0, True)
    assert f"{HOME}and-round" in other.system_out


def test_sarif_names_rules_and_places(faulty: Garden) -> None:
    log = json.loads(lycosa("check-site", faulty.path, "--format", "sarif", *PATIENT).stdout)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert (log["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "lycosa")
    assert [rule["id"] for rule in rules] == [check.name for check in CHECKS]
    assert {rule["defaultConfiguration"]["level"] for rule in rules} == {"error", "warning", "note"}
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        assert result["level"] == rules[result["ruleIndex"]]["defaultConfiguration"]["level"]
    (loop,) = (result for result in run["results"] if result["ruleId"] == "loops")
    hops = [
        place["physicalLocation"]["artifactLocation"]["uri"] for place in loop["relatedLocations"]
    ]
    assert hops == [HOME + name for name in ("round", "and-round", "round")]


def test_csv_has_a_row_for_each_finding(faulty: Garden) -> None:
    said = lycosa("check-site", faulty.path, "--format", "csv", "--only", "mixed").stdout
    (row,) = csv.DictReader(io.StringIO(said))
    assert (row["kind"], row["url"], row["target_url"]) == ("mixed", SHOP, f"{HOME}basket.png")


def test_sql_export_and_report_have_the_findings(faulty: Garden) -> None:
    checked(faulty, "--check-outside")
    assert lycosa("study", faulty.path).returncode == 0
    query = "select kind, url from findings where severity = 'error' order by kind, url"
    asked = lycosa("sql", faulty.path, query, "--format", "jsonl").stdout.splitlines()
    errors = {check.name for check in CHECKS if check.severity == "error"}
    expected = [[kind, url] for kind in sorted(errors) for url, _ in FAULTS[kind]]
    assert [list(json.loads(line).values()) for line in asked] == expected
    assert len(lycosa("export", "findings", faulty.path).stdout.splitlines()) > len(UNTIMED)
    told = json.loads(lycosa("report", faulty.path, "--json", "--no-audit").stdout)
    sections = {section["name"]: section for section in told["sections"]}
    assert sections["checks"]["is_filled"] and sections["site_errors"]["is_filled"]
    assert f"{HOME}tulips" in Path(told["report"]).read_text(encoding="utf-8")


def test_the_sitemap_lists_what_may_be_found_and_is_read_back(
    mended: Garden, tmp_path: Path
) -> None:
    file = tmp_path / "sitemap.xml"
    done = lycosa("export", "sitemap", mended.path, "-o", file, "--site", HOME)
    assert (done.returncode, done.stderr) == (0, f"{file}: 20 URLs\n")
    root = etree.parse(file).getroot()
    assert root.tag == "{http://www.sitemaps.org/schemas/sitemap/0.9}urlset"
    hidden = {SHOP, f"{HOME}print/roses"}
    assert set(scan_sitemap(file.read_bytes())) == set(FaultySite(2).pages()) - hidden
    both = lycosa("export", "sitemap", mended.path, "-o", file)
    assert "the pages belong to 2 sites" in both.stderr


def test_a_host_outside_that_is_not_there_is_named(tmp_path: Path) -> None:
    garden = next(crawled(tmp_path, 1))
    garden.server.close()  # what was linked cannot be reached any more
    told = checked(garden, "--check-outside", "--only", "outside")
    assert {(one["target_url"], one["detail"]) for one in told["findings"]} == {
        (f"http://{OTHER_HOST}/{name}", "robots unreachable") for name in ("gone", "there")
    }
