"""Which pages are rendered: all with scripts, or those for which there is evidence.

With `auto` the first pages of a site that have scripts are a sample, and later ones now and again:
they are rendered, and if one of them had links or text that the page as it came had not, the site's
pages are rendered from then on, until many in a row have had nothing more. A page that seems empty
without scripts, or has an empty place in which a framework shows itself, is rendered in any case.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from zlib import crc32

from lycosa.crawl.answers.page_answer import HTML_TYPES, PageAnswer
from lycosa.crawl.answers.reading import content_type_of
from lycosa.crawl.answers.shells import LOOKED_BYTES, seems_empty
from lycosa.fetch.browser.protocol import FoundLink
from lycosa.fetch.browser.requests import origin_of
from lycosa.frontier.facts.rendering import (
    RENDERED_ALWAYS,
    RENDERED_IF_EMPTY,
    NotFound,
    Rendering,
    Sample,
)
from lycosa.model.job.render import Render
from lycosa.model.records import Outcome

ONE_IN = 64
"""A page in this many, chosen by its URL, is a sample whatever was found before: a site can have
ordinary pages first and those that scripts make later."""
SAME_IN_A_ROW = 10
"""Rendered pages in a row without anything more, after which a site is rendered no longer."""

_SCRIPTS = re.compile(rb"<script|\son[a-z]{3,20}\s*=|javascript:", re.IGNORECASE)
_EMPTY_PLACE = re.compile(
    rb"<(?:div|main|section)\s[^<>]{0,200}?\b(?:id|data-[a-z]{1,40})=[\"']?"
    rb"(?:root|app|main-app|react-root|__next|__nuxt|svelte|q-app|single-spa-application)[\"']?"
    rb"(?:\s[^<>]{0,200})?+>\s{0,200}</"
    rb"|<app-root[^<>]{0,200}+>\s{0,200}</app-root",
    re.IGNORECASE,
)
"""An element that React, Vue, Angular, Svelte and their like fill. In a hostile body elements stand
within elements: each is looked at until the next."""


def has_scripts(body: bytes) -> bool:
    """Return whether there is anything in a page that a browser would run."""
    return _SCRIPTS.search(body, 0, LOOKED_BYTES) is not None


def has_empty_place(body: bytes) -> bool:
    """Return whether a page has an empty element that a framework is to fill."""
    return _EMPTY_PLACE.search(body, 0, LOOKED_BYTES) is not None


def is_document(answered: PageAnswer) -> bool:
    """Return whether an answer is a whole page that is kept for its text."""
    is_kept = answered.outcome is Outcome.KEPT and not answered.is_sitemap
    return (
        is_kept
        and not answered.request.form  # a browser would ask for it by GET
        and not answered.is_foreign
        and not answered.answer.truncated
        and content_type_of(answered.answer) in HTML_TYPES
    )


def is_chosen(answered: PageAnswer, settings: Render) -> bool:
    """Return whether a page is to be rendered."""
    if not is_document(answered):
        return False
    body = answered.answer.body
    if settings.mode == "auto":
        known, site = answered.state.rendering, answered.site
        is_sample = is_sampled(known, site, answered.key, settings)
        if known.verdicts.get(site) != RENDERED_ALWAYS and not is_sample:
            return seems_empty(answered) or (has_empty_place(body) and has_scripts(body))
    return has_scripts(body)


def not_found_body(answered: PageAnswer) -> int:
    """Return a number made of the body of a page that was not found, if it may lead on by script.

    Sites of files alone send an application's addresses on in this way. 0 for other pages.
    """
    answer, state = answered.answer, answered.state
    if (
        answered.outcome is not Outcome.NOT_FOUND
        or answered.request.form
        or answer.truncated
        or content_type_of(answer) not in HTML_TYPES
        or not has_scripts(answer.body)
    ):
        return 0
    body = crc32(answer.body) or 1
    known = state.rendering.not_found.get(answered.site, NotFound())
    return body if known.is_wanted(body) else 0


def leading_on(url: str, found: Sequence[FoundLink]) -> list[FoundLink]:
    """Return the pages of the same site to which the scripts of a page have gone."""
    origin = origin_of(url)
    went = [link for link in found if link.how == "navigation" and origin_of(link.url) == origin]
    return [link for link in went if link.url.partition("#")[0] != url]


def is_sampled(known: Rendering, site: int, key: str, settings: Render) -> bool:
    """Return whether a page is one of those by which its site is judged."""
    is_first = known.samples.get(site, Sample()).queued < settings.sample_pages
    if is_first and site not in known.verdicts:
        return True
    return crc32(key.encode()) % ONE_IN == 0


def verdict_on(known: Rendering, site: int, settings: Render, *, differs: bool) -> int:
    """Return the verdict on a site after one more page was rendered; 0 if it stays."""
    if settings.mode != "auto":
        return 0
    sample, verdict = known.samples.get(site, Sample()), known.verdicts.get(site, 0)
    if differs:
        return RENDERED_ALWAYS if verdict != RENDERED_ALWAYS else 0
    if verdict == RENDERED_ALWAYS:
        return RENDERED_IF_EMPTY if sample.same + 1 >= SAME_IN_A_ROW else 0
    is_done = sample.rendered + 1 >= settings.sample_pages and not sample.differed
    return RENDERED_IF_EMPTY if is_done and not verdict else 0
