"""Plugins, topics and structured data see a page as the browser has rendered it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from integration.small_servers import serving_site
from lycosa import Crawl, Job, Plugin, SeenPage, run
from lycosa.extract.topics.training import train
from lycosa.storage.archive.layout import SEALED, names_in, quads_path
from lycosa.storage.tables.quads import blocks
from made_topics import VOCABULARIES, examples, made_texts, sentence
from warm import lycosa

pytestmark = pytest.mark.needs("chromium")
BOOK = {"@context": "http://schema.org/", "@type": "Book", "name": "Made by a script"}
WORDS = 200
MADE = WORDS + 1
"""The texts of the links stand together, as one word."""
SHELLS = ("/", "/bad")
PLAIN = ("/kept", "/dropped", "/added", "/behind-bad")


def site(path: str) -> tuple[int, str]:
    """Answer with shells, whose content scripts make, and with a few plain pages."""
    if path in PLAIN:
        return 200, f"<title>{path}</title><p>A page.</p>"
    if path not in SHELLS:
        return 404, ""
    text = sentence(VOCABULARIES["music"], Random(1), WORDS)
    names = ("kept", "dropped", "bad") if path == "/" else ("behind-bad",)
    made = f"<p>{text}</p>" + "".join(f"<a href=/{name}>{name}</a>" for name in names)
    return 200, (
        "<!doctype html><title>Shell</title><div id=root></div>"
        f"<script>root.innerHTML = {json.dumps(made)};"
        "const data = document.createElement('script');"
        f"data.type = 'application/ld+json'; data.textContent = {json.dumps(json.dumps(BOOK))};"
        "document.head.append(data)</script>"
    )


def look(page: SeenPage) -> None:
    if page.is_rendered and page.url.endswith("/bad"):
        raise ValueError("not this one")
    page["words"] = len(page.text.split())
    page["by_browser"] = page.is_rendered
    page.drop_links(lambda link: link.url.endswith("/dropped"))
    if page.is_rendered:
        page.add_link("/added")


def crawled(folder: Path, seed: str) -> Crawl:
    train(examples(made_texts(30))).write(folder / "topics.model")
    job = Job.of(
        seeds=[seed],
        politeness={"delay_seconds": 0.02, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
        fetch={"allow_private": True},
        discovery={"mining": "off"},
        extract={"soft_404_after": 0},
        robots={"sitemaps": False},
        render={"mode": "auto"},
        topics={"model": str(folder / "topics.model")},
        crawl={"workers": 1},
    )
    mine = Plugin("mine", on_page=look, columns={"words": int, "by_browser": bool})
    return run(folder / "crawl", job, plugins=[mine])


def test_plugins_topics_and_triples_see_the_rendered_page(tmp_path: Path) -> None:
    with serving_site(site) as port:
        crawl = crawled(tmp_path, f"http://127.0.0.1:{port}/")
    folder = tmp_path / "crawl"
    paths = {page.url.partition(str(port))[2]: page for page in crawl.pages(outcome="kept")}
    assert sorted(paths) == ["/", "/added", "/bad", "/kept"]
    (rendered,) = crawl.pages(outcome="rendered")
    plain = paths["/"]
    assert (plain.extra["words"], plain.extra["by_browser"]) == (0, False)
    assert (rendered.extra["words"], rendered.extra["by_browser"]) == (MADE, True)
    assert plain.extra["topic"] is None and rendered.extra["topic"] == "music"
    links = {link.target_url.partition(str(port))[2] for link in crawl.links()}
    assert {"/kept", "/added", "/bad"} <= links and "/dropped" not in links
    said = [
        (block.url, block.quads)
        for name in names_in(folder, "pages", SEALED)
        for block in blocks(quads_path(folder, name))
        if block.quads
    ]
    assert [url for url, _ in said] == [plain.url]
    assert b'"Made by a script"' in said[0][1]
    status = json.loads(lycosa("status", folder, "--json").stdout)
    assert status["rendered"] == {"hook-failed": 1, "rendered": 1}
    assert lycosa("explain", folder, plain.url).stdout.count("music") >= 1
    for command in ("audit", "verify"):
        done = lycosa(command, folder)
        assert done.returncode == 0, done.stdout + done.stderr
