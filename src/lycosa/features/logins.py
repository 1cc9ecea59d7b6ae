"""Logs in to a site by its form, and again when the session is lost.

When a page of the site is to be asked for and there is no session, its turn is used for the login:
the page with the form, then the form itself, each as one request of the host, under its pauses, its
address and its robots rules. The page goes back to its queue meanwhile. Nothing of the login is
archived, and the session lives in the memory of this process: after a kill the crawl logs in again.

A session is lost when the site redirects to the login or answers 401 or 403. A page that is refused
right after a login is refused to us, whoever we are; from then on only redirects tell of a lost
session. When the job's logins are used up, pages that lead to the login end as `not_logged_in`.

Always true: no POST is sent but the job's own form, to the address that the job names.
"""

from __future__ import annotations

import logging
import re
from enum import Enum
from urllib.parse import urlencode

from lycosa.crawl.answers.host_pauses import HostPauses
from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.answers.reading import judge
from lycosa.crawl.points import Feature
from lycosa.crawl.ports import Ports
from lycosa.errors import ConfigError
from lycosa.fetch.access import Access
from lycosa.fetch.robots.rules import Rules
from lycosa.frontier.partition import Partition
from lycosa.frontier.task import Task, TaskKind
from lycosa.model.records import Answer, HostChanged, Outcome, Request
from lycosa.model.url import canonicalize
from lycosa.model.url.key import key_of, site_of

messages = logging.getLogger(__name__)

REFUSED = (401, 403)
_LOGOUT = re.compile(r"(?i)(log|sign)[-_]?(out|off)|abmelden|deconnexion|cerrar[-_]?sesion")


class _Stage(Enum):
    OUT = 1
    HAS_FORM = 2
    """The page with the form has been read."""
    IN = 3
    GIVEN_UP = 4


