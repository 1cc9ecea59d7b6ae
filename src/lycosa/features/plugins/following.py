"""Reads the targets that a hook hands to `page.follow`, and finds the next page of a list.

A target is a URL (relative ones too), a link of `page.links`, an element that `page.css` or
`page.xpath` has selected, the text of one of its attributes, or any number of these in a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol
from urllib.parse import unquote_plus, urlencode, urlsplit, urlunsplit

_ADDRESSES = ("href", "src", "data-href")
_NEXT = re.compile(
    r"\W*(?:next|next page|older|older posts|more|weiter|nächste(?: seite)?|suivant|"
    r"page suivante|siguiente|successiva?|próxima|volgende|次へ|下一页)\W*|\s*[›»→⟩>]+\s*",
    re.IGNORECASE,
)
"""Texts of links to the next page of a list."""


class Link(Protocol):
    """A link of a page, as hooks see it (`SeenLink`)."""

    @property
    def url(self) -> str:
        """Its target."""

    @property
    def kind(self) -> str:
        """Its kind of reference."""

    @property
    def text(self) -> str:
        """Its text."""

    @property
    def rel(self) -> str:
        """Its relations."""


class Target(NamedTuple):
    """A reference to follow, as it would stand in a page."""

    url: str
    text: str
    rel: str


def targets_of(given: object) -> Iterator[Target]:
    """Yield the references in what a hook has given; `TypeError` for what has none."""
    if isinstance(given, str):
        yield Target(given.strip(), "", "")
    elif isinstance(url := getattr(given, "url", None), str):
        link: Any = given
        yield Target(url, str(getattr(link, "text", "")), str(getattr(link, "rel", "")))
    elif hasattr(given, "xpath") and hasattr(given, "root"):
        yield _of_element(given.root)
    elif isinstance(given, Iterable) and not isinstance(given, bytes | Mapping):
        for one in given:
            yield from targets_of(one)
    else:
        raise TypeError(
            f"a URL, a link of page.links or a selected element is followed, not {given!r:.200}"
        )


def _of_element(root: Any) -> Target:
    if isinstance(root, str):
        return Target(root.strip(), "", "")
    attributes = getattr(root, "attrib", {})
    for name in _ADDRESSES:
        if name in attributes:
            text = " ".join("".join(root.itertext()).split())
            return Target(attributes[name].strip(), text, attributes.get("rel", ""))
    raise TypeError(
        f"the element <{getattr(root, 'tag', '?')}> has no address: select one with href or src"
    )


def next_of(links: Iterable[Link], url: str) -> str | None:
    """Return where a list of pages goes on: `rel=next`, or else a link that says so."""
    known = [link for link in links if link.url != url]
    for link in known:
        if "next" in link.rel.lower().split():
            return link.url
    for link in known:
        if link.kind == "anchor" and _NEXT.fullmatch(link.text):
            return link.url
    return None


def with_query(url: str, values: Mapping[str, object]) -> str:
    """Return a URL with other values in its query; None takes a name out.

    A name that is there keeps its place, and the others stay as they are spelled.
    """
    parts = urlsplit(url)
    changed = {name: urlencode({name: str(v)}) for name, v in values.items() if v is not None}
    query: list[str] = []
    for piece in parts.query.split("&") if parts.query else ():
        name = unquote_plus(piece.partition("=")[0])
        if name not in values:
            query.append(piece)
        elif name in changed:
            query.append(changed.pop(name))
    return urlunsplit(parts._replace(query="&".join([*query, *changed.values()]), fragment=""))
