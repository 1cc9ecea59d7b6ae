"""The stages that the answer to a page goes through, from the transport to the log.

One record (`page_answer.PageAnswer`) passes them in this order; each stage depends on the ones
before it.

     1  judge      the outcome, from status and headers (`reading`)
     2  read       a page that may be kept is scanned once: text, facts, links. A plugin may read
                   types that Lycosa does not (`plugins`)
     3  recognise  a soft 404, or the answer to our own probe, gets its outcome (`soft_404`), and so
                   does what is no sitemap where we tried one (`site_files`). It needs the text;
                   plugins must not be shown such a page
     4  show       the job's plugins see the page. They may change its facts and links, or fail
     5  charge     the page is paid from the job's limits, or the reservation is given back. A page
                   that does not fit leaves nothing but its outcome, so this precedes what is
                   stored. A sitemap and a page in a language that the job does not keep
                   (`languages`) cost nothing: they go on for their links
     6  extract    triples (`triples`), then links, some of which the triples name (`links`)
     7  store      what the page is about (`lycosa.crawl.topics`), then one record for the archive.
                   The event needs its place
     8  rest       how long the host rests (`host_pauses`, `bursts`). A refusal is recorded before
                   the event of the page, so that a replay sees the host wait first
     9  finish     `Fetched`: the decision. From here on the state knows the outcome
    10  watch      what the visit says about changes of the page (`changes`)
    11  route      the links go to their partitions. After `finish`, because a page that links to
                   itself or comes nearer must count as fetched
    12  learn      samples for soft 404s, traps, guesses: they count the URLs that `route` added
    13  render     a page that scripts make is queued for a browser (`lycosa.crawl.rendering`)
    14  close      the host is closed if it has given as many pages as the job takes
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lycosa.crawl.answers.changes import ChangeWatcher
from lycosa.crawl.answers.host_pauses import HostPauses
from lycosa.crawl.answers.links import Router
from lycosa.crawl.answers.mining import Mining
from lycosa.crawl.answers.novelty.copies import SeenTexts
from lycosa.crawl.answers.novelty.mirrors import Mirrors
from lycosa.crawl.answers.novelty.soft_404 import Prober
from lycosa.crawl.answers.novelty.traps import TrapWatch
from lycosa.crawl.answers.page_answer import NO_FACTS, PageAnswer, Session, is_cookie_wall
from lycosa.crawl.answers.reading import (
    is_sitemap,
    judge,
    links_of_page,
    read_page,
    redirect_of,
    showing_wishes,
)
from lycosa.crawl.answers.revisit_wishes import RevisitWishes
from lycosa.crawl.answers.shells import SHELL_TEXT_BYTES, note_shell
from lycosa.crawl.answers.site_files.usual_sitemap import UsualSitemap
from lycosa.crawl.answers.triples import TripleExtraction
from lycosa.crawl.bursts import Bursts
from lycosa.crawl.pauses import back_off, resume_pause
from lycosa.crawl.ports import Ports
from lycosa.extract.echo import own_name
from lycosa.extract.fingerprint import fingerprint, fingerprints
from lycosa.failpoints import reach
from lycosa.frontier.cycle_candidates import Planner
from lycosa.frontier.fold.facts.guesses import TRIED, rule_name
from lycosa.records import (
    NO_CONNECTION,
    STAY_AWAY,
    TRANSIENT,
    UNCOUNTED,
    Capture,
    Fetched,
    HostChanged,
    Outcome,
    Purpose,
)
from lycosa.url import parse, url_of

if TYPE_CHECKING:
    from lycosa.crawl.answers.languages import LanguageFilter
    from lycosa.crawl.answers.plugins import Plugins
    from lycosa.crawl.answers.rendered_tree import RenderedTree
    from lycosa.crawl.rendering.waiting import PageRendering
    from lycosa.crawl.topics.budgets import TopicBudgets
    from lycosa.crawl.topics.classifier import Classifier

FORGETTABLE_SECONDS = 1.0
"""A pause may be longer than the host's usual one by this much without being committed at
once: after a resume every host is left alone for that much longer than its usual pause."""


SITEMAPS_WITHOUT_A_PAGE = 1_000
"""So many sitemaps of a partition, and one more for each page, count towards no limit. Others
count as pages: a site that makes up sitemaps without end must not outlast the limits."""


class PageAnswers:
    """Decides on pages; one per worker."""

    def __init__(
        self,
        ports: Ports,
        router: Router,
        mining: Mining,
        seen_texts: SeenTexts,
        traps: TrapWatch,
        mirrors: Mirrors,
        planner: Planner,
    ) -> None:
        self._budget = ports.budget
        self._store_of_pages = ports.store
        self._random = ports.random
        self._plugins: Plugins | None = None
        if ports.hooks is not None:
            from lycosa.crawl.answers.plugins import Plugins  # loaded only where there are some

            self._plugins = Plugins(ports.hooks, ports.job)
        self._job = ports.job if self._plugins is None else self._plugins.job
        self._languages: LanguageFilter | None = None
        if ports.job.extract.languages:
            from lycosa.crawl.answers.languages import LanguageFilter  # loads a detector

            self._languages = LanguageFilter(ports.job)
        self._classifier: Classifier | None = None
        if ports.job.topics.model:
            from lycosa.crawl.topics.classifier import Classifier  # few crawls have a model

            plugged = ports.hooks.extra_columns if ports.hooks is not None else ()
            self._classifier = Classifier(ports.job, len(plugged))
            if self._plugins is not None:
                self._plugins.classify = self._classifier.named
            if ports.job.frontier.scheduler == "topics":
                from lycosa.crawl.topics.predictor import Predictor

                router.predictor = Predictor(ports.job, self._classifier)
        self.logins: Session | None = None
        """Knows when a page shows that we are not logged in."""
        self._router = router
        self._mining = mining
        self._prober = Prober(ports)
        self._usual_sitemap = UsualSitemap(ports)
        self._seen_texts = seen_texts
        self._traps = traps
        self._mirrors = mirrors
        self._compares = traps.is_on or ports.job.discovery.mining != "off"
        self._triples = TripleExtraction(self._job)
        has_policy = ports.job.revisit.policy != "off"
        self._wishes = RevisitWishes(ports.store)
        self._changes = ChangeWatcher(ports.job, planner, self._wishes) if has_policy else None
        self.rendering: PageRendering | None = None
        """Queues pages for a browser, in a crawl that renders some."""
        self.host_pauses = HostPauses(ports)
        self.bursts = Bursts(ports.job)

    def tree(self) -> RenderedTree:
        """Return what reads pages again that a browser has rendered."""
        from lycosa.crawl.answers.rendered_tree import RenderedTree  # few crawls render pages

        predictor = self._router.predictor
        return RenderedTree(self._triples, self._plugins, self._classifier, predictor)

    @property
    def topic_names(self) -> tuple[str, ...]:
        """The topics of the job's model; none without one."""
        return self._classifier.names if self._classifier is not None else ()

    @property
    def topics(self) -> tuple[tuple[str, ...], TopicBudgets | None]:
        """The topics of the job's model, and their budgets if there are any."""
        predictor = self._router.predictor
        return self.topic_names, predictor.budgets if predictor is not None else None

    def decide(self, answered: PageAnswer) -> bool:
        """Take an answer through all stages; returns whether it must be committed at once."""
        state, page = answered.partition.state, answered.page
        answered.key = state.table.key(page)
        answered.site = state.pages.site[page]
        answered.host = state.sites.host[answered.site]
        self._judge(answered)
        self._read(answered)
        answered.outcome = self._prober.judge(answered)
        if state.pages.guess[page] == TRIED:
            self._recognise_list(answered)
        self._show(answered)
        self._charge(answered)
        self._extract(answered)
        self._store(answered)
        reach("answer.stored")
        must_commit = self._rest(answered)
        self._finish(answered)
        if self._changes is not None:
            self._changes.visited(answered)
        if self._classifier is not None and self._classifier.counts(answered):
            answered.partition.record(self._classifier.event(answered))
        self._route(answered)
        self._learn(answered)
        if self.rendering is not None:
            self.rendering.kept(answered)
        elif answered.is_first and len(answered.text) < SHELL_TEXT_BYTES:
            note_shell(answered)
        self._close_when_full(answered)
        return must_commit

    # -- what came ------------------------------------------------------------------------

    def _judge(self, answered: PageAnswer) -> None:
        outcome = judge(answered.answer, self._job)
        beginning = answered.answer.beginning
        if beginning is not None and self._is_last_try(answered):
            answered.answer = beginning
            outcome = judge(beginning, self._job)
        if self.logins is not None:
            outcome = self.logins.outcome_of(
                answered.partition, answered.page, answered.request, answered.answer, outcome
            )
        if outcome is Outcome.NOT_MODIFIED and answered.request.validators is None:
            outcome = Outcome.BAD_STATUS  # the request did not ask whether it changed
        answered.outcome = outcome

    def _is_last_try(self, answered: PageAnswer) -> bool:
        """Return whether no further try follows, so that the beginning of a page is kept.

        A page that is held stays as it is: its beginning is no newer version of the whole.
        """
        pages, page = answered.partition.state.pages, answered.page
        return pages.tries[page] >= self._job.fetch.retries and pages.outcome[page] != Outcome.KEPT

    def _read(self, answered: PageAnswer) -> None:
        if answered.outcome is not Outcome.KEPT:
            return
        if self._plugins is None:
            answered.facts = read_page(answered.answer, self._job)
        else:
            answered.plugins = self._plugins.begin(answered)
            answered.facts = answered.plugins.facts
        text, findings = answered.facts.content, answered.answer.findings
        if text:
            answered.text = text
            if findings is not None and answered.plugins is None:
                answered.fingerprint = findings.fingerprint
                if self._prober.compares(answered):
                    answered.nameless_fingerprint = findings.nameless_fingerprint
            elif self._prober.compares(answered):
                name = own_name(answered.path).encode()
                both = fingerprints(text, name)
                answered.fingerprint, answered.nameless_fingerprint = both
            else:
                answered.fingerprint = fingerprint(text)

    def _recognise_list(self, answered: PageAnswer) -> None:
        """Tell whether a URL at which sitemaps usually are is one."""
        answered.is_tried = True
        answered.outcome = self._usual_sitemap.judge(answered)
        if answered.outcome is Outcome.NO_SITEMAP:
            _drop_facts(answered)

    def _show(self, answered: PageAnswer) -> None:
        if answered.plugins is not None and answered.outcome is Outcome.KEPT:
            answered.outcome, answered.facts = answered.plugins.end()

    def _charge(self, answered: PageAnswer) -> None:
        if answered.outcome is not Outcome.KEPT:
            self._budget.give_back(answered.reserved_bytes)
            return
        state = answered.partition.state
        facts = answered.facts
        if facts.is_list and (answered.is_tried or is_sitemap(answered.answer, facts)):
            most = SITEMAPS_WITHOUT_A_PAGE + state.kept_pages
            answered.is_sitemap = state.outcomes[Outcome.SITEMAP] < most
        elif self._languages is not None:
            found = answered.answer.findings
            is_told = found is not None and found.is_foreign is not None
            answered.is_foreign = found.is_foreign if is_told else self._languages.is_foreign(facts)
        if answered.is_sitemap or answered.is_foreign:
            self._budget.give_back(answered.reserved_bytes)
            return
        size, url = len(answered.answer.body), answered.request.url
        if not self._budget.keep(answered.reserved_bytes, size, url):
            answered.outcome = Outcome.TOO_LARGE
            _drop_facts(answered)

    def _extract(self, answered: PageAnswer) -> None:
        answered.triples = self._triples.triples(answered)
        answer, facts, url = answered.answer, answered.facts, answered.request.url
        if answered.outcome is Outcome.REDIRECTED:
            links = self._router.resolve_redirect(
                answered.partition, answered.page, redirect_of(answer), url
            )
        elif answered.outcome is Outcome.KEPT:
            if answered.plugins is None:
                found = links_of_page(answer, facts, self._job)
            else:
                found = answered.plugins.links
            found = self._triples.with_links(found, answered)
            base = parse(facts.base, url) if facts.base else url
            links = self._router.resolve(
                answered.partition,
                answered.page,
                found,
                base or url,
                is_kept=not answered.is_foreign,
            )
        else:
            return
        answered.links, answered.refused = links

    def _store(self, answered: PageAnswer) -> None:
        state, page, facts = answered.partition.state, answered.page, answered.facts
        is_kept = answered.outcome is Outcome.KEPT
        was_kept = state.pages.outcome[page] == Outcome.KEPT
        answered.is_first = is_kept and not was_kept
        is_shown = is_kept and not answered.is_foreign
        if answered.plugins is not None and is_shown:
            answered.extra = answered.plugins.values
        source_id, source = state.sources.of(page)
        is_noindex = is_noarchive = False
        if self._classifier is not None:
            self._classify(self._classifier, answered, is_shown)
        if is_kept:
            is_noindex, is_noarchive = showing_wishes(answered.answer, facts, self._job)
        answered.place = self._store_of_pages.append(
            Capture(
                key=answered.key,
                purpose=Purpose.PAGE,
                outcome=answered.recorded_outcome,
                distance=state.pages.distance[page],
                request=answered.request,
                answer=answered.answer,
                links=answered.links,
                refused_links=answered.refused,
                title=facts.title,
                description=facts.description,
                text=b"" if answered.is_foreign else facts.content,
                language=facts.language,
                charset=facts.charset,
                fingerprint=answered.fingerprint,
                rule=rule_name(state.pages.guess[page]),
                extra=answered.extra,
                triples=answered.triples,
                held=state.place_of(page) if is_kept and was_kept else None,
                is_noindex=is_noindex,
                is_noarchive=is_noarchive,
                is_withheld=is_noarchive and self._job.extract.obey_noarchive,
                source_id=source_id,
                is_after_redirect=state.pages.hops[page] > 0,
                source_url=url_of(state.table.key(source)) if source is not None else "",
                unread=answered.answer.findings.unread if answered.answer.findings else "",
            )
        )

    def _classify(self, classifier: Classifier, answered: PageAnswer, is_shown: bool) -> None:
        """Find out what a page is about; sitemaps and pages without text are about nothing."""
        if is_shown and answered.text and not answered.is_sitemap:
            found = answered.answer.findings
            is_told = found is not None and answered.plugins is None
            answered.topics = found.topics if is_told else classifier.classify(answered.facts)
        answered.extra = classifier.columns(answered.topics, answered.extra)

    # -- the decision ---------------------------------------------------------------------

    def _rest(self, answered: PageAnswer) -> bool:
        """Let the host rest; returns whether that must not be forgotten by a kill."""
        partition, host, outcome = answered.partition, answered.host, answered.outcome
        pause = self.host_pauses.after(partition, host, answered.answer, outcome, answered.site)
        pause = self.bursts.pause_after_page(partition, host, outcome, pause)
        answered.pause = pause
        return outcome in STAY_AWAY or (
            pause > FORGETTABLE_SECONDS
            and pause > resume_pause(self._job, partition.state, host) + FORGETTABLE_SECONDS
        )

    def _finish(self, answered: PageAnswer) -> None:
        answer = answered.answer
        answered.partition.finish(
            Fetched(
                answer.ended,
                answered.page,
                answered.recorded_outcome,
                answer.status,
                len(answer.body),
                self._due(answered),
                answer.ended + answered.pause,
                answered.place if answer.status else None,
            )
        )

    def _due(self, answered: PageAnswer) -> float:
        """Return when to ask for the page again, or 0."""
        outcome, ended, pause = answered.outcome, answered.answer.ended, answered.pause
        if outcome is Outcome.KEPT or outcome is Outcome.NOT_MODIFIED:
            seconds = self._job.revisit.seconds
            return ended + max(seconds, self._wishes.seconds(answered)) if seconds else 0.0
        if outcome in NO_CONNECTION:
            return max(ended + pause, answered.partition.state.sites.due[answered.site])
        if outcome in UNCOUNTED:
            return ended + pause
        fetch, tries = self._job.fetch, answered.partition.state.pages.tries[answered.page]
        if outcome in TRANSIENT and tries < fetch.retries:
            most = self._job.politeness.backoff_most_seconds
            wait = back_off(fetch.retry_first_seconds, most, tries + 1, self._random)
            return ended + max(wait, pause)
        if fetch.cookies and tries < max(fetch.retries, 1) and is_cookie_wall(answered):
            return ended + pause
        return 0.0

    # -- what follows from it -------------------------------------------------------------

    def _route(self, answered: PageAnswer) -> None:
        """Send the links on, unless a guess moves to them or its host is a mirror."""
        answered.known_urls = len(answered.partition.state.table)
        if answered.is_tried and answered.outcome is Outcome.REDIRECTED:
            self._usual_sitemap.move(answered)
            return
        if self._mining.moves(answered):
            return
        if answered.outcome is Outcome.KEPT and self._mirrors.skips(answered):
            return
        if self._router.predictor is not None:
            self._router.predictor.hear_page(answered)
        self._router.route(
            answered.partition, answered.ended, answered.page, answered.key, answered.links
        )

    def _learn(self, answered: PageAnswer) -> None:
        self._prober.learn(answered)
        if self._compares and answered.outcome is Outcome.KEPT:
            answered.times_shown = self._seen_texts.times_shown(answered)
        if answered.is_first and self._traps.is_on:
            self._traps.weigh(answered)
        if answered.state.sites.wants_sitemap[answered.site] and not answered.is_sitemap:
            self._usual_sitemap.try_after(answered)
        self._mining.answered(answered)

    def _close_when_full(self, answered: PageAnswer) -> None:
        limit, host = self._job.limits.host_pages, answered.host
        hosts = answered.partition.state.hosts
        if limit and hosts.kept[host] >= limit and not hosts.closed[host]:
            due, strikes = hosts.due[host], hosts.strikes[host]
            closed = HostChanged(answered.ended, host, due, strikes, Outcome.HOST_LIMIT)
            answered.partition.change_host(closed)


def _drop_facts(answered: PageAnswer) -> None:
    """Forget what was read: nothing but the outcome is left of the answer."""
    answered.facts, answered.text = NO_FACTS, b""
    answered.fingerprint = answered.nameless_fingerprint = 0
