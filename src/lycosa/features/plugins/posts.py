"""Posts what plugins ask for (`page.post`), each once.

A POST is a URL with a body behind it (`lycosa.model.url.posts`), which is admitted, ordered and
fetched like any other. This feature judges where it may lead, and sees to it that it is sent
once:

    link       a page's POSTs become links; those that the job does not name are refused: `post`
    permitted  one that was sent before ends as `unknown_post`, or without `post_again` is left
    posted     its body, and the note that it is about to be sent. It goes out when that is durable
    judged     what came without an answer, or says to post elsewhere, is an `unknown_post`
    finished   its answer is decided on, or it was not sent at all

Always true (tests/integration/test_posts.py):
  * no POST is put on the wire before the log has a note of it, asked of the disk;
  * one that is noted is not sent again, until the operator asks for it (`lycosa retry`), or, if the
    job says `post_again`, at a revisit of an answer that is known;
  * it goes to no URL that `[plugins] post` does not name, out of scope, or against robots rules.

Why so: docs/decisions/0126-posts.md.
"""

from __future__ import annotations

from msgspec.structs import replace

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.points import Feature, Spine
from lycosa.errors import ConfigError
from lycosa.features.plugins.feature import Plugins
from lycosa.frontier.facts.columns import ANSWERED, NOTED, UNSENT
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.job import Job
from lycosa.model.links import NO_LINKS
from lycosa.model.records import (
    NO_CONNECTION,
    LinkKind,
    Links,
    Outcome,
    Posted,
    Target,
)
from lycosa.model.url import canonicalize, key_of, url_of
from lycosa.model.url.posts import Body, bare, posted_in
from lycosa.storage.tables.rows import url_id

REASON = "post"
"""Of what a plugin would post to a URL that the job does not name."""

_UNANSWERED = frozenset(
    {Outcome.TIMEOUT, Outcome.CUT_SHORT, Outcome.BAD_ANSWER, Outcome.STALE_CONNECTION}
)
_NOT_SENT = NO_CONNECTION | {Outcome.REFUSED_ADDRESS, Outcome.REFUSED_PORT}
_ELSEWHERE = (307, 308)
"""The server asks for the same POST at another URL (RFC 9110, 15.4.8): it is not sent there."""


class Allowed:
    """The URLs to which a job's plugins may post."""

    def __init__(self, job: Job) -> None:
        self._beginnings = tuple(_canonical(url) for url in job.plugins.post)

    def names(self, key: str) -> bool:
        """Return whether the job names the URL of a key."""
        return bool(self._beginnings) and url_of(bare(key)).startswith(self._beginnings)


def _canonical(url: str) -> str:
    found = canonicalize(url)
    if found is None:
        raise ConfigError(f"[plugins] post: {url} is not the beginning of a URL that can be asked")
    return found


class Posts(Feature):
    """Posts for the plugins of a worker."""

    def __init__(self, spine: Spine, plugins: Plugins) -> None:
        ports = spine.ports
        self._clock, self._scope, self._router = ports.clock, ports.scope, spine.router
        self._allowed = Allowed(ports.job)
        self._again = ports.job.plugins.post_again
        self._has_proxy = bool(ports.job.fetch.proxy)
        self._keeps_refused = ports.job.extract.links == "all"
        plugins.link = self.link

    # -- from a page to links ---------------------------------------------------------------

    def link(self, answered: PageAnswer, posts: dict[str, tuple[str, str]]) -> None:
        """Add what is posted to the links of a page: those to follow, or those that are refused."""
        followed: dict[str, tuple[str, str]] = {}
        for address, told in posts.items():
            url = bare(address)
            verdict = self._scope.judge(key_of(url))
            reason = verdict.reason or ""
            if verdict.key is not None and not self._allowed.names(verdict.key):
                reason = REASON
            elif verdict.key is not None:
                followed[verdict.key + address[len(url) :]] = told
                continue
            answered.partition.count_refusal(reason)
            if self._keeps_refused:
                answered.refused = _with_refused(answered.refused, address, told, reason)
        if followed:
            partition, page = answered.partition, answered.page
            answered.links = self._router.with_posts(partition, page, answered.links, followed)

    # -- from a link to an answer -----------------------------------------------------------

    def permitted(self, state: PartitionState, page: int) -> Outcome | None:
        """Return what a POST ends as that must not be sent; None of all other URLs."""
        key = state.table.key(page)
        if "#" not in key:
            return None
        if not self._allowed.names(key):
            return Outcome.EXCLUDED
        known = state.posts.get(page)
        if known is None or (known == ANSWERED and self._again):
            return None
        return Outcome.UNKNOWN_POST

    def posted(self, partition: Partition, page: int) -> Body:
        """Note that something is about to be posted, and return it."""
        body = posted_in(partition.state.table.key(page))
        assert body is not None  # `permitted` was asked about the same key
        partition.record(Posted(self._clock.now(), page, NOTED))
        return body

    def judged(self, answered: PageAnswer) -> None:
        """Give a POST its outcome that may have been acted upon without an answer."""
        if not answered.request.form:
            return
        is_unsure = answered.outcome in _UNANSWERED or (
            self._has_proxy and answered.outcome in NO_CONNECTION
        )
        if is_unsure or answered.answer.status in _ELSEWHERE:
            answered.outcome = Outcome.UNKNOWN_POST

    def finished(self, answered: PageAnswer) -> None:
        """Note that the answer to a POST is decided on, or that it was not sent."""
        if not answered.request.form or answered.outcome is Outcome.UNKNOWN_POST:
            return
        is_sent = answered.outcome not in _NOT_SENT
        state = ANSWERED if is_sent else UNSENT
        answered.partition.record(Posted(answered.ended, answered.page, state))


def _with_refused(links: Links, address: str, told: tuple[str, str], reason: str) -> Links:
    """Return the links that are only recorded, with one more."""
    if links is NO_LINKS:
        links = Links()
    key = key_of(address)
    at = 1 + max(links.positions or [len(links.kinds) - 1], default=-1)
    return replace(
        links,
        targets=[*links.targets, Target(key, address, url_id(key))],
        kinds=[*links.kinds, int(LinkKind.POST)],
        texts=[*links.texts, told[0]],
        rels=[*links.rels, told[1]],
        times=[*links.times, 1],
        positions=[*(links.positions or range(len(links.kinds))), at],
        reasons=[*links.reasons, reason],
    )
