"""Reads an answer: the outcome of the fetch, and the facts and links of the page. Pure functions.

The type of the content decides which reader is used (page, style sheet, sitemap). Headers add links
and robots directives. A link that the job does not follow, whatever it leads to, gets its reason
here: `nofollow`, or one for its kind, as `requisite` where the job does not fetch images.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import compress
from typing import cast

from lycosa.crawl.links.raw_links import (
    FORM,
    NEVER,
    NOFOLLOW,
    OUTSIDE,
    REQUISITE,
    WIDE,
    RawLinks,
)
from lycosa.extract.css import scan_css
from lycosa.extract.facts import Facts
from lycosa.extract.headers import (
    HEADERS_WITH_LINKS,
    links_of_headers,
    robots_tag,
    robots_wishes,
)
from lycosa.extract.html.values import NOARCHIVE, NOINDEX, OUTSIDE_HTML
from lycosa.extract.page import list_facts, scan
from lycosa.extract.sitemap import is_any_list, is_feed, is_packed, scan_sitemap
from lycosa.model.job import Job
from lycosa.model.links import unfollowed
from lycosa.model.records import (
    RECORDED_KINDS,
    REQUISITE_KINDS,
    WIDE_KINDS,
    Answer,
    LinkKind,
    Outcome,
)

NAMED_STATUSES = {
    404: Outcome.NOT_FOUND,
    410: Outcome.NOT_FOUND,
    408: Outcome.TIMEOUT,
    429: Outcome.TOO_MANY_REQUESTS,
    503: Outcome.UNAVAILABLE,
}

REQUISITE_TYPES = ("image/", "font/", "audio/", "video/")
REQUISITE_TYPE_NAMES = frozenset(
    {
        "text/css",
        "text/javascript",
        "application/javascript",
        "application/x-javascript",
        "application/ecmascript",
        "application/json",
        "application/manifest+json",
        "application/font-woff",
        "application/vnd.ms-fontobject",
        "application/x-font-ttf",
        "application/wasm",
    }
)

LIST_TYPE_NAMES = frozenset(
    {
        "application/gzip",
        "application/x-gzip",
        "application/octet-stream",
        "application/rss+xml",
        "application/atom+xml",
    }
)
"""Types in which sitemaps and feeds come that no list of wanted types names."""


def content_type_of(answer: Answer) -> str:
    """Return type and subtype in small letters, "" when none is given."""
    return type_named(answer.header("content-type") or "")


@lru_cache(maxsize=1024)
def type_named(content_type: str) -> str:
    """Return type and subtype as a header names them, in small letters."""
    return content_type.partition(";")[0].strip().lower()


def with_types(job: Job, types: Sequence[str]) -> Job:
    """Return a job that keeps some more types of content."""
    if not types:
        return job
    kept = tuple(dict.fromkeys([*job.fetch.content_types, *types]))
    return replace(job, fetch=replace(job.fetch, content_types=kept))


def judge(answer: Answer, job: Job) -> Outcome:
    """Return how a fetch ended, from the answer alone."""
    status = answer.status
    if answer.findings is not None:
        return Outcome(answer.findings.outcome)
    if answer.failure is not None:
        return answer.failure
    if 200 <= status < 300:
        kind = content_type_of(answer)
        is_wanted = is_wanted_type(kind, job) or is_unusual_list(kind, answer.body, job)
        if not is_wanted and job.extract.documents:
            from lycosa.extract.document_types import is_document  # few crawls need it

            is_wanted = is_document(kind, answer.body)
        return Outcome.KEPT if is_wanted else Outcome.WRONG_TYPE
    if status == 304:
        return Outcome.NOT_MODIFIED
    if 300 <= status < 400:
        # 300 may come without a Location (RFC 9110, 15.4.1): then there is nowhere to go.
        return Outcome.REDIRECTED if answer.header("location") else Outcome.BAD_STATUS
    if status in NAMED_STATUSES:
        return NAMED_STATUSES[status]
    if 400 <= status < 500:
        return Outcome.CLIENT_ERROR
    return Outcome.SERVER_ERROR if 500 <= status < 600 else Outcome.BAD_STATUS


def is_wanted_type(kind: str, job: Job) -> bool:
    """Return whether the job keeps content of this type; what has no type is kept."""
    types = job.fetch.content_types
    if not kind or kind in types:
        return True
    if "*/*" in types or f"{kind.partition('/')[0]}/*" in types:
        return True
    wants_parts = job.extract.requisites or job.render.mode != "off"
    return wants_parts and (kind.startswith(REQUISITE_TYPES) or kind in REQUISITE_TYPE_NAMES)


def is_unusual_list(kind: str, body: bytes, job: Job) -> bool:
    """Return whether this is a sitemap that the scanner of pages would not know for one."""
    if not job.robots.sitemaps:
        return False
    may_be = kind in LIST_TYPE_NAMES or kind == "text/plain" or is_packed(body)
    return may_be and is_any_list(body)


def may_be_list(kind: str, job: Job) -> bool:
    """Return whether content of this type may be read otherwise than a page is."""
    if job.extract.requisites and kind == "text/css":
        return True
    return job.robots.sitemaps and (kind in LIST_TYPE_NAMES or kind == "text/plain")


def read_page(answer: Answer, job: Job) -> Facts:
    """Return what a page that is kept says of itself."""
    if answer.findings is not None:
        return cast(Facts, answer.findings.facts)
    content_type = answer.header("content-type")
    kind = type_named(content_type or "")
    if job.extract.requisites and kind == "text/css":
        return scan_css(answer.body, content_type)
    if is_unusual_list(kind, answer.body, job):
        return list_facts(scan_sitemap(answer.body), "", job.extract.most_links)
    wants_all = records_all(job)
    return scan(
        answer.body,
        content_type,
        most_links=job.extract.most_links,
        wants_requisites=job.extract.requisites or wants_all,
        wants_recorded=wants_all,
        wants_wide=job.extract.wide,
        agent=job.fetch.agent,
    )


def is_sitemap(answer: Answer, facts: Facts) -> bool:
    """Return whether this is a sitemap, which is not a page; a feed is a document of its own."""
    if answer.findings is not None:
        return bool(answer.findings.is_sitemap)
    return facts.is_list and not is_feed(answer.body)


def showing_wishes(answer: Answer, facts: Facts, job: Job) -> tuple[bool, bool]:
    """Return whether a page asks not to be found (`noindex`) or shown (`noarchive`)."""
    if answer.header("x-robots-tag") is None:
        return facts.is_noindex, facts.is_noarchive
    bits = robots_wishes(answer.headers, job.fetch.agent)
    return (
        facts.is_noindex or bool(bits & NOINDEX),
        facts.is_noarchive or bool(bits & NOARCHIVE),
    )


def records_all(job: Job) -> bool:
    """Return whether links are read from pages that are recorded without being followed.

    Not where the number of links is limited, because that counts the links to follow.
    """
    return job.extract.links == "all" and not job.extract.most_links


@lru_cache(maxsize=8)
def reasons_by_kind(has_requisites: bool, is_wide: bool, tries_forms: bool) -> list[str]:
    """Return for every kind of link why a job does not follow it, "" if it does."""
    reasons = [""] * (max(LinkKind) + 1)
    reasons[LinkKind.FORM] = "" if tries_forms else FORM
    for kind in RECORDED_KINDS:
        reasons[kind] = NEVER
    for kind in WIDE_KINDS:
        reasons[kind] = "" if is_wide else WIDE
    for kind in REQUISITE_KINDS:
        reasons[kind] = "" if has_requisites else REQUISITE
    return reasons


def links_of_page(answer: Answer, facts: Facts, job: Job) -> RawLinks:
    """Return the links of a page, with the reason for those that the job does not follow."""
    found = RawLinks(facts.hrefs, facts.kinds, facts.texts, facts.rels, facts.times)
    by_kind = reasons_by_kind(job.extract.requisites, job.extract.wide, job.forms.search)
    if from_headers := _links_of_headers(answer):
        if not records_all(job):
            from_headers = [link for link in from_headers if not by_kind[link[1]]]
        found = found.with_more(RawLinks.of_headers(from_headers))
    is_obeyed = job.extract.obey_nofollow
    found.reasons = unfollowed(found.kinds, found.rels, by_kind, NOFOLLOW if is_obeyed else "")
    if is_obeyed and (facts.is_nofollow or _is_tagged_nofollow(answer, job)):
        # nofollow speaks of links; images and styles are parts of the page itself.
        found.reasons = [
            by_kind[kind] if kind in REQUISITE_KINDS else NOFOLLOW for kind in found.kinds
        ]
    if not job.extract.outside_html and any(OUTSIDE_HTML in rel for rel in found.rels):
        reasons = found.reasons or [""] * len(found.hrefs)
        found.reasons = [
            reason or (OUTSIDE if OUTSIDE_HTML in rel else "")
            for reason, rel in zip(reasons, found.rels, strict=True)
        ]
    if job.forms.search and LinkKind.FORM in found.kinds:
        _leave_acting_forms(found, answer)
    return found


def _leave_acting_forms(found: RawLinks, answer: Answer) -> None:
    """Give a reason to addresses of forms that would change something on the server."""
    from lycosa.extract.forms import acting_addresses  # few jobs try forms

    is_form = [kind == LinkKind.FORM for kind in found.kinds]
    kind = answer.header("content-type")
    acting = acting_addresses(compress(found.hrefs, is_form), answer.body, kind)
    reasons = found.reasons or [""] * len(found.hrefs)
    found.reasons = [
        FORM if is_address and href in acting else reason
        for is_address, href, reason in zip(is_form, found.hrefs, reasons, strict=True)
    ]


def _is_tagged_nofollow(answer: Answer, job: Job) -> bool:
    if answer.header("x-robots-tag") is None:
        return False
    return robots_tag(answer.headers, job.fetch.agent)[0]


def _links_of_headers(answer: Answer) -> list[tuple[str, LinkKind, str]]:
    if answer.by_name is not None and HEADERS_WITH_LINKS.isdisjoint(answer.by_name):
        return []  # as nearly always
    return links_of_headers(answer.headers)


def redirect_of(answer: Answer) -> RawLinks:
    """Return where a redirect leads; a location in raw UTF-8 is read as browsers do."""
    location = answer.header("location") or ""
    if not location.isascii():
        with suppress(UnicodeError):  # header values come as Latin-1
            location = location.encode("latin-1").decode()
    return RawLinks.of([location], LinkKind.REDIRECT)
