"""The common part of sections whose pages are numbered."""

from __future__ import annotations

from collections.abc import Iterator

from lycosa_testweb.generated.section import Ground


class Numbered:
    """The common part of sections whose pages are `folder/0.html`, `folder/1.html` and so on."""

    __slots__ = ()
    count: int
    folder: str

    def number_at(self, rest: str) -> int:
        """Return the number of the page at a path, or -1."""
        name = rest.removesuffix(".html")
        is_one = name != rest and name.isdecimal() and int(name) < self.count
        return int(name) if is_one else -1

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to all of them."""
        return list(self.pages(ground))

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield all of them."""
        base = ground.base(self.folder)
        return (f"{base}{number}.html" for number in range(self.count))
