"""Changes that transform rules make to URLs, such as dropping parameters or `www.`.

Each of them can merge pages that differ on some server (see
docs/decisions/0001-urls.md), so a change is only made by an explicit rule of a job.

A change is a small frozen record with one method: `apply` takes a `Candidate` and returns a URL, or
None if there is nothing to change. The result need not be canonical, nor even valid:
lycosa.model.url.scope checks both.

Always true: a change leaves every part of the URL that it does not name as it was, byte for byte.
"""

from typing import Protocol

from msgspec import Struct

from lycosa._support.regex import Expression
from lycosa.model.url.conditions import Candidate
from lycosa.model.url.key import site_of, site_url


class Change(Protocol):
    """A way to rewrite a URL."""

    def apply(self, candidate: Candidate) -> str | None:
        """Return the new URL, or None if nothing is to be changed."""


class DropIndexFiles(Struct, frozen=True):
    """`/docs/index.html` becomes `/docs/`, for the file names given."""

    names: frozenset[str]

    def apply(self, candidate: Candidate) -> str | None:  # noqa: D102
        folder, slash, name = candidate.path.rpartition("/")
        if name not in self.names:
            return None
        return _rebuilt(candidate, folder + slash, candidate.query)


class DropWww(Struct, frozen=True):
    """`www.example.org` becomes `example.org`; `www.org` stays what it is."""

    def apply(self, candidate: Candidate) -> str | None:  # noqa: D102
        scheme, _, rest = candidate.url.partition("://")
        shorter = rest
        while shorter.startswith("www.") and "." in shorter[4 : shorter.index("/")].rstrip("."):
            shorter = shorter[4:]
        return None if shorter == rest else f"{scheme}://{shorter}"


class SortQuery(Struct, frozen=True):
    """Parameters stand in the order of their names; equal names keep their order."""

    def apply(self, candidate: Candidate) -> str | None:  # noqa: D102
        parameters = candidate.query.split("&")
        query = "&".join(sorted(parameters, key=_name))
        return None if query == candidate.query else _rebuilt(candidate, candidate.path, query)


class RemoveParameters(Struct, frozen=True):
    """Parameters of these names go, from the query and from `;name=value` in the path.

    Names are compared without regard to case; a name in `beginnings` stands for all
    that begin so.
    """

    names: frozenset[str]
    beginnings: tuple[str, ...]

    def apply(self, candidate: Candidate) -> str | None:  # noqa: D102
        if "?" not in candidate.key and ";" not in candidate.key:
            return None
        path, query = candidate.path, candidate.query
        if query:
            query = "&".join([piece for piece in query.split("&") if not self._is_named(piece)])
        if ";" in path:
            path = "/".join(self._without_parameters(segment) for segment in path.split("/"))
        if path == candidate.path and query == candidate.query:
            return None
        return _rebuilt(candidate, path, query)

    def _is_named(self, parameter: str) -> bool:
        name = _name(parameter).lower()
        return name in self.names or name.startswith(self.beginnings)

    def _without_parameters(self, segment: str) -> str:
        first, *parameters = segment.split(";")
        return ";".join([first, *(piece for piece in parameters if not self._is_named(piece))])


class Replace(Struct, frozen=True):
    """Every match of a pattern in the canonical URL is replaced."""

    pattern: Expression
    replacement: str

    def apply(self, candidate: Candidate) -> str | None:  # noqa: D102
        url = self.pattern.sub(self.replacement, candidate.url)
        return None if url == candidate.url else url


def remove_parameters(names: list[str]) -> RemoveParameters:
    """Make the change from names as a job gives them: `sid`, `utm_*`."""
    lowered = [name.lower() for name in names]
    for name in lowered:
        if not name.rstrip("*") or "*" in name[:-1]:
            raise ValueError(f"`{name}`: a `*` may only end a name, as in `utm_*`")
    return RemoveParameters(
        names=frozenset(name for name in lowered if not name.endswith("*")),
        beginnings=tuple(name[:-1] for name in lowered if name.endswith("*")),
    )


def _name(parameter: str) -> str:
    return parameter.partition("=")[0]


def _rebuilt(candidate: Candidate, path: str, query: str) -> str:
    url = site_url(site_of(candidate.key)) + path
    return f"{url}?{query}" if query else url
