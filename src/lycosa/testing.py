"""Runs plugins on saved pages, for the tests of plugins: `from lycosa.testing import show_page`.

    def test_every_quote_is_emitted():
        shown = show_page(plugin, Path("page.html"), url="https://quotes.test/page/1/")
        assert shown.outcome == "kept"
        assert [item.values["author"] for item in shown.items] == ["Ada", "Eve"]

The page goes through the functions of a crawl: its outcome, its text and links, the hooks, the
scope. Nothing is sent, and nothing is written.

Always true: `links`, `refused`, `columns`, `items` and `outcome` are those that a crawl of the same
job would record for the same answer.

Not here: decisions that need more than one page (soft 404s, traps, depth), languages, topics.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from lycosa.errors import LycosaError
from lycosa.features.plugins.feature import Plugins
from lycosa.features.plugins.hooks import Hooks
from lycosa.features.plugins.loader import load_hooks, with_plugins
from lycosa.features.plugins.pages import KIND_NAMES, SeenLink
from lycosa.features.plugins.plugin import Plugin
from lycosa.model.job import Job
from lycosa.model.records import Answer
from lycosa.model.url import canonicalize
from lycosa.operate.checking.pages import CheckedLink, check_page
from lycosa.operate.checking.scope import ScopeChecker

__all__ = ["RefusedLink", "Shown", "ShownItem", "show_page"]

HTML = "text/html; charset=utf-8"


class RefusedLink(NamedTuple):
    """A link that a crawl would record without following it."""

    url: str
    """In its canonical form, or as it is written if it has none."""
    kind: str
    text: str
    rel: str
    reason: str
    """`nofollow`, `out-of-scope`, `hook:NAME` and so on."""


class ShownItem(NamedTuple):
    """An item that a hook has emitted."""

    kind: str
    values: dict[str, object]
    """As they are stored: what JSON has."""
    key: str | None = None
    """The values by which items of its kind are told apart, as JSON; None if it has no key."""


class Shown(NamedTuple):
    """The result of `show_page`."""

    url: str
    outcome: str
    """`kept`, `hook_failed`, `not_found` and so on, as in the column `outcome`."""
    failure: str
    """The exception of the hook that failed, in one line; "" if none has."""
    title: str
    description: str
    text: str
    language: str
    links: tuple[SeenLink, ...]
    """The links that the crawl would follow, with those that hooks have added or posted to.

    A POST is a link of the kind `post`; behind the mark `#POST:` its `url` has the body.
    """
    refused: tuple[RefusedLink, ...]
    """The other links."""
    columns: dict[str, object]
    """The values that hooks have set, by the names of the columns in `pages`; None for no value."""
    items: tuple[ShownItem, ...]
    """The items that hooks have emitted, in their order."""


def show_page(
    plugin: Plugin | str | Sequence[Plugin],
    page: str | bytes | os.PathLike[str],
    *,
    url: str = "https://example.org/",
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    job: Job | None = None,
) -> Shown:
    """Show a saved page to a plugin, and return what a crawl would record of it.

    `plugin` is a `Plugin`, several of them, or the name of an installed one, which gets its
    settings from the job. `page` is its content as text or bytes, or the path of a file (a
    `pathlib.Path`). The content type is that of `headers`, and HTML in UTF-8 without any. Without a
    job the crawl has this URL as its only seed, so that links to other hosts are out of scope.
    """
    canonical = canonicalize(url)
    if canonical is None:
        raise LycosaError(
            f"{url}: not a URL that can be crawled\n"
            "  give the page's whole address: url='https://example.org/a'"
        )
    job = job or Job.of([canonical])
    hooks = _hooks(plugin, job)
    sent = dict(headers or {})
    if not any(name.lower() == "content-type" for name in sent):
        sent["Content-Type"] = HTML
    answer = Answer(status, tuple(sent.items()), _content(page), 0.0, 0.0)
    scope = ScopeChecker(job, hooks=hooks)
    checked = check_page(answer, canonical, job, scope, Plugins(hooks, job))
    facts, links = checked.facts, checked.links
    return Shown(
        url=canonical,
        outcome=checked.outcome.name.lower(),
        failure=hooks.failure,
        title=facts.title,
        description=facts.description,
        text=facts.content.decode(),
        language=facts.language,
        links=tuple(_followed(link) for link in links if link.refusal is None),
        refused=tuple(_refused(link) for link in links if link.refusal is not None),
        columns=dict(checked.columns),
        items=tuple(
            ShownItem(item.kind, msgspec.json.decode(item.data), item.key) for item in checked.items
        ),
    )


def _hooks(plugin: Plugin | str | Sequence[Plugin], job: Job) -> Hooks:
    """Return the hooks of given plugins, or of an installed one and the others of the job."""
    if isinstance(plugin, str):
        use = tuple(dict.fromkeys([*job.plugins.use, plugin]))
        found = load_hooks(replace(job, plugins=replace(job.plugins, use=use)))
    else:
        given = [plugin] if isinstance(plugin, Plugin) else list(plugin)
        found = load_hooks(with_plugins(job, given), given)
    return found or Hooks(())


def _content(page: str | bytes | os.PathLike[str]) -> bytes:
    if isinstance(page, bytes):
        return page
    if isinstance(page, str):
        return page.encode()
    try:
        return Path(page).read_bytes()
    except OSError as error:
        raise LycosaError(
            f"{os.fspath(page)}: cannot be read: {error.strerror}\n"
            "  give the path of a saved page, or its content as text"
        ) from None


def _followed(link: CheckedLink) -> SeenLink:
    return SeenLink(link.url or link.href, KIND_NAMES[link.kind], link.text, link.rel)


def _refused(link: CheckedLink) -> RefusedLink:
    return RefusedLink(*_followed(link), link.refusal or "")
