"""Which pages are rendered: all with scripts, or those that seem empty and sites that need it.

With `auto`, the first pages of a site that have scripts are a sample: they are rendered, and if one
of them had links or text that the page as it came had not, the site's pages are rendered from then
on. A page that seems empty without scripts is rendered in any case.
"""

from __future__ import annotations

import re

from lycosa.crawl.answers.page_answer import HTML_TYPES, PageAnswer
from lycosa.crawl.answers.reading import content_type_of
from lycosa.crawl.answers.shells import seems_empty
from lycosa.frontier.facts.rendering import (
    RENDERED_ALWAYS,
    RENDERED_IF_EMPTY,
    Rendering,
    Sample,
)
from lycosa.model.job.render import Render
from lycosa.model.records import Outcome

_SCRIPTS = re.compile(rb"<script|\son[a-z]{3,20}\s*=|javascript:", re.IGNORECASE)


def has_scripts(body: bytes) -> bool:
    """Return whether there is anything in a page that a browser would run."""
    return _SCRIPTS.search(body) is not None


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
    if settings.mode == "auto":
        known, site = answered.state.rendering, answered.site
        verdict = known.verdicts.get(site)
        is_sample = not verdict and known.samples.get(site, Sample()).queued < settings.sample_pages
        if verdict != RENDERED_ALWAYS and not is_sample:
            return seems_empty(answered)
    return has_scripts(answered.answer.body)


def verdict_on(known: Rendering, site: int, settings: Render, *, differs: bool) -> int:
    """Return the verdict on a site after one more page was rendered; 0 if there is none yet."""
    if settings.mode != "auto" or known.verdicts.get(site) == RENDERED_ALWAYS:
        return 0
    if differs:
        return RENDERED_ALWAYS
    sample = known.samples.get(site, Sample())
    is_done = sample.rendered + 1 >= settings.sample_pages and not sample.differed
    return RENDERED_IF_EMPTY if is_done and site not in known.verdicts else 0
