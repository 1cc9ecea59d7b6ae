"""A crawl with `--language` keeps its language, says so everywhere, and can be mended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import zstandard

from lycosa.model.records import Request
from lycosa.storage.archive.reader import table
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import HTML, Reply
from lycosa_testweb.webs.graph import GraphWeb
from warm import lycosa

HOME = "http://www.a.test/"
TEXTS = {
    "": "All human beings are born free and equal in dignity and rights. They are endowed with"
    " reason and conscience and should act towards one another in a spirit of brotherhood.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft"
    " und Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués"
    " de raison et de conscience et doivent agir dans un esprit de fraternité.",
}


class ThreeLanguages(GraphWeb):
    """An English page leads to a German one, and that to a French one; `/sitemap.xml` is a page."""

    def __init__(self) -> None:
        super().__init__({HOME: [], f"{HOME}de": [], f"{HOME}fr": []})

    def answer(self, request: Request, moment: float) -> Reply:
        path = request.url.removeprefix(HOME)
        if path == "robots.txt":
            return super().answer(request, moment)
        text = TEXTS.get(path, "What you look for is not here.")
        body = (
            f'<html lang=en><title>{path}</title><p>{text} <a href="/de">1</a><a href="/fr">2</a>'
        )
        data = '<script type="application/ld+json">{"@id": "#a", "http://a.test/p": "1"}</script>'
        return Reply(200, HTML, (body + data).encode(), 0.01)


def rows(folder: Path) -> dict[str, list[Any]]:
    """Return the rows of the tables, and the quads, in an order."""
    keys = {"pages": "url", "links": "target_url", "text": "url"}
    packed = [path.read_bytes() for path in (folder / "triples").glob("*.zst")]
    found: dict[str, list[Any]] = {
        "triples": sorted(line for some in packed for line in _unpacked(some).splitlines())
    }
    for kind, key in keys.items():
        lines = table(folder, kind).to_pylist()
        found[kind] = sorted(lines, key=lambda row: (row.get("source_url", ""), row[key]))
    return found


def _unpacked(data: bytes) -> bytes:
    with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as reader:
        return reader.read()


def test_a_crawl_in_one_language(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SocketWeb(ThreeLanguages()) as server:
        ran = lycosa(
            *("crawl", HOME, "-o", folder, "--language", "de", "--language", "fr"),
            *("--allow-private", "--set", f"fetch.hosts_file={server.hosts_file}"),
            *("--delay", "0.05", "--mining", "off"),
        )
    assert ran.returncode == 0, ran.stderr
    assert "left out\n          1   wrong language" in ran.stdout
    assert "sitemap" not in ran.stdout  # it is no failure
    status = json.loads(lycosa("status", folder, "--json").stdout)
    assert status["outcomes"] == {"kept": 2, "wrong_language": 1, "no_sitemap": 1}
    why = lycosa("explain", folder, HOME).stdout.replace("\n", " ")
    assert "wrong language (wrong_language); its language is not in [extract] languages" in why
    tried = lycosa("explain", folder, f"{HOME}sitemap.xml").stdout.replace("\n", " ")
    assert "tried as the site's sitemap, but the answer is not a sitemap" in tried
    assert "tried: sitemaps are often there" in tried
    before = rows(folder)
    assert {row["url"] for row in before["text"]} == {f"{HOME}de", f"{HOME}fr"}
    assert len([row for row in before["links"] if row["source_url"] == HOME]) == 2
    assert {row["outcome"] for row in before["pages"]} == set(status["outcomes"])
    assert len(before["triples"]) == 2 * 2  # two pages, each a quad behind its heading
    for kind in before:
        for path in (folder / kind).iterdir():
            path.unlink()
    assert lycosa("verify", folder, "--repair").returncode == 0
    assert rows(folder) == before
