"""Compiles a site's robots file into rules for our agent, and decides URLs by them (RFC 9309).

`Rules` holds the merged rules of all groups that name us, or else of the `*` groups. The rest of
the file is dropped. The rule with the longest pattern decides; among equally long ones `Allow`
does.

Always true:
  * any bytes are a robots file: unreadable lines are skipped, one by one;
  * `/robots.txt` itself is allowed, and so is everything that no rule matches;
  * `Rules.from_bytes(rules.to_bytes())` decides as `rules` does; its sitemaps are not kept.

`Crawl-delay`, `Request-rate` and `Visit-time` are not of the RFC, and are obeyed.

Where RFC 9309 leaves room we follow Google's open-source parser: common misspellings
of the keys, a missing colon, and `Allow: /x/index.html` standing for `/x/` as well. `Disallow`
is compared in one spelling of both sides, as section 2.2.2 demands; `Allow` is
compared as that parser compares it, by the letter. So in doubt nothing is fetched.

Cost: one call in C when no rule forbids anything that begins like the path, else one step
a rule. Not here: fetching the file, the meaning of a missing file, how long a file is valid, which
line of it decided (fetch.robots.lines).
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable

from lycosa.errors import FormatError
from lycosa.fetch.robots.patterns import (
    Pattern,
    is_plain_path,
    path_literally,
    spell,
    spell_literally,
    spell_path,
)

LONGEST_LINE_BYTES = 16_664
"""Eight times the longest URL that browsers take; what is beyond is cut off."""

_KEYS: dict[bytes, str] = {
    b"user-agent": "agent",
    b"useragent": "agent",
    b"user agent": "agent",
    b"allow": "allow",
    b"disallow": "disallow",
    b"dissallow": "disallow",
    b"dissalow": "disallow",
    b"disalow": "disallow",
    b"diasllow": "disallow",
    b"disallaw": "disallow",
    b"sitemap": "sitemap",
    b"site-map": "sitemap",
    b"crawl-delay": "delay",
    b"crawldelay": "delay",
    b"crawl delay": "delay",
    b"request-rate": "rate",
    b"visit-time": "hours",
}
_LINE_ENDS = re.compile(rb"[\r\n]+")
_TOKEN = re.compile(rb"[A-Za-z_-]*")
_DELAY = rb"\d+(?:\.\d*)?|\.\d+"
_RATE = rb"(?i)(\d{1,6})\s*/\s*(\d{1,6})\s*([smhd]?)(?:\s+\d{4}\s*-\s*\d{4})?"
_HOURS = rb"(\d\d?):?(\d\d)\s*-\s*(\d\d?):?(\d\d)"
_UNITS = {b"": 1, b"s": 1, b"m": 60, b"h": 3600, b"d": 86400}
_COMPRESSED = b"z"
_COMPRESS_FROM_BYTES = 200

_DAY_MINUTES = 24 * 60

Hours = tuple[int, int]
"""A time of the day at which a site may be asked: minutes of the day in UTC, from and to."""
Rule = tuple[bool, str]
"""Whether it allows, and its pattern: literal if so, else in the spelling of `patterns.spell`."""


class Rules:
    """The rules of one site for one agent."""

    __slots__ = (
        "_forbidden_heads",
        "_ranked",
        "crawl_delay_seconds",
        "rules",
        "sitemaps",
        "visit_hours",
    )

    def __init__(
        self,
        rules: Iterable[Rule] = (),
        crawl_delay_seconds: float = 0.0,
        sitemaps: tuple[str, ...] = (),
        visit_hours: tuple[Hours, ...] = (),
    ) -> None:
        self.rules = tuple(sorted(set(rules), key=_rank))
        self.crawl_delay_seconds = crawl_delay_seconds
        """The longest of Crawl-delay and Request-rate; 0 when the file names none."""
        self.visit_hours = visit_hours
        """The times of Visit-time; at any time when there are none."""
        self.sitemaps = sitemaps
        """As written, for any agent."""
        self._ranked = [(is_allowing, Pattern(text)) for is_allowing, text in self.rules]
        self._forbidden_heads = tuple(
            {pattern.head for is_allowing, pattern in self._ranked if not is_allowing}
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rules) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    @property
    def _content(self) -> tuple[object, ...]:
        return self.rules, self.crawl_delay_seconds, self.visit_hours

    def __repr__(self) -> str:
        return f"Rules.from_bytes({self._to_text()!r})"

    def is_allowed(self, path_and_query: str) -> bool:
        """Return whether we may fetch a path."""
        heads = self._forbidden_heads
        if not heads:
            return True
        path = path_and_query
        if not (is_plain_path(path) and path.startswith("/")):  # few paths need another spelling
            path = _whole(spell_path(path))
        if not path.startswith(heads):
            return True
        rule = self._deciding_rule(path, _whole(path_literally(path_and_query)))
        return rule is None or rule[0]

    def deciding_rule(self, path_and_query: str) -> Rule | None:
        """Return the rule that decides, or None if none matches."""
        rule = self._deciding_rule(
            _whole(spell_path(path_and_query)), _whole(path_literally(path_and_query))
        )
        return None if rule is None else (rule[0], rule[1].text)

    def _deciding_rule(self, path: str, literally: str) -> tuple[bool, Pattern] | None:
        """Return the first rule that matches: what allows by the letter, what forbids by sense."""
        if path == "/robots.txt":
            return None
        for rule in self._ranked:
            is_allowing, pattern = rule
            compared = literally if is_allowing else path
            if compared.startswith(pattern.head) and (
                pattern.is_plain or pattern.matches(compared)
            ):
                return rule
        return None

    def allowed_paths(self) -> tuple[str, ...]:
        """Return the paths that are allowed by name, without wildcards: they lead somewhere."""
        texts = [text for is_allowing, text in self.rules if is_allowing]
        return tuple(text for text in texts if len(text) > 1 and not set("*$") & set(text))

    def to_bytes(self) -> bytes:
        """Return the rules in a short form; rules that say nothing are b""."""
        text = self._to_text()
        if len(text) < _COMPRESS_FROM_BYTES:
            return text
        return _COMPRESSED + zlib.compress(text, 9)

    def _to_text(self) -> bytes:
        lines = [("+" if is_allowing else "-") + text for is_allowing, text in self.rules]
        if self.crawl_delay_seconds:
            lines.append(f"={self.crawl_delay_seconds!r}")
        lines += [f"@{first}-{last}" for first, last in self.visit_hours]
        return "\n".join(lines).encode("ascii")

    @classmethod
    def from_bytes(cls, stored: bytes) -> Rules:
        """Return the rules that `to_bytes` wrote."""
        rules: list[Rule] = []
        hours: list[Hours] = []
        delay = 0.0
        try:
            if stored.startswith(_COMPRESSED):
                stored = zlib.decompress(stored[1:])
            for line in stored.decode("ascii").split("\n") if stored else ():
                if line.startswith("="):
                    delay = float(line[1:])
                elif line.startswith("@"):
                    first, _, last = line[1:].partition("-")
                    hours.append((int(first), int(last)))
                else:
                    rules.append(({"+": True, "-": False}[line[:1]], line[1:]))
        except (KeyError, ValueError, zlib.error) as error:
            raise FormatError(
                f"the log holds robots rules that cannot be read: {error!r}\n"
                "  it is damaged; rebuild what can be rebuilt: lycosa verify DIR --repair"
            ) from error
        return cls(rules, delay, visit_hours=tuple(hours))


def _rank(rule: Rule) -> tuple[int, bool, str]:
    """Longest first; among equals `Allow` first; the text makes the order total."""
    is_allowing, text = rule
    return -len(text), not is_allowing, text


def _whole(path: str) -> str:
    return path if path.startswith("/") else "/" + path


def compile_robots(body: bytes, agent: str, largest_bytes: int = 512_000) -> Rules:
    """Read a robots file for the agent with this product token."""
    compiler = Compiler(agent)
    for line in _LINE_ENDS.split(readable(body, largest_bytes)):
        meaning, value = read_line(line)
        if meaning:
            compiler.take(meaning, value)
    return compiler.rules()


class Compiler:
    """Takes a robots file in, line by line, and keeps what concerns one agent."""

    def __init__(self, agent: str) -> None:
        self.ours, self.everybodys = Group(), Group()
        self.open_groups: list[Group] = []
        """The groups that a rule which came now would belong to."""
        self._agent = agent.lower()
        self._sitemaps: dict[str, None] = {}
        self._is_head = True

    def take(self, meaning: str, value: bytes) -> None:
        """Process the next line, as read by `read_line`."""
        if meaning == "agent":
            if not self._is_head:
                self.open_groups, self._is_head = [], True
            if (group := self.group_for(value)) is not None:
                self.open_groups.append(group)
                group.is_named = True
        elif meaning == "sitemap":
            self._sitemaps[value.decode("utf-8", "replace")] = None
        elif meaning in ("delay", "rate", "hours"):
            # Not a rule of RFC 9309: it belongs to the group and does not end its head.
            for group in self.open_groups:
                if meaning == "hours":
                    group.open_at(value)
                else:
                    group.slow_down(delay_of(value) if meaning == "delay" else rate_of(value))
        else:
            self._is_head = False
            for group in self.open_groups:
                group.rules += rules_of(meaning, value)

    def group_for(self, value: bytes) -> Group | None:
        """Return the group that a `User-agent` line with this value opens, if it concerns us."""
        if (token := token_of(value)) and token.lower() == self._agent:
            return self.ours
        if value == b"*" or (value[:1] == b"*" and value[1:2].isspace()):
            return self.everybodys
        return None

    @property
    def chosen(self) -> Group:
        """The rules for the agent after all lines: of its own groups, or else of the `*` groups."""
        return self.ours if self.ours.is_named else self.everybodys

    def rules(self) -> Rules:
        """Return what all lines together say."""
        chosen = self.chosen
        return Rules(
            chosen.rules, chosen.crawl_delay_seconds, tuple(self._sitemaps), tuple(chosen.hours)
        )


class Group:
    """The rules of all groups for one agent, merged."""

    def __init__(self) -> None:
        self.is_named = False
        self.rules: list[Rule] = []
        self.crawl_delay_seconds = 0.0
        self.hours: list[Hours] = []

    def slow_down(self, delay_seconds: float | None) -> None:
        """Keep the longest delay; ignore a value that is not one."""
        self.crawl_delay_seconds = max(self.crawl_delay_seconds, delay_seconds or 0.0)

    def open_at(self, value: bytes) -> None:
        """Add a time of the day; ignore a value that is not one."""
        if (hours := hours_of(value)) is not None and hours not in self.hours:
            self.hours.append(hours)


def token_of(value: bytes) -> str:
    """Return the product token with which the value of a `User-agent` line begins, or ""."""
    token = _TOKEN.match(value)
    return token[0].decode("ascii") if token else ""


def rules_of(meaning: str, value: bytes) -> list[Rule]:
    """Return the rules that one `allow` or `disallow` line stands for; none if it is empty."""
    if not value:
        return []
    if meaning == "disallow":
        return [(False, spell(value))]
    pattern = spell_literally(value)
    folder, slash, page = pattern.rpartition("/")
    if slash and page.startswith("index.htm"):
        return [(True, pattern), (True, f"{folder}/$")]
    return [(True, pattern)]


def delay_of(value: bytes) -> float | None:
    """Return a Crawl-delay in seconds, or None if it is not a number."""
    if re.fullmatch(_DELAY, value) and math.isfinite(seconds := float(value)):
        return seconds
    return None


def rate_of(value: bytes) -> float | None:
    """Return the delay that a Request-rate asks for, as `1/10m`; None if it is none.

    A rate for a time of the day counts all day long: it only ever makes pauses longer.
    """
    found = re.fullmatch(_RATE, value)
    if found is None or not int(found[1]):
        return None
    return int(found[2]) * _UNITS[found[3].lower()] / int(found[1])


def hours_of(value: bytes) -> Hours | None:
    """Return a Visit-time, as `0600-0845`, in minutes of the day in UTC; None if it is none.

    Equal ends mean the whole day, and so no limit.
    """
    found = re.fullmatch(_HOURS, value)
    if found is None:
        return None
    first, last = (int(found[n]) * 60 + int(found[n + 1]) for n in (1, 3))
    if max(int(found[2]), int(found[4])) > 59 or max(first, last) > _DAY_MINUTES:
        return None
    first, last = first % _DAY_MINUTES, last % _DAY_MINUTES
    return None if first == last else (first, last)


def seconds_until_open(hours: Iterable[Hours], moment: float) -> float:
    """Return how long after a moment a site may be asked by its Visit-time; 0.0 for now."""
    now = moment / 60 % _DAY_MINUTES
    waits = []
    for first, last in hours:
        if (now - first) % _DAY_MINUTES < (last - first) % _DAY_MINUTES:
            return 0.0
        waits.append((first - now) % _DAY_MINUTES * 60)
    return min(waits, default=0.0)


def readable(body: bytes, largest_bytes: int) -> bytes:
    """Return the part of a file that is read: whole lines, without a byte order mark."""
    if len(body) > largest_bytes:
        # Half a line could say anything, for instance `Disallow: /`.
        body = body[: largest_bytes + 1]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r"), 0)]
    return body.removeprefix(b"\xef\xbb\xbf")


def read_line(line: bytes) -> tuple[str, bytes]:
    """Return the meaning of a line's key, and its value; the meaning is "" if it has none."""
    text = line[:LONGEST_LINE_BYTES].partition(b"#")[0].strip()
    key, colon, value = text.partition(b":")
    if not colon:
        words = text.split()
        if len(words) != 2:
            return "", text
        key, value = words
    return _KEYS.get(key.strip().lower(), ""), value.strip()
