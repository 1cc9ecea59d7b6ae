"""Explains a robots file line by line: which line decides a URL, and which lines have no effect.

`lycosa.fetch.robots.rules` drops the file once it is compiled. Here every line keeps its number.
The same `Compiler` reads the file and the same `Rules` decide, so this explanation cannot differ
from a crawl's decision; this module only remembers which line each rule came from, and comments
on the others.

Always true:
  * `explain_robots(b, a).decide(p).is_allowed == compile_robots(b, a).is_allowed(p)`;
  * the deciding line, alone in a group, decides the same;
  * lines are counted as editors do: `\\r\\n`, `\\r` and `\\n` each end one.

Cost: two to three times that of `compile_robots`. It is for people, not for crawls.
"""

from __future__ import annotations

import difflib
import re
from typing import NamedTuple

from lycosa.fetch.robots.rules import (
    LONGEST_LINE_BYTES,
    Compiler,
    Group,
    Rule,
    Rules,
    delay_of,
    hours_of,
    rate_of,
    read_line,
    readable,
    rules_of,
    token_of,
)

_LINE_END = re.compile(rb"\r\n|\r|\n")
_KEYS = (
    *("user-agent", "allow", "disallow", "sitemap", "crawl-delay", "request-rate", "visit-time"),
)
_KEYS_OF_OTHERS = frozenset({"host", "clean-param", "noindex", "nofollow", "content-signal"})
_SPELLED = {
    "agent": "User-agent",
    "delay": "Crawl-delay",
    "rate": "Request-rate",
    "hours": "Visit-time",
}


class Line(NamedTuple):
    """A line of the file, without the spaces around it."""

    number: int
    raw: bytes

    @property
    def text(self) -> str:
        """The line for people."""
        return self.raw.decode("utf-8", "replace")


class Remark(NamedTuple):
    """A comment on one line."""

    line: Line
    why: str
    is_ignored: bool
    """Whether the line has no effect; else it has one but may be a mistake."""


class Decision(NamedTuple):
    """Whether a path may be fetched, and the line that decides, if there is one."""

    is_allowed: bool
    line: Line | None
    why: str


class ExplainedRobots(NamedTuple):
    """A robots file, read for one agent."""

    agent: str
    rules: Rules
    group: tuple[Line, ...]
    """The `User-agent` lines of the groups that bind the agent."""
    is_named: bool
    """Whether these groups name the agent; otherwise they are the `*` groups."""
    remarks: tuple[Remark, ...]
    origins: dict[Rule, Line]

    def decide(self, path_and_query: str) -> Decision:
        """Decide whether the agent may fetch a path, with the reason."""
        is_allowed = self.rules.is_allowed(path_and_query)
        rule = self.rules.deciding_rule(path_and_query)
        if rule is not None:
            return Decision(is_allowed, self.origins[rule], "the longest pattern that matches")
        if path_and_query == "/robots.txt":
            return Decision(is_allowed, None, "the robots file itself is always allowed")
        if not self.group:
            return Decision(is_allowed, None, f"no group is for {self.agent or 'this agent'}")
        return Decision(is_allowed, None, "no line of the group matches")


def explain_robots(body: bytes, agent: str, largest_bytes: int = 512_000) -> ExplainedRobots:
    """Read a robots file for the agent with this product token, keeping its lines."""
    reader = _Reader(agent)
    read = readable(body, largest_bytes)
    number = 0
    for number, line in enumerate(_LINE_END.split(read), start=1):
        reader.take(line, number)
    if len(body) > largest_bytes:
        line = Line(number + 1, b"")
        why = f"the file is longer than {largest_bytes:,} bytes; the rest is not read"
        reader.remarks.append(Remark(line, why, True))
    return reader.explained(agent)


