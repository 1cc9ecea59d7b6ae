"""Reports on crawls drawn by hand: complete, the same every time, and safe to open."""

from __future__ import annotations

import csv
import re
import shutil
import zlib
from html.parser import HTMLParser
from pathlib import Path

import pytest

from lycosa.analysis.report.build import Reported, report
from lycosa.analysis.sections import CHAPTERS
from lycosa.analysis.study.build import study
from lycosa.analysis.study.results import Results
from lycosa.cli.main import main
from lycosa.errors import LycosaError
from lycosa.model.job import Job
from lycosa.model.records import LinkKind, Outcome, Purpose
from lycosa.runtime.directory import CrawlDirectory
from seeds import few_of
from unit.analysis.study.drawn_crawl import BEGAN, HTML, Fetch, write, write_with_topics

FUTURE = {"vocabularies", "headers", "multimedia"}
"""Tables that studies of other versions may lack."""
SECTIONS = [section for chapter in CHAPTERS if not chapter.needs for section in chapter.sections]
HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>&amp;"
TURNED = "\N{RIGHT-TO-LEFT OVERRIDE}gpj.exe\N{RIGHT-TO-LEFT ISOLATE}"
LONG = "x" * 10_000
A, B, C = (f"test.a:/{name}" for name in "abc")


def dated(days: int) -> tuple[str, str]:
    return (
        "Last-Modified",
        ["Tue, 14 Nov 2023 22:13:20 GMT", "Sun, 14 Nov 2021 22:13:20 GMT"][days],
    )


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studied") / "mycrawl"
    server = ("Server", "nginx")
    moved = Fetch(
        "test.a:/d", outcome=Outcome.REDIRECTED, status=301, headers=(HTML, ("Location", "/a"))
    )
    gone = Fetch("test.a:/e", outcome=Outcome.NOT_FOUND, status=404)
    robots = Fetch("test.a:/robots.txt", purpose=Purpose.ROBOTS)
    write(
        folder,
        [
            robots,
            Fetch(A, [B, C, "test.b:/"], headers=(HTML, server, dated(0)), fingerprint=7),
            Fetch(
                B,
                [A, "org.example:/x.pdf"],
                headers=(HTML, server, dated(1)),
                depth=1,
                fingerprint=6,
            ),
            Fetch(C, [A], body="the same", depth=1),
            Fetch("test.b:/", [A], body="the same", depth=1, language="de"),
            Fetch("test.b:/p", ["test.b:/i.png"], kind=LinkKind.IMAGE, depth=2),
            moved,
            gone,
        ],
    )
    study(folder)
    return folder


@pytest.fixture
def crawl(studied: Path, tmp_path: Path) -> Path:
    """A copy: most of what a report costs is the study, which is the same every time."""
    folder = tmp_path / "mycrawl"
    shutil.copytree(studied, folder)
    return folder


def test_every_section_is_there_and_says_one_thing(crawl: Path) -> None:
    found = report(crawl)
    assert found.document == crawl / "report" / "index.html"
    assert [entry.section.name for entry in found.entries] == [s.name for s in SECTIONS]
    for entry in found.entries:
        assert entry.shown.sentence.endswith(".")
        assert ".." not in entry.shown.sentence and "  " not in entry.shown.sentence
    assert sentence_of(found, "outcomes") == (
        "Of 7 fetches of a page, 5 (71.4 %) ended with a page that was kept; the most frequent"
        " other end was “not found” (1)."
    )
    assert sentence_of(found, "duplicates") == (
        "2 of 5 pages (40 %) share their bytes with another one, in 1 set; 1 copy is redundant."
    )
    assert "no power law was fitted" in sentence_of(found, "in-degrees")


def sentence_of(found: Reported, name: str) -> str:
    (entry,) = (entry for entry in found.entries if entry.section.name == name)
    return entry.shown.sentence.replace("\N{NO-BREAK SPACE}", " ")


