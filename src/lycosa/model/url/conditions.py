"""Conditions that a rule can place on a URL: host, domain, prefix, pattern, size.

A condition is a small frozen record with one method, `holds`. It is made once, when the
job is read, by a function that knows the usual ways to write it (`.cl`,
`https://example.org/docs/`, `["pdf", "zip"]`) and raises ValueError with the remedy for
anything else. It is then asked about every link, as a `Candidate`.

Hosts, suffixes and prefixes become prefixes of keys, because a key has its host
reversed: all URLs under a prefix, and all hosts under a domain, begin alike.

Cost: no condition reads more than the key; only `Matches` needs the URL itself.
Not here: the consequence of a condition (lycosa.model.url.scope).
"""

from collections import Counter
from collections.abc import Callable, Set
from typing import NamedTuple, Protocol

from msgspec import Struct

from lycosa._support.regex import Expression, compile_expression
from lycosa.model.url.canonical import canonicalize
from lycosa.model.url.key import key_of, reversed_host_of, url_of


class Candidate:
    """A URL on its way down the rules: its key, and the parts that conditions look at."""

    __slots__ = ("_url", "key")

    def __init__(self, key: str) -> None:
        self.key = key
        self._url: str | None = None

    @property
    def url(self) -> str:
        """The canonical URL."""
        if self._url is None:
            self._url = url_of(self.key)
        return self._url

    @property
    def path(self) -> str:
        """The path, from its first "/" to the query."""
        return self.key[self.key.index("/") :].partition("?")[0]

    @property
    def query(self) -> str:
        """The query without its "?", or nothing."""
        return self.key.partition("?")[2]

    @property
    def segments(self) -> list[str]:
        """The path's segments that are not empty."""
        return [segment for segment in self.path.split("/") if segment]

    @property
    def parameters(self) -> list[str]:
        """The query's `name=value` pieces that are not empty."""
        return [parameter for parameter in self.query.split("&") if parameter]


class Condition(Protocol):
    """A question about a URL."""

    def holds(self, candidate: Candidate) -> bool:
        """Tell whether the answer is yes."""


class IsHost(Struct, frozen=True):
    """The host is one of these; they stand reversed. The set may grow."""

    hosts: Set[str]

    def holds(self, candidate: Candidate) -> bool:  # noqa: D102
        return reversed_host_of(candidate.key) in self.hosts


class IsUnder(Struct, frozen=True):
    """The host is one of these domains or below one; they stand reversed.

    A name with the root's dot (`example.org.`) is in the same domain as without.
    """

    domains: frozenset[str]

    def holds(self, candidate: Candidate) -> bool:  # noqa: D102
        host = reversed_host_of(candidate.key).removeprefix(".")
        if host in self.domains:
            return True
        end = host.find(".")
        while end >= 0:
            if host[:end] in self.domains:
                return True
            end = host.find(".", end + 1)
        return False


class Begins(Struct, frozen=True):
    """The key begins in one of these ways."""

    beginnings: tuple[str, ...]

    def holds(self, candidate: Candidate) -> bool:  # noqa: D102
        return candidate.key.startswith(self.beginnings)


class Matches(Struct, frozen=True):
    """The canonical URL has a match of one of these patterns."""

    patterns: tuple[Expression, ...]

    def holds(self, candidate: Candidate) -> bool:  # noqa: D102
        return any(pattern.search(candidate.url) for pattern in self.patterns)


class HasExtension(Struct, frozen=True):
    """The last segment of the path ends in one of these, whatever their case."""

    endings: tuple[str, ...]

    def holds(self, candidate: Candidate) -> bool:  # noqa: D102
        last = candidate.path.rpartition("/")[2].partition(";")[0]
        return last.lower().endswith(self.endings)


class HasScheme(Struct, frozen=True):
    """The URL is https, or it is not."""

    is_https: bool

    def holds(self, candidate: Candidate) -> bool:  # noqa: D102
        site = candidate.key.partition("/")[0]
        return site.rpartition(":")[2].startswith("s") is self.is_https


class Measure(NamedTuple):
    """A number about a URL, and an upper bound of it that is cheap to compute."""

    bound: Callable[[str], int]
    exact: Callable[[Candidate], int]


