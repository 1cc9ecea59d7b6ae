"""A page of a list as HTML: a text of its own, and links with their texts and relations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from lycosa_testweb.generated.words import prose
from lycosa_testweb.mixing import digest


class To(NamedTuple):
    """A link."""

    href: str
    text: str
    rel: str = ""


class Leaf(NamedTuple):
    """A page, of a list or at the end of one."""

    title: str
    links: tuple[To, ...] = ()
    following: str = ""
    """The next page, as a `Link` header names it."""
    text: str | None = None
    """Words that the page shares with others; without them it has words of its own."""

    def html(self) -> str:
        """Return the page."""
        text = prose("en", "railways", 60, digest(self.title)) if self.text is None else self.text
        links = "".join(map(_item, self.links))
        return (
            f"<!doctype html><html lang=en><head><title>{escape(self.title)}</title></head><body>"
            f"<h1>{escape(self.title)}</h1><p>{text}</p><ul>\n{links}</ul></body></html>"
        )


def _item(link: To) -> str:
    rel = f' rel="{link.rel}"' if link.rel else ""
    return f'<li><a href="{escape(link.href)}"{rel}>{escape(link.text)}</a></li>\n'


def share(all_items: Sequence[To], number: int, size: int) -> tuple[To, ...]:
    """Return the items of a page; the first one has the number 1."""
    return tuple(all_items[(number - 1) * size : number * size])


def around(number: int, last: int, form: str, *, reach: int = 2) -> Iterable[To]:
    """Yield the links of a row of numbers: the first, the last, and those near the page itself."""
    for other in range(1, last + 1):
        if other != number and (other in (1, last) or abs(other - number) <= reach):
            yield To(form.format(other), str(other))
