"""Show the content that a crawl would extract from a page: outcome, facts, triples, and links.

The page goes through the same functions as in a crawl (`judge`, `read_page`, `links_of_page`).
Links that a crawl would refuse and only count are listed here with the reason.

Always true: the links without a refusal are those that a crawl of this job would keep, in their
order, each pair of URL and kind once.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from lycosa.crawl.answers.reading import (
    content_type_of,
    judge,
    links_of_page,
    read_page,
    redirect_of,
)
from lycosa.crawl.links.raw_links import RawLink, RawLinks
from lycosa.errors import LycosaError
from lycosa.extract.facts import Facts
from lycosa.extract.headers import robots_tag
from lycosa.extract.structured.distiller import Found, Page
from lycosa.extract.text import charset
from lycosa.extract.text.fingerprint import fingerprint
from lycosa.features.triples import distiller_of
from lycosa.model.job import Job
from lycosa.model.records import REQUISITE_KINDS, Answer, Item, LinkKind, Outcome
from lycosa.model.url import canonical_key, parse, refusal, url_of
from lycosa.model.url.scope import OUT_OF_SCOPE
from lycosa.operate.checking.scope import ScopeChecker

if TYPE_CHECKING:
    from lycosa.features.plugins.feature import Plugins

NO_BASE = "no-base"
"""Reason why a relative reference has no target: the URL of the page is not known."""


NOWHERE = "about:blank"
"""Placeholder for the URL of a page without one."""


class CheckedLink(NamedTuple):
    """A link and its fate."""

    href: str
    kind: LinkKind
    text: str
    rel: str
    times: int
    url: str | None
    """The canonical form; None if there is none."""
    key: str | None
    refusal: str | None
    """Reason why a crawl would not follow it; None if it would."""


class CheckedPage(NamedTuple):
    """A crawl's knowledge of a page."""

    url: str | None
    status: int
    outcome: Outcome
    content_type: str
    body_bytes: int
    facts: Facts
    charset_reason: str
    base: str | None
    """The URL against which references are resolved."""
    is_nofollow: bool
    is_noindex: bool
    fingerprint: int
    links: tuple[CheckedLink, ...]
    structured: Found
    """Structured data, without triples that the job's filter drops."""
    columns: Mapping[str, object] = MappingProxyType({})
    """The values of plugins, by the names that the columns have in `pages`."""
    items: tuple[Item, ...] = ()
    """The items that plugins have emitted."""

    @property
    def kept_links(self) -> list[CheckedLink]:
        """The links that a crawl would keep."""
        return [link for link in self.links if link.refusal is None]


def answer_of_file(path: Path, content_type: str | None, job: Job) -> Answer:
    """Return the content of a file as if a server had sent it."""
    try:
        if path.exists() and not path.is_file():
            raise LycosaError(f"{path}: not a file\n  give the path of one page")
        with path.open("rb") as file:
            body = file.read(job.fetch.largest_body_bytes + 1)
    except OSError as error:
        raise LycosaError(
            f"{path}: cannot be read: {error.strerror}\n  check the path of the page"
        ) from None
    except ValueError as error:  # no file can have this name
        raise LycosaError(f"{str(path)!r}: cannot be read: {error}") from None
    return answer_of_bytes(body, content_type, job)


def answer_of_bytes(body: bytes, content_type: str | None, job: Job) -> Answer:
    """Return a body as if a server had sent it; a body that is too long is cut off."""
    largest = job.fetch.largest_body_bytes
    headers = (("Content-Type", content_type),) if content_type else ()
    return Answer(200, headers, body[:largest], 0.0, 0.0, truncated=len(body) > largest)


