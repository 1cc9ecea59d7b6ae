"""The report of the demo crawl: every section filled, and looked at by a real browser."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from browser import chromium, shown
from lycosa.analysis.report.build import report
from lycosa.analysis.sections import CHAPTERS
from lycosa.analysis.study.results import Results
from lycosa.model.job import SECTIONS
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.servers.server import Listen, SocketWeb
from seeds import few_of
from unit.analysis.study.drawn_crawl import Fetch, write_with_topics
from warm import lycosa

PHONE, LAPTOP = 360, 1280
LYCOSA = (sys.executable, "-m", "lycosa")

DRAWN = """
const drawn = figure => [...figure.querySelectorAll("svg")]
  .filter(svg => getComputedStyle(svg).display != "none");
const box = element => element.getBoundingClientRect();
const figures = [...document.querySelectorAll("figure")];
const named = figure => figure.closest("section").id;
"""
FIGURES = """
figures.map(figure => {
  const svg = drawn(figure)[0], frame = box(svg);
  const shapes = [...svg.querySelectorAll("rect, circle, path, text")];
  const isOutside = b => b.left < frame.left - 1 || b.right > frame.right + 1
    || b.top < frame.top - 1 || b.bottom > frame.bottom + 1;
  return {
    section: named(figure), shown: drawn(figure).length,
    width: frame.width, height: frame.height,
    shapes: shapes.filter(shape => box(shape).width + box(shape).height > 0).length,
    outside: shapes.filter(shape => isOutside(box(shape))).map(shape => shape.outerHTML),
    letters: Math.min(...[...svg.querySelectorAll("text")].map(text => box(text).height)),
  };
})
"""
OVERLAPS = """
figures.flatMap(figure => {
  const texts = [...drawn(figure)[0].querySelectorAll("text")].map(t => [t.textContent, box(t)]);
  const found = [];
  for (let i = 0; i < texts.length; i++) for (let j = 0; j < i; j++) {
    const [a, b] = [texts[i][1], texts[j][1]];
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 1 && down > 4) found.push([named(figure), texts[j][0], texts[i][0]]);
  }
  return found;
})
"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the demo as `make demo` does."""
    path = tmp_path_factory.mktemp("demo") / "demo-crawl"
    done = subprocess.run(
        [sys.executable, "-m", "tools.demo", "-o", str(path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{path}/report/index.html: " in done.stdout
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as found:
        yield found


def test_every_section_of_the_demo_is_filled(demo: Path) -> None:
    done = lycosa("report", demo, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["report"] == str(demo / "report" / "index.html")
    tables = set((Results(demo).manifest() or {})["tables"])
    countable = [
        section.name
        for chapter in CHAPTERS
        for section in chapter.sections
        if set(section.needs) <= tables
        and (
            section.name != "traps" or "traps" in SECTIONS
        )  # of the job: whether there is a defence
    ]
    filled = [section["name"] for section in told["sections"] if section["is_filled"]]
    assert filled == countable
    for section in told["sections"]:
        assert all((demo / "report" / name).stat().st_size for name in section["data"])


def test_the_audit_tells_the_tightest_pause_and_what_robots_files_forbade(demo: Path) -> None:
    reported, status = (
        json.loads(lycosa(command, demo, "--json").stdout) for command in ("report", "status")
    )
    (audit,) = (section for section in reported["sections"] if section["name"] == "audit")
    told = re.fullmatch(
        r"Every one of ([\d,]+) requests kept the rules: the tightest pause was ([\d.]+)\ss where"
        r" ([\d.]+)\ss were due.*, and ([\d,]+) URLs? w\w+ never requested because of a robots"
        r" file\.",
        audit["sentence"],
    )
    assert told is not None, audit["sentence"]
    assert float(told[2]) >= float(told[3]) - 0.001
    assert int(told[4]) == status["outcomes"]["disallowed"]
    assert int(told[1]) >= status["outcomes"]["kept"]


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("width", few_of([PHONE, LAPTOP, 700], 2))
def test_a_browser_shows_all_of_it_at_every_width(demo: Path, browser: Browser, width: int) -> None:
    look(browser, demo / "report" / "index.html", width, least=20)


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("width", few_of([PHONE, LAPTOP], 1))
def test_a_browser_shows_figures_of_many_topics(
    tmp_path: Path, browser: Browser, width: int
) -> None:
    topics = [f"science.topic-{number}" for number in range(20)] + ["other"]
    keys = [f"test.h{number % 13}:/{number}" for number in range(126)]
    about = {key: (topics[number % 21], 0.5) for number, key in enumerate(keys)}
    fetches = [Fetch(key, keys[:9]) for key in keys]
    write_with_topics(tmp_path / "crawl", fetches, about, wanted=["science"])
    found = report(tmp_path / "crawl")
    # Overlap and communication are a table alone.
    assert sum(bool(entry.shown.figures) for entry in found.entries[-5:]) == 4
    look(browser, found.document, width, least=12)


def look(browser: Browser, index: Path, width: int, *, least: int) -> None:
    """Look at a report: nothing is missing, cut off, or written over something else."""
    with shown(browser, index, width) as tab:
        evaluate = tab.page.evaluate
        assert evaluate("document.documentElement.scrollWidth") <= width
        assert evaluate("document.body.scrollWidth") <= width
        figures: list[dict[str, Any]] = evaluate(f"{{{DRAWN}{FIGURES}}}")
        overlaps = evaluate(f"{{{DRAWN}{OVERLAPS}}}")
    assert tab.complaints == []
    assert tab.requested == [index.resolve().as_uri()]
    assert len(figures) >= least
    for figure in figures:
        assert figure["shown"] == 1, figure
        assert 200 < figure["width"] <= width, figure
        assert figure["height"] > 25, figure
        assert figure["shapes"] >= 3, figure
        assert figure["outside"] == [], figure
        assert figure["letters"] >= 9, figure
    assert overlaps == []


@pytest.mark.needs("chromium")
def test_the_browser_tells_what_a_page_asks_for_and_complains_of(
    tmp_path: Path, browser: Browser
) -> None:
    page = tmp_path / "page.html"
    script = "<script>console.warn('a warning'); throw new Error('an error')</script>"
    page.write_text(f"<img src=http://away.test/i.png>{script}", encoding="utf-8")
    with shown(browser, page, LAPTOP) as tab:
        pass
    assert tab.requested == [page.as_uri(), "http://away.test/i.png"]
    refused = "Failed to load resource: net::ERR_NAME_NOT_RESOLVED"
    assert sorted(tab.complaints) == [refused, "a warning", "an error"]


@pytest.mark.needs("chromium")
def test_it_prints_on_pages_of_a4(demo: Path, browser: Browser) -> None:
    with shown(browser, demo / "report" / "index.html", LAPTOP) as tab:
        printed = tab.page.pdf(prefer_css_page_size=True, print_background=True)
    assert printed.startswith(b"%PDF-")
    pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", printed))
    assert 8 <= pages <= 40
    boxes = re.findall(rb"/MediaBox\s*\[([^\]]*)\]", printed)
    sizes = {tuple(round(float(n)) for n in box.split()) for box in boxes}
    assert sizes <= {(0, 0, 595, 842), (0, 0, 594, 842), (0, 0, 595, 841)}


def test_a_crawl_can_be_reported_on_while_it_runs(tmp_path: Path) -> None:
    path = tmp_path / "running"
    with SocketWeb(GeneratedWeb.tree(4, 3), tls=False, listen=Listen(folder=tmp_path)) as server:
        flags = ["--allow-private", "--set", f"fetch.hosts_file={server.hosts_file}", "--json"]
        command = [*LYCOSA, "crawl", "http://www.s0.test/", "-o", path, "--delay", "2s", *flags]
        with subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as crawl:
            try:
                told = _reported(path)
            finally:
                crawl.send_signal(signal.SIGINT)
            crawl.communicate(timeout=60)
    text = Path(told["report"]).read_text(encoding="utf-8")
    assert "running when it was studied" in text
    (audit,) = (section for section in told["sections"] if section["name"] == "audit")
    assert "kept the rules" in audit["sentence"]


def _reported(path: Path) -> dict[str, Any]:
    """Report as soon as there is anything to report on: try again when more was fetched."""
    deadline = time.monotonic() + 90
    size = 0
    while True:
        while (now := sum(file.stat().st_size for file in path.glob("warc/*.warc.gz"))) == size:
            assert time.monotonic() < deadline, "nothing was fetched"
            time.sleep(0.02)
        size = now
        done = lycosa("report", path, "--json")
        if done.returncode == 0:
            told: dict[str, Any] = json.loads(done.stdout)
            return told
        assert "no page has been fetched yet" in done.stderr or "no crawl" in done.stderr
        assert time.monotonic() < deadline, done.stderr
