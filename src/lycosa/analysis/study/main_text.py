"""The main text of a page: its content without navigation, header and footer.

An engine finds it: a library that the job names, one for the index and one for corpora. Lines stay
lines. Without the library, or if nothing is found, a page has its whole text alone.

Engines run in a confined process (`_support.confined`), so a page that crashes a library, or takes
all time or memory, has no main text, and its outcome says why. Resiliparse takes quadratic time for
pages that nest deeply, have very many elements, or elements with very many attributes (20,000
nested elements: 23 s), and opens formatting elements again as the standard says (`html.trees`).
Such pages are not handed to an engine at all, so that a page takes a second or two at most.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from lycosa._support.confined import Confined, End
from lycosa.errors import LycosaError
from lycosa.extract.html.trees import is_overgrown
from lycosa.extract.text.charset import to_utf8
from lycosa.storage.warc.http_messages import header, parse_head

FOUND, NONE, TOO_LARGE = "found", "none", End.TOO_LARGE.value
"""Outcomes, beside those of a process that has ended (`End`)."""

MEMORY_BYTES = 1_500_000_000
"""Address space of the process: libraries alone take some 400 MB of it."""
SECONDS = 20.0
"""Limits for a page."""

MOST_CHARACTERS = 3_000_000
MOST_ELEMENTS = 60_000
MOST_DEPTH = 1_000
MOST_ATTRIBUTES = 3_000

_HTML_TYPES = ("text/html", "application/xhtml+xml")
_FEW_ELEMENTS = 4_000
"""Pages with at most this many elements are harmless, even if nested deeply."""
_TAG = re.compile(r"<(/?)(\w+)")
_ENDING_ALONE = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"}
    | {"source", "track", "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "option", "thead"}
    | {"tbody", "tfoot", "colgroup"}
)
"""Elements without an end, or whose end need not be written."""
_LONG_TAG = re.compile(rf"<(?:[^<>\s=]*+[\s=]++){{{MOST_ATTRIBUTES}}}")


class Engine(NamedTuple):
    """A library that finds main texts."""

    package: str
    extra: str
    """The extra of Lycosa that installs it."""
    version: str
    """The version of the way it is asked."""
    load: Callable[[], Callable[[str], str | None]]


def _resiliparse() -> Callable[[str], str | None]:
    from resiliparse.extract.html2text import extract_plain_text

    return partial(extract_plain_text, main_content=True, alt_texts=False, links=False)


def _trafilatura() -> Callable[[str], str | None]:
    from trafilatura import extract

    return partial(extract, include_comments=True)


ENGINES = {
    "resiliparse": Engine("resiliparse", "main-text", "1", _resiliparse),
    "trafilatura": Engine("trafilatura", "corpus", "1", _trafilatura),
}


class MainText(NamedTuple):
    """The main text of a page, or why it has none."""

    text: str | None
    outcome: str


class MainTexts:
    """Finds main texts one by one; a process is started with the first."""

    def __init__(
        self, engine: str, memory_bytes: int = MEMORY_BYTES, seconds: float = SECONDS
    ) -> None:
        maker = "lycosa.analysis.study.main_text:finder"
        self._confined = Confined(maker, engine, memory_bytes=memory_bytes, seconds=seconds)

    def find(self, body: bytes, content_type: str | None) -> MainText:
        """Return the main text of a page."""
        kind = (content_type or "text/html").partition(";")[0].strip().lower()
        if kind not in _HTML_TYPES or not body:
            return MainText(None, NONE)
        content = to_utf8(body, content_type)[0]
        if is_heavy(content.decode("utf-8", "replace")) or is_overgrown(content):
            return MainText(None, TOO_LARGE)
        found = self._confined.answer(content)
        if isinstance(found, End):
            return MainText(None, found.value)
        text = found.decode("utf-8", "replace").strip("\n")
        return MainText(text, FOUND) if text else MainText(None, NONE)

    def close(self) -> None:
        """End the process, if there is one."""
        self._confined.close()


def finder(engine: str) -> Callable[[bytes], bytes]:
    """Return the function that finds main texts in a confined process, with its library loaded."""
    find = ENGINES[engine].load()
    find("<p>a</p>")  # tables that a library loads with its first page

    def answer(content: bytes) -> bytes:
        return (find(content.decode("utf-8", "replace")) or "").encode("utf-8", "replace")

    return answer


def installed_version(engine: str) -> str:
    """Return the version of an engine's library; "" when it is not installed."""
    try:
        return version(ENGINES[engine].package)
    except PackageNotFoundError:
        return ""


def named(engine: str) -> str:
    """Return an engine with its version, as `trafilatura 2.3.1`."""
    return f"{engine} {installed_version(engine)}"


def require(command: str, engine: str) -> None:
    """Raise an error that says what to install, unless the library is there."""
    if not installed_version(engine):
        found = ENGINES[engine]
        raise LycosaError(
            f"{command} needs {found.package}\n"
            f"  install, in the clone of Lycosa: pip install '.[{found.extra}]'"
        )


def main_of_answer(engine: str, head: bytes, body: bytes) -> str | None:
    """Return the main text of an answer with this HTTP head; raise an error without the library."""
    require("lycosa cat --main", engine)
    texts = MainTexts(engine)
    try:
        return texts.find(body, header(parse_head(head)[1], "content-type") or None).text
    finally:
        texts.close()


def is_heavy(markup: str) -> bool:
    """Return whether a page would take the library too long."""
    elements = markup.count("<")
    return (
        len(markup) > MOST_CHARACTERS
        or elements > MOST_ELEMENTS
        or markup.count(">") > 2 * elements + MOST_ATTRIBUTES
        or (elements > _FEW_ELEMENTS and _depth(markup) > MOST_DEPTH)
        or _LONG_TAG.search(markup) is not None
    )


def _depth(markup: str) -> int:
    """Return the approximate depth of nesting."""
    depth = most = 0
    for slash, name in _TAG.findall(markup):
        if name.lower() in _ENDING_ALONE:
            continue
        if slash:
            depth = max(0, depth - 1)
        else:
            depth += 1
            most = max(most, depth)
    return most