class Logins(Feature):
    """The session of a worker with the site that its job logs in to."""

    def __init__(self, ports: Ports) -> None:
        login = ports.job.login
        self._job = ports.job
        self._pauses = HostPauses(ports)
        self._follows_logout = login.follow_logout
        self._left = login.most_logins
        self._url = _canonical(login.url)
        self._page = _canonical(login.page)
        self._site = site_of(key_of(self._url)) if self._url else ""
        self._fields = Access(login).fields if self._url else []
        self._hidden: list[tuple[str, str]] = []
        self._stage = _Stage.OUT
        self._again = -1
        """The page that is asked for again after a login."""
        self._heeds_refusals = True
        """Whether 401 and 403 mean that the session is lost."""

    def excluded(self, partition: Partition, page: int) -> bool:
        """Return whether a URL would end the session."""
        if self._follows_logout:
            return False
        return _LOGOUT.search(partition.state.table.key(page)) is not None

    def step(self, partition: Partition, page: int) -> tuple[str, bytes] | None:
        """Return the URL, and the form, of the login that a page needs first; None for none."""
        state = partition.state
        site = state.pages.site[page]
        if self._stage in (_Stage.IN, _Stage.GIVEN_UP) or state.site_names[site] != self._site:
            return None
        rules = Rules.from_bytes(state.rules.get(site, b""))
        for url in filter(None, (self._page, self._url)):
            if not rules.is_allowed(key_of(url)[len(self._site) :]):
                self._give_up(f"the robots rules forbid {url}")
                return None
        if self._page and self._stage is _Stage.OUT:
            return self._page, b""
        form = urlencode([*self._hidden, *self._fields]).encode()
        self._left -= 1
        return self._url, form

    def claimed(self, partition: Partition, task: Task, request: Request, answer: Answer) -> bool:
        """Take an answer that is part of a login, or shows that one is needed again."""
        if task.kind is TaskKind.LOGIN:
            self._answered(partition, task, request, answer)
            return True
        return task.kind is TaskKind.PAGE and self._is_lost(partition, task, request, answer)

    def _answered(self, partition: Partition, task: Task, request: Request, answer: Answer) -> None:
        """Take the answer to a step of the login."""
        outcome = judge(answer, self._job)
        self._rest(partition, task, answer, outcome)
        if answer.failure is not None or outcome in (
            Outcome.TOO_MANY_REQUESTS,
            Outcome.UNAVAILABLE,
            Outcome.SERVER_ERROR,
        ):
            self._stage = _Stage.OUT
        elif not request.form:
            self._hidden = _hidden_fields(answer, self._page, [name for name, _ in self._fields])
            self._stage = _Stage.HAS_FORM
        elif answer.status < 400 and not self._leads_to_login(request.url, answer):
            self._stage = _Stage.IN
            messages.info("logged in at %s", self._url)
            return
        else:
            self._stage = _Stage.OUT
            messages.warning("the login at %s failed: status %d", self._url, answer.status)
        if self._left <= 0 and self._stage is _Stage.OUT:
            self._give_up("all logins of this run are used up ([login] most_logins)")

    def _is_lost(self, partition: Partition, task: Task, request: Request, answer: Answer) -> bool:
        """Return whether a page shows that the session is lost, and is asked for again."""
        page = task.subject
        if self._stage is not _Stage.IN or not self._shows_login(partition, page, request, answer):
            self._again = -1 if page == self._again else self._again
            return False
        if page == self._again:
            self._again = -1
            self._heeds_refusals = False  # it is refused to us, whoever we are
            return False
        if self._left <= 0:
            self._give_up("the session is lost, and all logins of this run are used up")
            return False
        messages.info("the session with %s is lost", self._url)
        self._stage, self._again = _Stage.OUT, page
        self._rest(partition, task, answer, judge(answer, self._job))
        return True

    def judged(self, answered: PageAnswer) -> None:
        """Give a page that leads to the login its outcome: it is not what was asked for."""
        request = answered.request
        if self._stage is not _Stage.GIVEN_UP or request.url in (self._page, self._url):
            return
        if self._shows_login(answered.partition, answered.page, request, answered.answer):
            answered.outcome = Outcome.NOT_LOGGED_IN

    def _rest(self, partition: Partition, task: Task, answer: Answer, outcome: Outcome) -> None:
        """Let the host rest as after every answer, and offer the page again."""
        state, host = partition.state, task.host
        site = state.pages.site[task.subject]
        pause = self._pauses.after(partition, host, answer, outcome, site)
        if not state.hosts.closed[host]:
            due = max(state.hosts.due[host], answer.ended + pause)
            partition.change_host(HostChanged(answer.ended, host, due, state.hosts.strikes[host]))
        partition.offer_again([task.subject], answer.ended)

    def _shows_login(
        self, partition: Partition, page: int, request: Request, answer: Answer
    ) -> bool:
        state = partition.state
        if not self._url or state.site_names[state.pages.site[page]] != self._site:
            return False
        is_refused = answer.status in REFUSED and self._heeds_refusals
        return is_refused or self._leads_to_login(request.url, answer)

    def _leads_to_login(self, url: str, answer: Answer) -> bool:
        target = answer.header("location") if 300 <= answer.status < 400 else None
        found = canonicalize(target, url) if target else None
        if found is None:
            return False
        bare = found.partition("?")[0]
        return any(bare == one.partition("?")[0] for one in (self._page, self._url) if one)

    def _give_up(self, why: str) -> None:
        if self._stage is not _Stage.GIVEN_UP:
            messages.warning("not logged in at %s: %s", self._url, why)
        self._stage = _Stage.GIVEN_UP


def _canonical(url: str) -> str:
    if not url:
        return ""
    found = canonicalize(url)
    if found is None:
        raise ConfigError(f"[login] {url}: is not a URL that can be requested")
    return found


def _hidden_fields(answer: Answer, url: str, given: list[str]) -> list[tuple[str, str]]:
    """Return the hidden fields of the form on a page that has the fields of the job."""
    from lxml import etree

    from lycosa.extract.text.charset import to_utf8

    markup = to_utf8(answer.body, answer.header("content-type"))[0]
    try:
        root = etree.fromstring(markup, etree.HTMLParser(encoding="utf-8", no_network=True))
    except (etree.XMLSyntaxError, ValueError):
        return []
    for form in root.iter("form") if root is not None else ():
        fields = [(one.get("name", ""), one) for one in form.iter("input", "button")]
        if {name for name, _ in fields}.issuperset(given[:1]):
            return [
                (name, one.get("value", ""))
                for name, one in fields
                if name and name not in given and (one.get("type") or "").lower() == "hidden"
            ]
    return []