def test_each_step_is_told_and_off_a_terminal_a_line_now_and_then(
    crawl: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    told: list[str] = []
    report(crawl, tmp_path / "one", tell=told.append)
    audit, writing = told.index("audit"), told.index("writing")
    titles = [section.title.lower() for section in SECTIONS]
    assert set(titles) <= set(told[audit + 1 : writing])
    monkeypatch.setattr("lycosa.cli.analysis.study.STEP_SECONDS", 0.0)
    assert main(["report", str(crawl), "-o", str(tmp_path / "two")]) == 0
    assert "under way: audit" in capsys.readouterr().err
    assert main(["report", str(crawl), "-o", str(tmp_path / "three"), "--json"]) == 0
    assert "under way" not in capsys.readouterr().err


def test_a_section_without_its_table_says_so_and_shows_nothing(crawl: Path) -> None:
    found = report(crawl)
    tables = (Results(crawl).manifest() or {})["tables"]
    for entry in found.entries:
        if set(entry.section.needs) - set(tables):
            assert "lacks the data of this section" in entry.shown.sentence
            assert not entry.shown.is_filled and not entry.files


def test_what_needs_no_table_of_the_future_is_in_every_study(crawl: Path) -> None:
    report(crawl)
    tables = set((Results(crawl).manifest() or {})["tables"])
    assert {name for section in SECTIONS for name in section.needs} - tables <= FUTURE


def test_the_rows_of_every_figure_are_beside_it(crawl: Path) -> None:
    found = report(crawl)
    text = found.document.read_text(encoding="utf-8")
    linked = set(re.findall(r'href="data/(\w+)\.csv"', text))
    files = {path.stem for path in (crawl / "report" / "data").iterdir()}
    assert linked == files == {name for entry in found.entries for name in entry.files}
    for entry in found.entries:
        assert bool(entry.shown.figures) <= bool(entry.files)
    with (crawl / "report" / "data" / "statuses.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [
            ["status", "fetches"],
            ["200", "5"],
            ["301", "1"],
            ["404", "1"],
        ]


class Document(HTMLParser):
    """Reads a report as a browser would, and remembers what could be dangerous."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.hrefs: list[str] = []
        self.ids: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name == "href":
                self.hrefs.append(value or "")
            if name == "id":
                self.ids.append(value or "")

    def handle_data(self, data: str) -> None:
        self.text += data


def read(index: Path) -> Document:
    document = Document()
    document.feed(index.read_text(encoding="utf-8"))
    return document


def test_what_the_web_says_is_shown_and_never_obeyed(tmp_path: Path) -> None:
    folder = tmp_path / f"crawl {HOSTILE.replace('/', '_')}"
    hostile = (("Content-Type", f"text/{HOSTILE}"), ("Server", f"{HOSTILE}\x85\u00e9"))
    page = f"test.a:/{HOSTILE}"
    fetches = [
        Fetch(
            page,
            [f"test.b:/{HOSTILE}", f"org.outside:/{LONG}", f"org.{TURNED}:/", A],
            headers=hostile,
        ),
        Fetch(A, [page, f"test.b:/{HOSTILE}"], language=HOSTILE, body="the same"),
        Fetch(f"test.b:/{HOSTILE}", [page], language=TURNED, body="the same"),
        Fetch(f"test.b:/{LONG}", [A]),
    ]
    write(folder, fetches)
    found = report(folder)
    document = read(found.document)
    assert "script" not in document.tags and "img" not in document.tags
    assert not {name for name in document.attributes if name.startswith("on")}
    assert "src" not in document.attributes
    assert all(re.fullmatch(r"#[\w-]+|data/\w+\.csv", href) for href in document.hrefs)
    assert "alert(1)" in document.text
    raw = found.document.read_text(encoding="utf-8")
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", raw)
    assert "⟨U+202E⟩" in document.text
    assert LONG[:500] not in raw
    assert any(LONG in path.read_text() for path in (folder / "report" / "data").iterdir())


def test_links_within_the_report_lead_somewhere_and_ids_are_unique(crawl: Path) -> None:
    document = read(report(crawl).document)
    assert len(document.ids) == len(set(document.ids))
    assert {href[1:] for href in document.hrefs if href.startswith("#")} <= set(document.ids)


def test_the_same_study_gives_the_same_bytes(crawl: Path, tmp_path: Path) -> None:
    first = contents(report(crawl).document.parent)
    again = report(crawl, tmp_path / "elsewhere")
    assert not again.is_new_study
    assert contents(again.document.parent) == first
    rebuilt = contents(report(crawl, rebuild=True).document.parent)
    made_at = re.compile(r"\d+ \w+ \d{4}, [\d:]+ UTC, by Lycosa")
    assert {name: made_at.sub("", text) for name, text in rebuilt.items()} == {
        name: made_at.sub("", text) for name, text in first.items()
    }


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}


def test_a_crawl_that_has_gone_on_is_studied_again(crawl: Path) -> None:
    shutil.rmtree(crawl / "index")
    assert report(crawl).is_new_study
    assert not report(crawl).is_new_study
    write(crawl, [Fetch("test.c:/")], BEGAN + 1000, is_sealed=False)
    found = report(crawl)
    assert found.is_new_study
    assert sentence_of(found, "outcomes").startswith("Of 8 fetches")


class Killed(BaseException):
    pass


@pytest.mark.parametrize("name", few_of(["report.put_aside", "report.written", "report.placed"], 1))
def test_a_report_that_was_killed_leaves_a_whole_one_or_none(crawl: Path, name: str) -> None:
    before = contents(report(crawl).document.parent)
    write(crawl, [Fetch("test.c:/")], BEGAN + 1000)

    def kill(reached: str) -> None:
        if reached == name:
            raise Killed

    with pytest.raises(Killed):
        report(crawl, reach=kill)
    place = crawl / "report"
    if place.exists():
        left = contents(place)
        assert "index.html" in left
        assert (left == before) == (name == "report.written")
    after = contents(report(crawl).document.parent)
    assert after != before
    assert [path.name for path in crawl.iterdir() if path.name.startswith(".report")] == []


def test_a_folder_with_anything_else_in_it_is_left_alone(crawl: Path, tmp_path: Path) -> None:
    other = tmp_path / "thesis"
    other.mkdir()
    report(crawl, other)
    (other / "notes.txt").write_text("mine")
    with pytest.raises(LycosaError, match="is not a report"):
        report(crawl, other)
    assert (other / "notes.txt").read_text() == "mine"
    (other / "notes.txt").unlink()
    report(crawl, other)
    (other / "index.html").write_text("<p>mine")
    with pytest.raises(LycosaError, match="is not a report"):
        report(crawl, other)
    for place in (crawl, crawl / "pages" / "new", crawl / "log" / "x", crawl / "pages"):
        with pytest.raises(LycosaError, match="choose another folder"):
            report(crawl, place)
    assert (crawl / "crawl.toml").exists()


def test_what_concerns_the_operator_alone_is_not_told(tmp_path: Path) -> None:
    folder = tmp_path / "mycrawl"
    job = Job.of(
        seeds=["http://a.test/"],
        fetch={
            "headers": ["a.test X-Key: c2VjcmV0"],
            "proxy": "http://me:${SECRET}@127.0.0.1:3128",
            "hosts_file": "/home/me/secret",
            "private_networks": ["10.77.0.0/16"],
            "name_servers": ["10.77.0.1"],
            "contact": "me@example.org",
        },
        login={
            "url": "http://a.test/secret",
            "fields": ["user=secret", "word=${SECRET}"],
            "plain_fields": ["user"],
            "headers": ["a.test Authorization: ${SECRET}"],
            "secrets_file": "/home/me/secret",
        },
        notify={"webhook": "https://hooks.test/secret", "command": "/home/me/secret"},
        render={"browser": "/home/me/secret"},
        statistics={"file": "/home/me/secret"},
        plugins={"use": ["secret"], "settings": {"secret": {"key": "secret"}}},
        limits={"pages": 77},
    )
    CrawlDirectory.create(folder, job)
    write(folder, [Fetch(A)])
    for path in report(folder).document.parent.rglob("*"):
        content = path.read_bytes().lower() if path.is_file() else b""
        for kept_back in (b"secret", b"c2vjcmv0", b"/home/me", b"10.77", b"hooks.test"):
            assert kept_back not in content, path
    text = read(folder / "report" / "index.html").text
    assert "lycosa (me@example.org)" in text and "pages = 77" in text


def test_a_crawl_without_a_page_is_reported_all_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "mycrawl"
    write(folder, [Fetch(A, outcome=Outcome.NOT_FOUND, status=404)])
    found = report(folder)
    assert sentence_of(found, "outcomes") == (
        "Of 1 fetch of a page, 0 (0 %) ended with a page that was kept; the most frequent other"
        " end was “not found” (1)."
    )
    filled = {entry.section.name for entry in found.entries if entry.shown.is_filled}
    assert filled - {"headers"} == {"outcomes", "statuses", "errors"}


def test_a_crawl_of_one_page_is_reported_without_empty_figures(tmp_path: Path) -> None:
    folder = tmp_path / "mycrawl"
    write(folder, [Fetch(A)])
    found = report(folder)
    assert "no page links to another" in sentence_of(found, "pagerank")
    assert "<svg" in found.document.read_text(encoding="utf-8")
    assert "nan" not in read(found.document).text.lower().split()


def test_a_crawl_that_reached_no_page_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "mycrawl"
    write(folder, [Fetch("test.a:/robots.txt", purpose=Purpose.ROBOTS)])
    found = report(folder)
    assert sentence_of(found, "outcomes") == "No page was fetched."
    assert "nan" not in read(found.document).text.lower().split()


def test_figures_are_files_for_documents_and_for_gnuplot_where_asked_for(studied: Path) -> None:
    place = studied / "report"
    found = report(studied, with_audit=False, forms=("figures",))
    names = [
        f"{entry.section.name}-{number}"
        for entry in found.entries
        for number in range(1, len(entry.shown.figures) + 1)
    ]
    files = {path.name: path.read_bytes() for path in (place / "figures").iterdir()}
    assert set(files) == {f"{name}.{end}" for name in names for end in ("svg", "pdf", "dat", "gp")}
    assert {"sites-1.pdf", "histograms-1.pdf", "bow-tie-1.pdf"} <= set(files)
    for name in names:
        assert files[f"{name}.svg"].startswith(b"<svg") and files[f"{name}.dat"]
        assert f'"{name}.dat"'.encode() in files[f"{name}.gp"]
        check_pdf(files[f"{name}.pdf"])
    report(studied, with_audit=False)
    assert not (place / "figures").exists(), "an old figure would be of another study"


def check_pdf(content: bytes) -> None:
    """Its table of offsets names its objects, and its page has only operators that exist."""
    assert content.startswith(b"%PDF-1.4\n") and content.endswith(b"%%EOF\n")
    table = int(content.rsplit(b"startxref\n", 1)[1].split(b"\n")[0])
    offsets = re.findall(rb"(\d{10}) 00000 n", content[table:])
    for number, offset in enumerate(offsets, 1):
        assert content[int(offset) :].startswith(b"%d 0 obj" % number)
    stream = content.split(b"stream\n", 1)[1].split(b"\nendstream")[0]
    drawn = re.sub(r"\((?:\\.|[^\\()])*\)", "", zlib.decompress(stream).decode("cp1252"))
    words = {word for word in drawn.split() if re.fullmatch(r"[A-Za-z]+", word)}
    assert words <= {*"mlchfSBnwd", "re", "rg", "RG", "cm", "BT", "ET", "Tf", "Tm", "Tj"}
    assert drawn.count("BT") == drawn.count("ET") > 0


def test_a_crawl_with_topics_has_a_chapter_on_them(tmp_path: Path) -> None:
    topics = {"gardens": 6, "gardens.roses": 3, "sport": 3, "other": 4}
    names = [name for name, pages in topics.items() for _ in range(pages)]
    keys = {f"test.{name.replace('.', '-')}:/{at}": name for at, name in enumerate(names)}
    fetches = [
        Fetch(key, [other for other, about in keys.items() if about == name])
        for key, name in keys.items()
    ]
    folder = tmp_path / "mycrawl"
    about = {key: (name, 0.75) for key, name in keys.items()}
    write_with_topics(folder, [*fetches, Fetch(A)], about, wanted=["gardens"])
    found = report(folder, forms=("figures",))
    assert all(entry.shown.is_filled for entry in found.entries[-4:])
    assert sentence_of(found, "topics") == (
        "Of 16 pages that were classified, 12 (75 %) are about one of 3 topics; gardens has the"
        " most, 6; 1 other page was not."
    )
    assert sentence_of(found, "harvest") == (
        "9 of 16 classified pages (56.2 %) are about gardens, which the job wants."
    )
    # 30 + 6 + 6 + 12 links, and (30² + 6² + 6² + 12²) / 54 of them by chance
    assert sentence_of(found, "topic-links") == (
        "54 of 54 links (100 %) lead to a page of the same topic, 2.6 times as many as by chance."
    )
    assert sentence_of(found, "topic-sites") == (
        "3 sites have over half of their pages about one topic: gardens (1), gardens.roses (1) and"
        " sport (1)."
    )
    figures = folder / "report" / "figures"
    assert (figures / "harvest-1.dat").read_text().count("\n\n\n") == 2
    assert '"gardens" "other" 1 4 0\n' in (figures / "topic-links-1.dat").read_text()
    text = read(found.document).text
    assert "gardens.roses, wanted" in text and "sport, wanted" not in text


def test_a_crawl_without_topics_says_nothing_of_them(crawl: Path) -> None:
    assert "topic" not in read(report(crawl).document).text.lower()