class _Reader:
    """Passes the lines to a compiler and records the effect of each."""

    def __init__(self, agent: str) -> None:
        self._compiler = Compiler(agent)
        self.remarks: list[Remark] = []
        groups = (self._compiler.ours, self._compiler.everybodys)
        self._heads: dict[Group, list[Line]] = {group: [] for group in groups}
        self._origins: dict[Group, dict[Rule, Line]] = {group: {} for group in groups}
        self._has_agent = False
        self._agents_end = 0
        """The last line of the agents that are being listed; 0 once a rule has ended the list."""
        self._parts_agents = False
        """Whether a line stands behind it that people take for the end of the list."""

    def take(self, whole: bytes, number: int) -> None:
        """Read the next line."""
        line = Line(number, whole.strip())
        if len(whole) > LONGEST_LINE_BYTES:
            self._remark(line, f"only its first {LONGEST_LINE_BYTES:,} bytes are read", False)
        meaning, value = read_line(whole)
        if meaning in ("allow", "disallow"):
            self._agents_end = 0
        elif meaning != "agent" and not line.raw.startswith(b"#"):
            self._parts_agents = True
        if not meaning:
            if why := _why_unread(line.raw):
                self._remark(line, why)
            return
        if said := _misspelling(line.raw, meaning):
            self._remark(line, said, False)
        self._compiler.take(meaning, value)
        if meaning == "agent":
            self._agent_named(line, value)
        elif meaning == "sitemap":
            if not value.lower().startswith((b"http://", b"https://")):
                self._remark(line, "a sitemap needs a full URL, with http(s)://", False)
        # RFC 9309, 2.2.1: rules belong to the group of a User-agent line before them.
        elif not self._has_agent:
            self._remark(line, "it stands before the first User-agent line, so it has no effect")
        elif meaning == "delay":
            if delay_of(value) is None:
                self._remark(line, "it is not a number of seconds")
        elif meaning == "rate":
            if rate_of(value) is None:
                self._remark(line, "it is not a rate, as `1/10` (a page in ten seconds) or `1/5m`")
        elif meaning == "hours":
            if hours_of(value) is None:
                self._remark(line, "it is not a time of the day in UTC, as `0600-0845`")
        else:
            self._rule_given(line, meaning, value)

    def explained(self, agent: str) -> ExplainedRobots:
        """Return what was found."""
        chosen = self._compiler.chosen
        return ExplainedRobots(
            agent,
            self._compiler.rules(),
            tuple(self._heads[chosen]),
            chosen is self._compiler.ours,
            tuple(self.remarks),
            self._origins[chosen],
        )

    def _agent_named(self, line: Line, value: bytes) -> None:
        self._has_agent = True
        if self._agents_end and self._parts_agents:
            why = (
                f"it joins the group of line {self._agents_end}, whose list of robots only Allow "
                "and Disallow end: the rules below are for all of them"
            )
            self._remark(line, why, False)
        self._agents_end, self._parts_agents = line.number, False
        group = self._compiler.group_for(value)
        if group is not None:
            self._heads[group].append(line)
        token = token_of(value)
        if not token and group is None:
            self._remark(line, "it names no robot: a name has letters, `-` and `_` only")
        elif token and len(token) != len(value):
            self._remark(line, f"read as `{token}`: a name has letters, `-` and `_` only", False)

    def _rule_given(self, line: Line, meaning: str, value: bytes) -> None:
        rules = rules_of(meaning, value)
        if not rules:
            does = "forbids" if meaning == "disallow" else "allows"
            self._remark(line, f"it is empty and {does} nothing", meaning == "allow")
        elif value[:1] not in (b"/", b"*"):
            self._remark(line, "it matches nothing: a pattern begins with `/` or `*`")
        earlier = line.number
        for group in self._compiler.open_groups:
            for rule in rules:
                first = self._origins[group].setdefault(rule, line)
                if rule == rules[0]:
                    earlier = min(earlier, first.number)
        if earlier != line.number:
            self._remark(line, f"it repeats line {earlier}", False)

    def _remark(self, line: Line, why: str, is_ignored: bool = True) -> None:
        self.remarks.append(Remark(line, why, is_ignored))


def _key(raw: bytes) -> str:
    """Return the key of a line, in lower case."""
    text = raw.partition(b"#")[0].strip()
    key = text.partition(b":")[0] if b":" in text else (text.split() or [b""])[0]
    return key.strip().lower().decode("utf-8", "replace")


def _why_unread(raw: bytes) -> str:
    """Return why a line has no meaning; "" for an empty line or a comment."""
    text = raw.partition(b"#")[0].strip()
    if not text:
        return ""
    if text.startswith(b"<"):
        return "it is HTML, not a line of a robots file"
    key = _key(raw)
    if b":" not in text and (len(text.split()) != 2 or key not in _KEYS_OF_OTHERS):
        return "it has no colon: a line is `key: value`"
    if key in _KEYS_OF_OTHERS:
        return f"`{key}` is not a key of RFC 9309; some other robots know it"
    near = difflib.get_close_matches(key[:40], _KEYS, 1)
    guess = f"; did you mean `{near[0]}`?" if near else ""
    return f"there is no key `{_short(key)}`{guess}"


def _misspelling(raw: bytes, meaning: str) -> str:
    """Return how a line is misspelled that is still understood; "" if it is not."""
    meant = _SPELLED.get(meaning, meaning.capitalize())
    if _key(raw) != meant.lower():
        return f"read as `{meant}`, the correct spelling"
    return "" if b":" in raw.partition(b"#")[0] else "its colon is missing; it is read anyway"


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
