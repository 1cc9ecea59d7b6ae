"""Answer questions about URLs, robots files, pages and scope in bulk, as lines of JSON.

    urls      {"url", "base"?}                        → {"canonical", "key", "url_id", "refusal"}
    robots    {"robots_latin1", "agent"?, "url"}      → {"allowed", "rule", "line"}
    pages     {"file", "url"?, "content_type"?}       → {"outcome", "links", "title", "text", …}
    scopes    {"url", "base"?}                        → {"in", "reason", "rule", "canonical", …}
    triples   {"file", "base"?, "media_type"?}        → {"ntriples", "left_out"}  (`triples`)

Other members of a line, such as an `id`, are copied to its answer. A line that cannot be answered
gives `{"error": …}`, and reading continues.

Always true: the n-th line out answers the n-th line in, and is written before the next is read.

The URL of a robots line is compared as it is written, as in the published tests of robots
parsers; everywhere else the canonical form is compared.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from lycosa.errors import LycosaError
from lycosa.fetch.robots.lines import ExplainedRobots, explain_robots
from lycosa.model.job import Job
from lycosa.model.url import canonical_key, canonicalize, refusal, url_of
from lycosa.operate.checking.json_output import page_table, scope_table
from lycosa.operate.checking.pages import answer_of_file, check_page
from lycosa.operate.checking.robots import path_as_written
from lycosa.operate.checking.scope import ScopeChecker
from lycosa.storage.tables.rows import url_id

Given = Mapping[str, object]
Answering = Callable[[Given], dict[str, object]]

MEMBERS = {
    "url": ("url", "base"),
    "robots": ("robots_latin1", "agent", "url"),
    "page": ("file", "url", "content_type"),
    "scope": ("url", "base"),
    "triples": ("file", "base", "media_type"),
}
"""The members of each kind of line."""


class Wrong(Exception):
    """A line that cannot be answered; the text says why."""


class Batch:
    """Answers lines of one kind, and counts the errors."""

    def __init__(self, kind: str, answer: Answering) -> None:
        self._members = frozenset(MEMBERS[kind])
        self._answer = answer
        self.errors = 0

    def answers(self, lines: Iterable[bytes]) -> Iterator[str]:
        """Yield the answer to every line."""
        for line in lines:
            yield self._answered(line)

    def _answered(self, line: bytes) -> str:
        rest: dict[str, object] = {}
        try:
            given = _read(line)
            rest = {name: value for name, value in given.items() if name not in self._members}
            return _written(rest | self._answer(given))
        except (Wrong, LycosaError) as problem:
            self.errors += 1
            return _written(rest | {"error": str(problem).partition("\n")[0]})
        except RecursionError:
            self.errors += 1
            return _written({"error": "it is nested too deeply"})


def _read(line: bytes) -> dict[str, object]:
    try:
        given: object = json.loads(line, parse_constant=_no_number)
        _written(given)  # the answer repeats it, and must be JSON again: 1e999 is not
    except ValueError as problem:
        raise Wrong(f"it is not JSON: {problem}" if line.strip() else "the line is empty") from None
    if not isinstance(given, dict):
        raise Wrong("it is JSON, but not an object")
    return given


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _written(given: object) -> str:
    return json.dumps(given, allow_nan=False)


def text(given: Given, name: str) -> str:
    """Return a member that is required."""
    found = optional_text(given, name)
    if found is None:
        raise Wrong(f"`{name}` is missing")
    return found


def optional_text(given: Given, name: str) -> str | None:
    """Return a member that is optional, or None."""
    found = given.get(name)
    if found is not None and not isinstance(found, str):
        raise Wrong(f"`{name}` is not text")
    return found


def urls() -> Batch:
    """Return a batch for lines about URLs."""

    def answer(given: Given) -> dict[str, object]:
        url, base = text(given, "url"), optional_text(given, "base")
        key = canonical_key(url, base)
        return {
            "canonical": None if key is None else url_of(key),
            "key": key,
            "url_id": None if key is None else url_id(key),
            "refusal": refusal(url, base) if key is None else None,
        }

    return Batch("url", answer)


def robots(job: Job) -> Batch:
    """Return a batch for lines about robots files; it parses equal files once."""

    @lru_cache(maxsize=256)
    def read(text: str, agent: str) -> ExplainedRobots:
        return explain_robots(text.encode("latin-1"), agent, job.robots.largest_bytes)

    def answer(given: Given) -> dict[str, object]:
        content, url = text(given, "robots_latin1"), text(given, "url")
        agent = optional_text(given, "agent")
        try:
            found = read(content, job.fetch.agent if agent is None else agent)
        except UnicodeEncodeError as problem:
            raise Wrong(
                f"`robots_latin1` has U+{ord(content[problem.start]):04X}: every character must "
                "represent one byte, up to U+00FF"
            ) from None
        try:
            decision = found.decide(path_as_written(url))
        except ValueError as problem:
            raise Wrong(f"`url` cannot be parsed: {problem}") from None
        line = decision.line
        return {
            "allowed": decision.is_allowed,
            "rule": None if line is None else line.raw.decode("latin-1"),
            "line": None if line is None else line.number,
        }

    return Batch("robots", answer)


def pages(job: Job, scope: ScopeChecker | None) -> Batch:
    """Return a batch for lines about pages in files."""

    def answer(given: Given) -> dict[str, object]:
        path = Path(text(given, "file"))
        raw_url = optional_text(given, "url")
        url = None if raw_url is None else canonicalize(raw_url)
        if raw_url is not None and url is None:
            raise Wrong(f"`url` is not a URL that can be crawled: {refusal(raw_url)}")
        sent = answer_of_file(path, optional_text(given, "content_type"), job)
        return page_table(check_page(sent, url, job, scope))

    return Batch("page", answer)


def scopes(scope: ScopeChecker) -> Batch:
    """Return a batch for lines about scope."""

    def answer(given: Given) -> dict[str, object]:
        return scope_table(scope.check(text(given, "url"), optional_text(given, "base")))

    return Batch("scope", answer)
