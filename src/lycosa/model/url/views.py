"""Views of a page: what a router by the fragment (`#/guide`, `#!guide`) shows in one document.

A view is not a URL of the crawl: canonical URLs lack fragments, and servers never see them. Rows
and records of a view that a browser has shown have the URL of its page with the fragment.
"""

from __future__ import annotations

from lycosa.model.url.canonical import canonicalize

LONGEST = 1000
VIEW_ROW = "(lower(outcome) = 'rendered' and regexp_matches(url, '#[/!]'))"
"""The condition in SQL for the row of a view; no server was asked for its URL."""
_HOME = frozenset({"#/", "#!", "#!/"})
"""Fragments by which routers name the page itself."""


def view_in(url: str) -> str:
    """Return the fragment of a view, with its mark; "" of other URLs."""
    _, mark, fragment = url.partition("#")
    return mark + fragment if fragment.startswith(("/", "!")) else ""


def view_of(page: str, url: str) -> str:
    """Return the fragment by which a URL names a view of a page; "" if it names none."""
    view = view_in(url)
    is_plain = view.isascii() and view.isprintable() and " " not in view
    if not view or view in _HOME or not is_plain or len(view) > LONGEST:
        return ""
    return view if canonicalize(url) == page else ""
