"""Links between pages: the kinds of reference, and a link before and after it is resolved."""

from __future__ import annotations

import enum
from typing import NamedTuple


class LinkKind(enum.IntEnum):
    """The kind of reference that led to a URL. The numbers are part of stored formats."""

    ANCHOR = 1
    SITEMAP = 2
    FRAME = 3
    FORM = 4
    ALTERNATE = 5
    DATA = 6
    REDIRECT = 10
    CANONICAL = 11
    REFRESH = 12
    IMAGE = 20
    STYLE = 21
    SCRIPT = 22
    MEDIA = 23
    OBJECT = 24
    ICON = 25


SAME_PAGE_KINDS = frozenset({LinkKind.REDIRECT, LinkKind.CANONICAL, LinkKind.REFRESH})
"""Kinds of link that lead to another name of the same page."""


REQUISITE_KINDS = frozenset(
    {
        LinkKind.IMAGE,
        LinkKind.STYLE,
        LinkKind.SCRIPT,
        LinkKind.MEDIA,
        LinkKind.OBJECT,
        LinkKind.ICON,
    }
)
"""Kinds of link to what a page needs to be shown."""


FREE_KINDS = SAME_PAGE_KINDS | REQUISITE_KINDS
"""Kinds of link that cost no depth."""


class Link(NamedTuple):
    """A reference as a page gives it, before it is resolved."""

    href: str
    kind: LinkKind = LinkKind.ANCHOR


class KeyedLink(NamedTuple):
    """A reference resolved, made canonical and found in scope."""

    key: str
    kind: LinkKind