MEASURES = {
    "max_url_length": Measure(
        bound=lambda key: len(key) + len("https://"),
        exact=lambda candidate: len(candidate.url),
    ),
    "max_path_segments": Measure(
        bound=lambda key: key.count("/"),
        exact=lambda candidate: len(candidate.segments),
    ),
    "max_repeated_segments": Measure(
        bound=lambda key: key.count("/"),
        exact=lambda candidate: max(Counter(candidate.segments).values(), default=0),
    ),
    "max_query_length": Measure(
        bound=len,
        exact=lambda candidate: len(candidate.query),
    ),
    "max_query_parameters": Measure(
        bound=lambda key: key.count("&") + 1,
        exact=lambda candidate: len(candidate.parameters),
    ),
}
"""Quantities of a URL, by the key that limits them."""


class Exceeds(Struct, frozen=True):
    """The URL is over a limit."""

    limit: str
    most: int

    def holds(self, candidate: Candidate) -> bool:  # noqa: D102
        measure = MEASURES[self.limit]
        return measure.bound(candidate.key) > self.most and measure.exact(candidate) > self.most


class Names(Struct, frozen=True):
    """A whole path segment (less its extension), parameter name or value is one of these."""

    segments: frozenset[str]
    parameters: frozenset[str]

    def holds(self, candidate: Candidate) -> bool:  # noqa: D102
        path, question_mark, query = candidate.key.lower().partition("?")
        segments = path.split("/")
        del segments[0]  # the site
        if not self.segments.isdisjoint(segments):
            return True
        for segment in segments:
            if "." in segment or ";" in segment:
                stem = segment.partition(";")[0].partition(".")[0]
                if stem in self.segments:
                    return True
        if not question_mark:
            return False
        return not self.parameters.isdisjoint(query.replace("=", "&").split("&"))


class AnyOf(Struct, frozen=True):
    """At least one of these conditions holds."""

    conditions: tuple[Condition, ...]

    def holds(self, candidate: Candidate) -> bool:  # noqa: D102
        return any(condition.holds(candidate) for condition in self.conditions)


def in_hosts(hosts: list[str]) -> IsHost:
    """Make the condition from host names as a job gives them."""
    return IsHost(frozenset(_reversed_host(host) for host in hosts))


def in_domains(suffixes: list[str]) -> IsUnder:
    """Make the condition from suffixes as a job gives them: `.cl`, `example.org`."""
    turned = (_reversed_host(suffix.removeprefix(".")) for suffix in suffixes)
    return IsUnder(frozenset(domain.removeprefix(".") for domain in turned))


def with_prefixes(prefixes: list[str]) -> Begins:
    """Make the condition from beginnings of URLs, which are made canonical."""
    return Begins(tuple(_beginning(prefix) for prefix in prefixes))


def matching(patterns: list[str]) -> Matches:
    """Make the condition from regular expressions."""
    return Matches(tuple(compile_expression(text) for text in patterns))


def with_extensions(extensions: list[str]) -> HasExtension:
    """Make the condition from file extensions, with their dot or without."""
    return HasExtension(tuple("." + extension.lower().lstrip(".") for extension in extensions))


def with_scheme(schemes: list[str]) -> HasScheme:
    """Make the condition from `http` or `https`."""
    if schemes not in (["http"], ["https"]):
        raise ValueError("a scheme is `http` or `https`; every other is refused without a rule")
    return HasScheme(schemes == ["https"])


def _beginning(prefix: str) -> str:
    url = canonicalize(prefix)
    if url is None:
        raise ValueError(
            f"`{prefix}` is not the beginning of a URL; write scheme and host as well, "
            "as in `https://example.org/docs/`"
        )
    if prefix.endswith("?"):
        url += "?"
    return key_of(url)


def _reversed_host(host: str) -> str:
    url = None if set(host) & set("/?#@*\\") else canonicalize(f"http://{host}/")
    if url is None or reversed_host_of(key_of(url)) + ":/" != key_of(url):
        bare = host.removeprefix("*")
        guess = f"; did you mean `{bare}`?" if bare.startswith(".") and "*" not in bare else ""
        raise ValueError(
            f"`{host}` is not a host name or suffix{guess}\n  write `example.org` or `.org`, "
            "without port, path or `*`; a URL with its scheme is a `prefix`"
        )
    return reversed_host_of(key_of(url))
