"""Other names for a page: redirects of all sorts, refresh, canonical.

Every chain ends at a page of its own under `end/`, except those that never end: two URLs
that name each other, one that names itself, one that names nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lycosa.model.records import LinkKind
from lycosa_testweb.generated.page import Page
from lycosa_testweb.generated.section import Ground
from lycosa_testweb.mixing import mix

_CODES = (301, 302, 303, 307, 308)


@dataclass(frozen=True, slots=True)
class Moves:
    """Redirects, refresh and canonical links."""

    chain: int = 4
    folder: str = "moves"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to the beginning of every way."""
        base = ground.base(self.folder)
        names = [str(code) for code in _CODES]
        names += ["chain-1", "loop-1", "self", "abroad", "lost", "refresh", "canonical?from=home"]
        return [base + name for name in names]

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return the redirect, refresh or canonical page at a path."""
        base = ground.base(self.folder)
        if rest == "canonical" and query == "from=home":
            return self._named(ground, f"{base}end/canonical", LinkKind.CANONICAL)
        if query:
            return None
        if rest == "refresh":
            return self._named(ground, f"{base}end/refresh", LinkKind.REFRESH)
        if rest.startswith("end/") and rest[4:] in self._ends():
            return ground.plain(f"The end of {rest[4:]}")
        return self._redirect(ground, base, rest)

    def _redirect(self, ground: Ground, base: str, rest: str) -> Page | None:
        if rest == "lost":
            return Page(status=302)
        status, target = 302, ""
        if rest.isdecimal() and int(rest) in _CODES:
            status, target = int(rest), f"{base}end/{rest}"
        elif (
            rest.startswith("chain-") and rest[6:].isdecimal() and 1 <= int(rest[6:]) <= self.chain
        ):
            step = int(rest[6:])
            last = step == self.chain
            status, target = (
                _CODES[step % 5],
                f"{base}end/chain" if last else f"{base}chain-{step + 1}",
            )
        elif rest in ("loop-1", "loop-2"):
            target = f"{base}loop-{3 - int(rest[5:])}"
        elif rest == "self":
            target = f"{base}self"
        elif rest == "abroad":
            target = ground.elsewhere(mix(ground.seed, 77))
        return Page(status=status, links=((target, LinkKind.REDIRECT),)) if target else None

    def _named(self, ground: Ground, target: str, kind: LinkKind) -> Page:
        return ground.plain(f"Another name of {target}")._replace(links=((target, kind),))

    def _ends(self) -> list[str]:
        return [*(str(code) for code in _CODES), "chain", "refresh", "canonical"]

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield the ends, and the two pages that name another and are pages themselves."""
        base = ground.base(self.folder)
        yield from (f"{base}end/{name}" for name in self._ends())
        yield f"{base}refresh"
        yield f"{base}canonical?from=home"
