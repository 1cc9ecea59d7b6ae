"""Compares libraries that take the main text out of a page: boilerplate removed, text lost, cost.

    python -m benchmarks.main_text --docs unpacked/usr/share/doc [--pages 40]

The pages are documentation packages of Debian (`benchmarks.doc_sites` says how to get them). The
element with the content of a page, known from the template of its site, is the reference. Before a
library sees a page, everything that names this element is taken off: `main` and `article` become
`div`, and its role, id and class are removed.

    lost       share of the words of the reference that the library leaves out
    left       share of the words outside the reference that it keeps
    lines      share of the lines in `pre` that come out as lines

`none` is the whole text. Libraries are measured as far as they are installed.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import lxml.html
import turbohtml

from lycosa.study.main_text import main_text

SITES = {
    "git": ("git-doc", "div#content"),
    "apache": ("apache2-doc/manual/en", "div#page-content"),
    "policy": ("debian-policy/policy.html", "div.body"),
    "exim": ("exim4-doc-html/spec_html", "div#content"),
    "django": ("python-django-doc/html", "div.yui-b > div.yui-g"),
    "python": ("python3.11/html", "div.body"),
    "postgresql": ("postgresql-doc-15/html", "div.sect1, div.chapter, div.refentry, div.appendix"),
    "handbook": ("debian-handbook/html/en-US", "div.section, div.chapter, div.appendix"),
}
_WORD = re.compile(r"\w+")
Method = Callable[[bytes], str]


class Page(NamedTuple):
    """A page without marks, and what its main text is."""

    content: bytes
    main: Counter[str]
    rest: Counter[str]
    lines: list[str]


def page_of(content: bytes, selector: str) -> Page | None:
    """Return a page and its reference; None if its template is another one."""
    tree = lxml.html.fromstring(content)
    found = tree.cssselect(selector)
    body = tree.find("body")
    if not found or body is None:
        return None
    main = found[0]
    for junk in tree.xpath("//script | //style | //body//comment()"):
        junk.drop_tree()
    words = Counter(_WORD.findall(_text(main)))
    rest = Counter(_WORD.findall(_text(body))) - words
    lines = [
        line.strip() for pre in main.iter("pre") for line in pre.text_content().split("\n")[:-1]
    ]
    for name in ("id", "class", "role", "itemprop"):
        main.attrib.pop(name, None)
    for element in tree.xpath("//main | //article | //*[@role='main']"):
        element.tag = "div"
        element.attrib.pop("role", None)
    if sum(words.values()) < 50:
        return None
    return Page(lxml.html.tostring(tree, encoding="utf-8"), words, rest, [x for x in lines if x])


def _text(element: Any) -> str:
    return " ".join(element.itertext())


def methods() -> dict[str, Method]:
    """Return the libraries that are installed, each as a function of the bytes of a page."""
    found: dict[str, Method] = {
        "none": lambda content: turbohtml.parse(content).to_text(),
        "turbohtml": lambda content: turbohtml.parse(content).main_text(),
        "lycosa": lambda content: main_text(content, "text/html; charset=utf-8") or "",
    }
    if find_spec("resiliparse"):
        from resiliparse.extract.html2text import extract_plain_text

        found["resiliparse"] = lambda content: extract_plain_text(
            content.decode(), main_content=True, alt_texts=False
        )
    if find_spec("trafilatura"):
        import trafilatura  # type: ignore[import-not-found,unused-ignore]

        found["trafilatura"] = lambda content: trafilatura.extract(content.decode()) or ""
        found["… recall"] = lambda content: (
            trafilatura.extract(content.decode(), favor_recall=True) or ""
        )
    return found


def measured(method: Method, pages: list[Page]) -> tuple[float, float, float, float]:
    """Return lost, left and lines as means over pages, and CPU microseconds a page."""
    lost, left, lines, cpu = [], [], [], 0.0
    for page in pages:
        began = time.process_time()
        text = method(page.content)
        cpu += time.process_time() - began
        words = Counter(_WORD.findall(text))
        lost.append((page.main - words).total() / page.main.total())
        if page.rest:
            kept = (words - page.main) & page.rest
            left.append(kept.total() / page.rest.total())
        if page.lines:
            there = {line.strip() for line in text.split("\n")}
            lines.append(sum(line in there for line in page.lines) / len(page.lines))
    return _mean(lost), _mean(left), _mean(lines), 1e6 * cpu / len(pages)


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / max(1, len(numbers))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=40, help="of each site")
    given = parser.parse_args()
    every: list[Page] = []
    by_site: dict[str, list[Page]] = {}
    for name, (folder, selector) in SITES.items():
        paths = sorted((given.docs / folder).rglob("*.html"))
        step = max(1, len(paths) // given.pages)
        pages = [page_of(path.read_bytes(), selector) for path in paths[::step]]
        by_site[name] = [page for page in pages if page is not None][: given.pages]
        every += by_site[name]
    size = sum(len(page.content) for page in every) / len(every) / 1000
    print(f"{len(every)} pages of {len(by_site)} sites, {size:.1f} kB a page\n")
    print(f"{'':<14}{'lost':>8}{'left':>8}{'lines':>8}{'µs a page':>12}   lost/left by site")
    for name, method in methods().items():
        lost, left, lines, cpu = measured(method, every)
        sites = [measured(method, pages)[:2] for pages in by_site.values() if pages]
        told = "  ".join(f"{one:.2f}/{other:.2f}" for one, other in sites)
        print(f"{name:<14}{lost:>8.3f}{left:>8.3f}{lines:>8.2f}{cpu:>12,.0f}   {told}", flush=True)
    print("\nsites: " + ", ".join(f"{name} {len(pages)}" for name, pages in by_site.items()))


if __name__ == "__main__":
    main()
