"""A job with languages keeps only pages in these, and follows the links of the others."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from lycosa.errors import ConfigError
from lycosa.extract.facts import Facts
from lycosa.features.languages import LanguageFilter, require_languages
from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.storage.archive.archive import ArchiveStore
from lycosa_testweb.web import HTML, PLAIN, Reply
from unit.crawl.drawn_web import DrawnWeb, crawl, kept

HOME = "http://site.test/"
ENGLISH = (
    "All human beings are born free and equal in dignity and rights. They are endowed with reason"
    " and conscience and should act towards one another in a spirit of brotherhood."
)
GERMAN = (
    "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und"
    " Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen."
)


def job(*languages: str, **sections: Any) -> Job:
    quiet: dict[str, Any] = {"robots": {"sitemaps": False}, "discovery": {"mining": "off"}}
    extract = sections.pop("extract", {}) | {"languages": languages}
    return Job.of([HOME], extract=extract, **quiet | sections)


def page(text: str, *links: str, lang: str = "") -> Reply:
    anchors = "".join(f'<a href="{link}">to</a> ' for link in links)
    return Reply(200, HTML, f'<html lang="{lang}"><title>T</title><p>{text}{anchors}'.encode())


def web(**replies: Reply) -> DrawnWeb:
    return DrawnWeb({HOME + name.replace("home", ""): reply for name, reply in replies.items()})


def test_pages_in_other_languages_are_not_kept_and_their_links_are_followed(tmp_path: Path) -> None:
    drawn = web(home=page(ENGLISH, "/de"), de=page(GERMAN, "/en2"), en2=page(ENGLISH, "/short"))
    drawn = DrawnWeb({**drawn.replies, f"{HOME}short": page("ok", "/de")})
    archive = ArchiveStore(tmp_path)
    found = crawl(drawn, job("de", limits={"pages": 3}), tmp_path, archive=archive)
    assert found == {
        HOME: Outcome.WRONG_LANGUAGE,
        f"{HOME}de": Outcome.KEPT,
        f"{HOME}en2": Outcome.WRONG_LANGUAGE,
        f"{HOME}short": Outcome.KEPT,  # its language cannot be told
    }
    rows = {kind: rows_of(tmp_path, kind) for kind in ("pages", "text", "links")}
    told = {row["url"]: row["outcome"] for row in rows["pages"]}
    assert told[HOME] == "wrong_language"
    assert {row["url"] for row in rows["text"]} == {f"{HOME}de", f"{HOME}short"}
    assert {row["source_url"] for row in rows["links"]} == set(found)


def rows_of(folder: Path, kind: str) -> list[dict[str, Any]]:
    return [
        row
        for path in sorted((folder / kind).glob("*.parquet"))
        for row in pq.read_table(path).to_pylist()
    ]


def test_without_the_filter_all_languages_are_kept(tmp_path: Path) -> None:
    drawn = web(home=page(ENGLISH, "/de"), de=page(GERMAN))
    assert kept(crawl(drawn, job(), tmp_path)) == {HOME, f"{HOME}de"}


def test_a_foreign_page_that_comes_nearer_passes_that_on_to_its_links(tmp_path: Path) -> None:
    """Over the host that rests for a minute after its robots file the way is shorter."""
    slow = "http://slow.test/"
    replies = {
        HOME: page(GERMAN, "/1", slow),
        f"{HOME}1": page(GERMAN, "/2"),
        f"{HOME}2": page(GERMAN, "/en"),
        f"{HOME}en": page(ENGLISH, "/far"),
        f"{HOME}far": page(GERMAN),
        slow: page(GERMAN, f"{HOME}en"),
        f"{slow}robots.txt": Reply(200, PLAIN, b"User-agent: *\nCrawl-delay: 60\n"),
    }
    limits = {"depth_static": 3, "depth_dynamic": 3}
    rules: list[dict[str, object]] = [
        {"action": "accept", "suffix": host} for host in ("site.test", "slow.test")
    ]
    made = dataclasses.replace(job("de", limits=limits), rules=tuple(rules))
    found = crawl(DrawnWeb(replies), made, tmp_path, archive=ArchiveStore(tmp_path))
    assert found[f"{HOME}en"] is Outcome.WRONG_LANGUAGE
    assert found[f"{HOME}far"] is Outcome.KEPT
    asked = sorted(rows_of(tmp_path, "pages"), key=lambda row: row["fetched_at"])
    order = [row["url"] for row in asked]
    assert order.index(f"{HOME}en") < order.index(slow) < order.index(f"{HOME}far")


@pytest.mark.parametrize(
    ("wanted", "lang", "text", "is_foreign"),
    [
        (["de"], "de-AT", GERMAN, False),
        (["deu"], "", GERMAN, False),
        (["en", "de"], "en", ENGLISH, False),
        (["de"], "en", GERMAN, False),  # clear text beats a wrong `lang`
        (["en"], "en", GERMAN, True),
        (["de"], "en", "Kontakt", True),  # too little text: markup decides
        (["de"], "", "Kontakt", False),
        (["de"], "xx", "", False),
        (["gsw"], "gsw", GERMAN, False),  # no detector knows Alemannic
        (["de"], "gsw", GERMAN, True),
        (["no"], "nb", "", False),
        (["nb"], "no", "", False),
        (["nb"], "nn", "", True),
        (["hr"], "sr", "", True),
    ],
)
def test_what_is_foreign(wanted: list[str], lang: str, text: str, is_foreign: bool) -> None:
    facts = Facts(language=lang, content=text.encode())
    assert LanguageFilter(job(*wanted)).is_foreign(facts) is is_foreign


def test_a_code_that_is_none_is_refused_with_an_example() -> None:
    with pytest.raises(
        ConfigError, match="`xx` is not the code of a language\n  write the code of ISO"
    ):
        require_languages(job("xx"))


def test_a_job_without_the_filter_loads_no_detector() -> None:
    program = (
        "import sys\n"
        "import lycosa.crawl.worker.worker, lycosa.runtime.processes.run\n"
        "found = {'py3langid', 'lycosa.features.languages',"
        " 'lycosa.extract.languages'} & set(sys.modules)\n"
        "assert not found, found\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
