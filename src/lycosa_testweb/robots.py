"""Robots files together with their meaning.

A `Robots` is built from closures, each of which knows its lines in the file and, as
a plain predicate, which of the site's paths it closes. Whether a URL is allowed is thus
known by construction: nothing here parses a robots file. The closures of one file must
not contradict each other; the webs in `plans` are made so.

The delivery of the file is described too: its status, failures for a time or for ever,
redirects, padding up to and beyond the 500 KiB that RFC 9309 (2.5) lets a crawler cut at,
a byte order mark, line ends.

RFC 9309 decides the meaning of a file that cannot be fetched: a 4xx allows everything (2.3.1.3),
a 5xx or no answer forbids everything (2.3.1.4), and more redirects than five count as
no file (2.3.1.2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lycosa.model.records import Outcome
from lycosa_testweb.web import PLAIN, Reply
from lycosa_testweb.windows import Windows

MOST_REDIRECTS = 5
"""RFC 9309, 2.3.1.2: crawlers follow at least five."""
CUT_BYTES = 500 * 1024
"""RFC 9309, 2.5: what comes later need not be read."""
_REDIRECTS = (301, 302, 307, 308)


@dataclass(frozen=True, slots=True)
class Closure:
    """Some lines of a group and the paths they close."""

    lines: tuple[str, ...]
    closes: Callable[[str], bool]


def folder(path: str) -> Closure:
    """Close everything that begins so."""
    return Closure((f"Disallow: {path}",), lambda target: target.startswith(path))


def folder_but(path: str, open_path: str) -> Closure:
    """Close a folder, but not the folder `open_path` in it: the longer rule wins."""
    return Closure(
        (f"Disallow: {path}", f"Allow: {open_path}"),
        lambda target: target.startswith(path) and not target.startswith(open_path),
    )


def ending(suffix: str) -> Closure:
    """Close what ends so, by `*` and `$`."""
    return Closure((f"Disallow: /*{suffix}$",), lambda target: target.endswith(suffix))


def inner(part: str) -> Closure:
    """Close what has `part` anywhere after its first slash, by `*`."""
    return Closure((f"Disallow: /*{part}",), lambda target: target.find(part, 1) > 0)


def everything() -> Closure:
    """Close the whole site."""
    return Closure(("Disallow: /",), lambda target: True)


def _filling(size_bytes: int) -> list[str]:
    line = "# " + "-" * 76
    return [line] * (size_bytes // len(line))


def _token(agent: str) -> str:
    return agent.partition("/")[0].partition(" ")[0].lower()


@dataclass(frozen=True, slots=True)
class Group:
    """The rules for one product token, or for `*`."""

    token: str = "*"
    closures: tuple[Closure, ...] = ()
    crawl_delay_seconds: float = 0.0

    def lines(self) -> list[str]:
        """Return the group as it stands in the file."""
        lines = [f"User-agent: {self.token}"]
        lines += [line for closure in self.closures for line in closure.lines]
        if not self.closures:
            lines.append("Disallow:")
        if self.crawl_delay_seconds:
            lines.append(f"Crawl-delay: {self.crawl_delay_seconds:g}")
        return lines


@dataclass(frozen=True, slots=True)
class Robots:
    """A robots file, its delivery and its meaning."""

    groups: tuple[Group, ...] = ()
    status: int = 200
    failure: Outcome | None = None
    """The failure below HTTP with which requests for it end."""
    failing_status: int = 0
    """The 5xx it fails with."""
    failing: Windows | None = None
    """When it fails so; None means always."""
    hops: int = 0
    """How many redirects stand before the file."""
    abroad: bool = False
    """Whether the redirects lead to another host."""
    bytes_before: int = 0
    """Comments before the groups; beyond 500 KiB the groups need not be seen."""
    bytes_after: int = 0
    """Comments after the groups."""
    mark: bool = False
    line_end: str = "\n"
    sitemaps: tuple[str, ...] = ()
    """Paths of sitemaps on the same site."""

    def allows(self, target: str, agent: str) -> bool:
        """Say whether path and query may be asked for by `agent`."""
        if target == "/robots.txt" or 400 <= self.status < 500 or self.hops > MOST_REDIRECTS:
            return True
        if self.status >= 500 or self._fails_for_ever():
            return False
        group = self._group(agent)
        return group is None or not any(closure.closes(target) for closure in group.closures)

    def delay_for(self, agent: str) -> float:
        """Return the Crawl-delay for `agent`, or 0."""
        if self.status != 200 or self.hops > MOST_REDIRECTS:
            return 0.0
        group = self._group(agent)
        return group.crawl_delay_seconds if group else 0.0

    def _group(self, agent: str) -> Group | None:
        if self._is_beyond_the_cut():
            return None
        token = _token(agent)
        for wanted in (token, "*"):
            for group in self.groups:
                if group.token.lower() == wanted:
                    return group
        return None

    def _fails_for_ever(self) -> bool:
        return self.failing is None and (self.failure is not None or self.failing_status > 0)

    def _is_beyond_the_cut(self) -> bool:
        return self.bytes_before > CUT_BYTES

    def text(self, origin: str) -> bytes:
        """Return the file itself."""
        lines = [line for group in self.groups for line in [*group.lines(), ""]]
        lines += [f"Sitemap: {origin}{path}" for path in self.sitemaps]
        lines[:0] = _filling(self.bytes_before)
        lines += _filling(self.bytes_after)
        body = self.line_end.join([*lines, ""]).encode() if lines else b""
        return b"\xef\xbb\xbf" + body if self.mark else body

    def answer(self, hop: int, origin: str, next_hop: str, moment: float, *key: int) -> Reply:
        """Answer for the file (hop 0) or for a step of its redirects, in no time at all."""
        if self.failing is None or self.failing.open_until(moment, *key):
            if self.failure is not None:
                return Reply(0, failure=self.failure)
            if self.failing_status:
                return Reply(self.failing_status, PLAIN, b"out of order\n")
        if hop < self.hops:
            return Reply(_REDIRECTS[hop % 4], (("Location", next_hop),))
        if self.status != 200:
            return Reply(self.status, PLAIN, b"no robots file\n")
        return Reply(200, PLAIN, self.text(origin))
