"""Pages, links and labels of a corpus, read from its folder.

The folder holds `labels.tsv` (path, tab, fields with commas between them: `Science.Biology.Birds`)
and the pages, either in a folder `pages` or in `pages.tar.xz`. Links say `../../wp/a/Ant.htm`, so
the corpus is served under `/wp/`. Pages without a label belong to fields that have no name here.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from lycosa.extract.page import scan

SERVED_UNDER = "wp/"


class Link(NamedTuple):
    """A link to another page of the corpus."""

    target: int
    anchor: str
    url: str
    """The words of its URL, without folder and ending."""
    path: str
    """The path of its URL, as it is."""

    @property
    def text(self) -> str:
        """Anchor and words of the URL."""
        return f"{self.anchor} {self.url}"

    @property
    def whole(self) -> str:
        """Anchor and the whole path, as a crawl reads them: with folder and ending."""
        return f"{self.anchor} {self.path}"


class Corpus(NamedTuple):
    """All pages, numbered in the order of their paths."""

    paths: list[str]
    titles: list[str]
    contents: list[bytes]
    labels: list[tuple[str, ...]]
    links: list[list[Link]]

    def is_about(self, page: int, topic: str) -> bool:
        """Return whether one of a page's labels is this topic or below it."""
        return any(f"{label}.".startswith(f"{topic}.") for label in self.labels[page])

    def pages_about(self, topic: str) -> list[int]:
        """Return the pages of a topic."""
        return [page for page in range(len(self.paths)) if self.is_about(page, topic)]


def read_corpus(folder: Path) -> Corpus:
    """Read pages, links and labels."""
    known = dict(labels_of(folder))
    bodies = dict(bodies_of(folder))
    paths = sorted(bodies)
    numbers = {path: number for number, path in enumerate(paths)}
    corpus = Corpus(paths, [], [], [known.get(path, ()) for path in paths], [])
    for number, path in enumerate(paths):
        facts = scan(bodies[path], "text/html")
        corpus.titles.append(facts.title)
        corpus.contents.append(facts.content)
        found: dict[int, Link] = {}
        for href, text in zip(facts.hrefs, facts.texts, strict=True):
            target = target_of(href, numbers)
            if target is None or target == number or (target in found and not text):
                continue
            found[target] = Link(
                target, text, words_of_path(paths[target]), f"/{SERVED_UNDER}{quote(paths[target])}"
            )
        corpus.links.append(list(found.values()))
    return corpus


def target_of(href: str, numbers: dict[str, int]) -> int | None:
    """Return the page that a link names, if the corpus has it."""
    _, under, rest = href.partition(SERVED_UNDER)
    path = rest.partition("#")[0]
    if not under or not path:
        return None
    return numbers.get(path, numbers.get(unquote(path)))


def words_of_path(path: str) -> str:
    """Return the words of a page's URL, without its folder and ending."""
    name = path.rpartition("/")[2].removesuffix(".htm")
    return unquote(name).replace("_", " ")


def bodies_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of every page."""
    unpacked = folder / "pages"
    if unpacked.is_dir():
        for file in unpacked.rglob("*.htm"):
            yield file.relative_to(unpacked).as_posix(), file.read_bytes()
        return
    with tarfile.open(folder / "pages.tar.xz") as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content is not None and member.name.endswith(".htm"):
                yield member.name.removeprefix("pages/"), content.read()


def labels_of(folder: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield path and labels of every page that has labels."""
    for line in (folder / "labels.tsv").read_text(encoding="utf-8").splitlines():
        path, _, fields = line.partition("\t")
        yield path, tuple(fields.split(","))