def check_page(
    answer: Answer,
    url: str | None,
    job: Job,
    scope: ScopeChecker | None = None,
    plugins: Plugins | None = None,
) -> CheckedPage:
    """Read an answer for a canonical URL; with a scope, links outside of it are refused.

    With plugins, which need a URL, their hooks see the page as they would in a crawl.
    """
    job = job if plugins is None else plugins.job
    outcome, facts, raw_links = judge(answer, job), Facts(), None
    values: dict[str, object] = {}
    items: tuple[Item, ...] = ()
    posts: dict[str, tuple[str, str]] = {}
    # Hooks may read the page themselves, refuse it, or change what was read: their word counts.
    if outcome is Outcome.KEPT and plugins is not None and url is not None:
        shown = plugins.begin(answer, url)
        outcome, facts = shown.end()
        raw_links = shown.links
        if outcome is Outcome.KEPT:
            values, items, posts = shown.columns, shown.items, shown.posts
    elif outcome is Outcome.KEPT:
        facts = read_page(answer, job)
        raw_links = links_of_page(answer, facts, job)
    # A page's `base` that is not a URL is ignored, as in a crawl and in browsers.
    base = (parse(facts.base, url) if facts.base else None) or url
    tag_nofollow, tag_noindex = robots_tag(answer.headers, job.fetch.agent)
    if outcome is Outcome.KEPT and raw_links is not None:
        links = _links(raw_links, base, scope) + _posts(posts, job, scope)
    elif outcome is Outcome.REDIRECTED:
        links = tuple(_resolved(link, base, scope) for link in redirect_of(answer).each())
    else:
        links = ()
    content_type = answer.header("content-type")
    return CheckedPage(
        url=url,
        status=answer.status,
        outcome=outcome,
        content_type=content_type_of(answer),
        body_bytes=len(answer.body),
        facts=facts,
        charset_reason=charset.reason(answer.body, content_type) if facts.charset else "",
        base=base,
        is_nofollow=facts.is_nofollow or tag_nofollow,
        is_noindex=facts.is_noindex or tag_noindex,
        fingerprint=fingerprint(facts.content) if facts.content else 0,
        links=links,
        structured=_structured(answer, url, job, facts) if outcome is Outcome.KEPT else Found(),
        columns=values,
        items=items,
    )


def _structured(answer: Answer, url: str | None, job: Job, facts: Facts) -> Found:
    page = Page(answer.body, url or NOWHERE, answer.header("content-type"), facts)
    return distiller_of(job).distil(page, "b")


def _links(
    raw_links: RawLinks, base: str | None, scope: ScopeChecker | None
) -> tuple[CheckedLink, ...]:
    """Return the links that a crawl would keep, merged in the same way, and all refused ones."""
    reasons = raw_links.reasons or [""] * len(raw_links.hrefs)
    found: list[CheckedLink] = []
    places: dict[tuple[str, LinkKind], int] = {}
    for raw, reason in zip(raw_links.each(), reasons, strict=True):
        link = _resolved(raw, base, scope)
        if reason:
            found.append(link._replace(refusal=reason))
        elif (
            link.key is None
            or link.refusal is not None
            or (place := places.setdefault((link.key, link.kind), len(found))) == len(found)
        ):
            found.append(link)
        else:
            first = found[place]
            found[place] = first._replace(
                times=first.times + link.times,
                text=first.text or link.text,
                rel=first.rel or link.rel,
            )
    return tuple(found)


def _posts(
    posts: Mapping[str, tuple[str, str]], job: Job, scope: ScopeChecker | None
) -> tuple[CheckedLink, ...]:
    """Return what plugins post, as the links that a crawl makes of it."""
    if not posts or scope is None:
        return ()
    from lycosa.features.plugins.posts import Allowed  # few pages post anything

    allowed, found = Allowed(job), []
    for address, (text, rel) in posts.items():
        key, reason = allowed.destination(scope.scope, address)
        found.append(
            CheckedLink(
                href=address,
                kind=LinkKind.POST,
                text=text,
                rel=rel,
                times=1,
                url=address if key is None else url_of(key),
                key=key,
                refusal=reason if key is None else None,
            )
        )
    return tuple(found)


def _resolved(raw: RawLink, base: str | None, scope: ScopeChecker | None) -> CheckedLink:
    key = canonical_key(raw.href, base)
    if key is None:
        why = refusal(raw.href, base) or "invalid"
        return CheckedLink(*raw, None, None, NO_BASE if why == "invalid" and not base else why)
    if scope is not None:
        verdict = scope.scope.judge(key)
        if verdict.key is not None:
            key = verdict.key
        elif not (raw.kind in REQUISITE_KINDS and verdict.reason == OUT_OF_SCOPE):
            return CheckedLink(*raw, url_of(key), key, verdict.reason)
    return CheckedLink(*raw, url_of(key), key, None)
