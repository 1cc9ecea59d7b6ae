"""Links between pages: the kinds of reference, and a link before and after it is resolved."""

from __future__ import annotations

import enum

from lycosa._support.tuples import NamedTuple


class LinkKind(enum.IntEnum):
    """The kind of reference that led to a URL. The numbers are part of stored formats."""

    ANCHOR = 1
    SITEMAP = 2
    FRAME = 3
    FORM = 4
    ALTERNATE = 5
    DATA = 6
    RELATED = 7
    """A `link` element or header whose relation leads to a page: author, help, license, up …"""
    PAGINATION = 8
    """A link to another page of the list that the page is part of: the next, or the fifth."""
    REDIRECT = 10
    CANONICAL = 11
    REFRESH = 12
    IMAGE = 20
    STYLE = 21
    SCRIPT = 22
    MEDIA = 23
    OBJECT = 24
    ICON = 25
    MANIFEST = 26
    CITE = 40
    """Source of a quotation or of a change."""
    DESCRIPTION = 41
    """Long description of an image or a frame."""
    RELATION = 42
    """A relation that neither leads to a page nor shows one: pingback, shortlink …"""
    MENTION = 43
    """A complete URL in a script, in JSON, in text, or in an attribute for scripts."""
    POST = 50
    """Target of a form that is not sent by GET."""
    PING = 51
    """A URL that is notified when a link is followed."""
    HINT = 52
    """A host to which a browser is asked to connect early."""
    IDENTIFIER = 53
    """Name of a thing or of a vocabulary in the form of a URL."""


SAME_PAGE_KINDS = frozenset({LinkKind.REDIRECT, LinkKind.CANONICAL, LinkKind.REFRESH})
"""Kinds of link that lead to another name of the same page."""


PAGINATED_KINDS = frozenset({LinkKind.ANCHOR, LinkKind.ALTERNATE})
"""Kinds of link that become `PAGINATION` where they lead to another page of the page's list."""


REQUISITE_KINDS = frozenset(
    {
        LinkKind.IMAGE,
        LinkKind.STYLE,
        LinkKind.SCRIPT,
        LinkKind.MEDIA,
        LinkKind.OBJECT,
        LinkKind.ICON,
        LinkKind.MANIFEST,
    }
)
"""Kinds of link to files that a page needs to be shown."""


WIDE_KINDS = frozenset(
    {
        LinkKind.CITE,
        LinkKind.DESCRIPTION,
        LinkKind.RELATION,
        LinkKind.MENTION,
        LinkKind.IDENTIFIER,
    }
)
"""Kinds of link that only a job that asks for them (`[extract] wide`) follows."""


RECORDED_KINDS = WIDE_KINDS | {
    LinkKind.POST,
    LinkKind.PING,
    LinkKind.HINT,
}
"""Kinds of link that are in the tables and not followed, except `WIDE_KINDS` in a wide job."""


FREE_KINDS = SAME_PAGE_KINDS | REQUISITE_KINDS | {LinkKind.PAGINATION}
"""Kinds of link that cost no depth."""


class Link(NamedTuple):
    """A reference as a page gives it, before it is resolved."""

    href: str
    kind: LinkKind = LinkKind.ANCHOR


class KeyedLink(NamedTuple):
    """A reference resolved, made canonical and found in scope."""

    key: str
    kind: LinkKind
