"""Mistakes that people make, typed, and what they are told.

Each row is a command as somebody might type it and words of the message. A message names what is
wrong and what to do. None shows a traceback, none leaves a folder behind that keeps the corrected
command from being typed.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from integration.small_servers import Asked, Told, serving_answers
from warm import lycosa

pytestmark = pytest.mark.quick

CONTACT = "--contact you@example.org"
MISTAKES = [
    # seeds
    (f"crawl htps://example.org/ -o x {CONTACT}", 2, "unknown scheme `htps`; did you mean https?"),
    (f"crawl ftp://example.org/ -o x {CONTACT}", 2, "`ftp`; a crawl asks http and https"),
    (f"crawl 'not a url' -o x {CONTACT}", 2, "it has a space, so it is not a URL"),
    (f"crawl example -o x {CONTACT}", 2, "it is not a URL; write it like https://example.org/"),
    (f"crawl http://me:pw@example.org/ -o x {CONTACT}", 2, "user name or a password"),
    (f"crawl https://exa_mple.org:99999/ -o x {CONTACT}", 2, "it is not a URL"),
    (f"crawl -o x {CONTACT}", 2, "The crawl has no seeds: give a SEED"),
    (f"crawl --seeds none.txt -o x {CONTACT}", 2, "none.txt"),
    ("crawl https://example.org/ -o x", 2, "add --contact"),
    ("crawl htps://example.org/ -o x", 2, "unknown scheme `htps`; did you mean https?"),
    ("htps://example.org/", 2, "unknown scheme `htps`; did you mean https?"),
    ("example.org -o x", 2, "add --contact"),
    ("file.txt", 2, "To crawl from the seeds in a file: lycosa crawl --seeds file.txt"),
    ("mine", 2, "To look at a crawl: lycosa status mine"),
    ("crawl https://example.org/ -o x --contact me", 2, "a mail address or the URL of a page"),
    ("crawl https://example.org/ -o x --contact you@host", 2, "a mail address or the URL of a p"),
    ("crawl http://localhost:1/ -o gone", 69, "at which no server listens; start it"),
    ("crawl http://localhost:PORT/away -o away", 69, "/away → https://example.org/there; to go"),
    ("crawl http://localhost:1/ -o x --min-free-disk 900TB", 2, "the disk has"),
    # scope
    (
        f"crawl https://example.org/ --include other.org -o x {CONTACT}",
        2,
        "your --include leaves out your own seed; add --include example.org",
    ),
    (
        f"crawl https://example.org/ --exclude .org -o x {CONTACT}",
        2,
        "rejects your own seed (suffix .org)",
    ),
    (f"crawl https://example.org/ --include '*.org' -o x {CONTACT}", 2, "did you mean `.org`?"),
    (f"crawl https://example.org/ --include 'regex:(' -o x {CONTACT}", 2, "--include: "),
    # folders
    (f"crawl https://example.org/ -o file.txt {CONTACT}", 2, "is a file, but a crawl needs a fold"),
    (f"crawl https://example.org/ -o /proc/xx {CONTACT}", 2, "/proc/xx: cannot be made here"),
    (f"crawl https://example.org/ -o full {CONTACT}", 2, "exists and is not empty"),
    ("status nowhere", 2, "there is no crawl here"),
    ("resume full", 2, "there is no crawl here"),
    # flags
    (
        f"crawl https://example.org/ --depth -1 -o x {CONTACT}",
        2,
        "'--depth': -1 is not in the range",
    ),
    (f"crawl https://example.org/ --level 3 -o x {CONTACT}", 2, "Did you mean --depth?"),
    (f"crawl https://example.org/ --wait 3 -o x {CONTACT}", 2, "Did you mean --delay?"),
    (f"crawl https://example.org/ --user-agent me -o x {CONTACT}", 2, "Use --set fetch.agent=NAME"),
    (f"crawl https://example.org/ --ignore-robots -o x {CONTACT}", 2, "are always obeyed"),
    (f"crawl https://example.org/ --delay fast -o x {CONTACT}", 2, "'fast' is not a time"),
    (f"crawl https://example.org/ --max-pages many -o x {CONTACT}", 2, "'many' is not"),
    ("crwl https://example.org/", 2, "Did you mean 'crawl'?"),
    # jobs
    (f"crawl https://example.org/ --set limits.max_depth=3 -o x {CONTACT}", 2, "`depth_static`"),
    (
        f"crawl https://example.org/ --set fetch.user_agent=me -o x {CONTACT}",
        2,
        "did you mean `agent`?",
    ),
    (f"crawl https://example.org/ --set depth=3 -o x {CONTACT}", 2, "is not SECTION.KEY=VALUE"),
    (
        f"crawl https://example.org/ --scheduler breadth -o x {CONTACT}",
        2,
        "did you mean `breadth-first`?",
    ),
    (f"crawl https://example.org/ --config none.toml -o x {CONTACT}", 2, "none.toml: cannot be"),
    ("config max_depth", 2, "did you mean `depth_static` in [limits]"),
    ("config limts", 2, "did you mean [limits]?"),
    # a crawl that is there
    ("explain mine http://localhost:PORT/login", 1, "reject:regex login, by rule 1 of the job"),
    ("explain mine nothing", 1, "is not a URL that can be crawled; write it like https://"),
    ("explain mine https://example.org/", 1, "would be refused, if a page links to it: loopback-o"),
    ("explain mine http://localhost:PORT/nowhere", 1, "no page that was fetched links to it"),
    ("cat mine http://localhost:PORT/nowhere", 1, "lycosa explain mine"),
    ("crawl http://localhost:PORT/ -o mine", 2, "already holds a crawl"),
    ("sparql mine 'SELECT * { ?s shema:name ?n }'", 7, "prefix `shema:` is not declared"),
    ("sparql mine books.rq", 7, "books.rq: there is no such file"),
    ("sql mine folder/books.sql", 7, "folder/books.sql: there is no such file"),
    ("sql mine 'select nothing from pages'", 1, "their columns: lycosa sql mine"),
    ("block mine other.example", 2, "the crawl does not know this host"),
    ("check robots http://localhost:PORT/ /private", 0, "site has none (status 404): every"),
    ("check page http://localhost:PORT/2", 0, "words"),
    ("replay mine", 1, "npm pack replaywebpage"),
]
WORKS = ["config rules", "config seeds", "config depth_static", "config limits.pages"]
"""What `lycosa config` lists can be typed after it."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    """A folder with a file, a folder that is not empty, and a crawl."""

    pages = {
        "/": "<title>x</title>words <a href=/login>l</a><a href=/2>2</a>",
        "/2": "<script type='application/ld+json'>{ this is no json }</script>words"
        '<script type=\'application/ld+json\'>{"@context": "https://schema.org",'
        '"@type": "Person", "name": "Ada"}</script>',
    }

    def site(asked: Asked) -> Told:
        if asked.path == "/away":
            return Told(302, "", {"Location": "https://example.org/there"})
        return Told(200, pages[asked.path]) if asked.path in pages else Told(404)

    folder = tmp_path_factory.mktemp("desk")
    (folder / "file.txt").write_text("text")
    (folder / "full").mkdir()
    (folder / "full" / "letter").write_text("text")
    with serving_answers(site) as port:
        flags = ("--exclude", "regex:login", "--set", "frontier.partitions=2", "--workers", "1")
        ran = lycosa("crawl", f"localhost:{port}", "-o", "mine", *flags, cwd=folder)
        assert ran.returncode == 0, ran.stderr
        assert "JSON-LD that is no JSON (lycosa.log names the pages)" in ran.stdout
        assert "lycosa report mine" in ran.stdout and "lycosa audit mine" in ran.stdout
        assert lycosa("index", "mine", cwd=folder).returncode == 0
        yield folder, port


@pytest.mark.parametrize(("typed", "code", "words"), MISTAKES)
def test_a_mistake_is_told_with_what_to_do(
    typed: str, code: int, words: str, desk: tuple[Path, int]
) -> None:
    folder, port = desk
    ran = lycosa(*shlex.split(typed.replace("PORT", str(port))), cwd=folder)
    told = " ".join((ran.stderr + ran.stdout).split())
    assert words in told, told
    assert ran.returncode == code
    assert "Traceback" not in told and "bug in lycosa" not in told
    assert not (folder / "x").exists()


def test_a_crawl_without_a_folder_gets_a_new_one_that_it_names_first(
    desk: tuple[Path, int],
) -> None:
    folder, port = desk
    name = f"localhost-{port}-{date.today():%Y-%m-%d}"
    for typed in (("crawl", f"http://localhost:{port}/2"), (f"http://localhost:{port}/2",)):
        ran = lycosa(*typed, "--quiet", cwd=folder)
        assert ran.returncode == 0, ran.stderr
    assert f"crawls into {name}-2" in ran.stderr
    assert (folder / name / "crawl.toml").exists() and (folder / f"{name}-2/crawl.toml").exists()


def test_a_server_that_refuses_connections_is_given_up_in_seconds(tmp_path: Path) -> None:
    began = time.monotonic()
    ran = lycosa("crawl", "http://localhost:1/", "--quiet", cwd=tmp_path)
    assert ran.returncode == 69 and time.monotonic() - began < 60, ran.stderr


@pytest.mark.parametrize("typed", WORKS)
def test_what_config_lists_can_be_asked_for(typed: str, desk: tuple[Path, int]) -> None:
    ran = lycosa(*typed.split(), cwd=desk[0])
    assert ran.returncode == 0 and ran.stdout and not ran.stderr
    assert lycosa(*typed.split(), "--json", cwd=desk[0]).stdout.startswith("{")


def test_broken_json_ld_is_told_with_its_page(desk: tuple[Path, int]) -> None:
    folder, port = desk
    lines = (folder / "mine" / "lycosa.log").read_text().splitlines()
    assert [line for line in lines if f"http://localhost:{port}/2: JSON-LD that is no JSON" in line]
