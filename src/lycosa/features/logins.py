"""Logs in to a site by its form, and again when the session is lost.

When a page of the site is to be asked for and there is no session, its turn is used for the login:
the page with the form, the form itself, then the job's `check`, each as one request of the host,
under its pauses, its address and its robots rules. The page goes back to its queue meanwhile.
Nothing of the login is archived, and the session lives in the memory of this process: after a kill
the crawl logs in again.

Has the login succeeded? The job's check says so. Without one it has failed at 401, 403 or another
refusal, at a redirect to the login, and where the same form is shown again. A first login that has
failed ends the crawl, before a page of the site is asked for; it is not tried again, because sites
lock accounts. Only what passes (no connection, 429, 5xx) is tried again, up to `most_logins`.

A session is lost when the site redirects to the login, answers 401 or 403, or shows the form in the
place of a page. A page that is refused right after a login is refused to us, whoever we are; from
then on only redirects tell of a lost session. When a login on the way has failed, or the job's
logins are used up, pages that lead to the login end as `not_logged_in`.

Always true: a login sends no POST but the job's own form, to the address that the job names.
"""

from __future__ import annotations

import logging
import re
from enum import Enum
from urllib.parse import urlencode

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.answers.reading import judge
from lycosa.crawl.budget import Limit
from lycosa.crawl.pauses.host_pauses import HostPauses
from lycosa.crawl.points import Feature, Spine
from lycosa.errors import ConfigError
from lycosa.features.login_forms import hidden_fields, shows_form
from lycosa.fetch.access import Access
from lycosa.fetch.robots.rules import Rules
from lycosa.frontier.partition import Partition
from lycosa.frontier.task import Task, TaskKind
from lycosa.model.records import Answer, HostChanged, Outcome, Request
from lycosa.model.url import canonicalize
from lycosa.model.url.key import key_of, site_of

messages = logging.getLogger(__name__)

REFUSED = (401, 403)
_PASSING = (Outcome.TOO_MANY_REQUESTS, Outcome.UNAVAILABLE, Outcome.SERVER_ERROR)
"""Outcomes that say nothing about name and password."""
_LOGOUT = re.compile(r"(?i)(log|sign)[-_]?(out|off)|abmelden|deconnexion|cerrar[-_]?sesion")


class _Stage(Enum):
    OUT = 1
    HAS_FORM = 2
    """The page with the form has been read."""
    SENT = 3
    """The form has been sent, and the job's check is next."""
    IN = 4
    GIVEN_UP = 5


class Logins(Feature):
    """The session of a worker with the site that its job logs in to."""

    def __init__(self, spine: Spine) -> None:
        ports = spine.ports
        login = ports.job.login
        self._job, self._budget, self._clock = ports.job, ports.budget, ports.clock
        self._notice, self._look_soon = ports.noticed, spine.look_soon
        self._pauses = HostPauses(ports)
        self._follows_logout = login.follow_logout
        self._left = login.most_logins
        self._url = _canonical(login.url)
        self._page = _canonical(login.page)
        self._check = _canonical(login.check)
        self._site = site_of(key_of(self._url)) if self._url else ""
        self._fields = Access(login).fields if self._url else []
        self._names = [name for name, _ in self._fields]
        self._hidden: list[tuple[str, str]] = []
        self._hint = ""
        """A likely cause for a login that fails, as far as the page with the form tells it."""
        self._stage = _Stage.OUT
        self._was_in = False
        self._again = -1
        """The page that is asked for again after a login."""
        self._heeds_refusals = True
        """Whether 401, 403 and the form on a page mean that the session is lost."""

    def excluded(self, partition: Partition, page: int) -> bool:
        """Return whether a URL would end the session; robots rules may forbid all of the login."""
        self._look_at_robots(partition, page)
        if self._follows_logout:
            return False
        return _LOGOUT.search(partition.state.table.key(page)) is not None

    def _look_at_robots(self, partition: Partition, page: int) -> None:
        """Give the login up if the robots rules of its site, known by now, forbid a step of it."""
        if not self._is_due(partition, page):
            return
        state = partition.state
        site = state.pages.site[page]
        if state.sites.robots_expires[site] <= self._clock.now():
            return
        rules = Rules.from_bytes(state.rules.get(site, b""))
        for url in filter(None, (self._page, self._url, self._check)):
            if not rules.is_allowed(key_of(url)[len(self._site) :]):
                self._failed(f"the robots rules forbid {url}")
                self._look_soon()
                return

    def _is_due(self, partition: Partition, page: int) -> bool:
        if self._stage in (_Stage.IN, _Stage.GIVEN_UP):
            return False
        state = partition.state
        return bool(self._url) and state.site_names[state.pages.site[page]] == self._site

    def step(self, partition: Partition, page: int) -> tuple[str, bytes] | None:
        """Return the URL, and the form, of the login that a page needs first; None for none."""
        if not self._is_due(partition, page):
            return None
        if self._stage is _Stage.SENT:
            return self._check, b""
        if self._page and self._stage is _Stage.OUT:
            return self._page, b""
        return self._url, urlencode([*self._hidden, *self._fields]).encode()

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
        if request.form:
            self._left -= 1
        if answer.failure is not None or outcome in _PASSING:
            self._passes(request, outcome)
        elif request.form and self._check:
            self._stage = _Stage.SENT
        elif request.form or self._stage is _Stage.SENT:
            self._decide(request, answer)
        elif answer.status >= 400:
            self._failed(f"the page with the form, {self._page}, answers {answer.status}")
        else:
            self._read_form(answer)

    def _passes(self, request: Request, outcome: Outcome) -> None:
        """Begin again after a failure that says nothing about name and password."""
        if not request.form:
            self._left -= 1
        self._stage = _Stage.OUT
        told = outcome.name.lower().replace("_", " ")
        messages.warning("the login at %s got no answer yet: %s", self._url, told)
        if self._left <= 0:
            self._failed(f"{request.url} gave no answer ({told}), and most_logins is used up")

    def _read_form(self, answer: Answer) -> None:
        found = hidden_fields(answer, self._names)
        self._hidden = found or []
        self._hint = ""
        if found is None and self._names:
            self._hint = f"{self._page} has no form with a field `{self._names[0]}`"
        self._stage = _Stage.HAS_FORM

    def _decide(self, request: Request, answer: Answer) -> None:
        """See whether the login has succeeded, by the answer to the form or by the job's check."""
        subject = "the answer to the form" if request.form else self._check
        text = self._job.login.check_text
        if self._leads_to_login(request.url, answer):
            self._failed(f"{subject} leads back to the login")
        elif answer.status >= 400 or (not request.form and answer.status >= 300):
            self._failed(
                f"{subject} is {answer.status}"
                if request.form
                else f"{subject} answers {answer.status}"
            )
        elif shows_form(answer, self._names):
            self._failed(f"{subject} shows the form with its password field again")
        elif text and not request.form and text not in _text_of(answer):
            self._failed(f"{subject} does not have the text {text!r}")
        else:
            self._succeeded(request, answer)

    def _succeeded(self, request: Request, answer: Answer) -> None:
        self._stage, self._was_in = _Stage.IN, True
        messages.info("logged in at %s", self._url)
        if request.form and not any(name.lower() == "set-cookie" for name, _ in answer.headers):
            self._say(
                f"the login at {self._url} set no cookie, so it may have failed\n"
                "  name a page that only members see as [login] check"
            )

    def _is_lost(self, partition: Partition, task: Task, request: Request, answer: Answer) -> bool:
        """Return whether a page shows that the session is lost, and is asked for again."""
        page = task.subject
        if request.form:
            return False  # what a plugin posts is not sent twice
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
        if self._stage is not _Stage.GIVEN_UP:
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
        """Return whether a page that is not the login itself shows or asks for the login."""
        state = partition.state
        if not self._url or state.site_names[state.pages.site[page]] != self._site:
            return False
        if _bare(request.url) in (_bare(self._page), _bare(self._url)):
            return False
        if self._leads_to_login(request.url, answer):
            return True
        if not self._heeds_refusals:
            return False
        return answer.status in REFUSED or (
            answer.status == 200 and shows_form(answer, self._names)
        )

    def _leads_to_login(self, url: str, answer: Answer) -> bool:
        target = answer.header("location") if 300 <= answer.status < 400 else None
        found = canonicalize(target, url) if target else None
        return found is not None and _bare(found) in (_bare(self._page), _bare(self._url))

    def _failed(self, why: str) -> None:
        """End the crawl if it was never logged in; else go on with what needs no login."""
        why += f"; {self._hint}" if self._hint else ""
        if self._was_in:
            self._give_up(why)
            return
        self._stage = _Stage.GIVEN_UP
        self._say(
            f"not logged in at {self._url}: {why}\n"
            "  check the secret and the names in [login] fields"
        )
        self._budget.reach(Limit.LOGIN)

    def _give_up(self, why: str) -> None:
        if self._stage is not _Stage.GIVEN_UP:
            self._say(
                f"not logged in any more at {self._url}: {why}\n"
                "  pages that lead to the login end as not_logged_in"
            )
        self._stage = _Stage.GIVEN_UP

    def _say(self, text: str) -> None:
        messages.warning(text)
        self._notice(text)


def _canonical(url: str) -> str:
    if not url:
        return ""
    found = canonicalize(url)
    if found is None:
        raise ConfigError(f"[login] {url}: is not a URL that can be requested")
    return found


def _bare(url: str) -> str:
    """Return a URL without its query, which says where the site leads after the login."""
    return url.partition("?")[0]


def _text_of(answer: Answer) -> str:
    from lycosa.extract.text.charset import to_utf8

    return to_utf8(answer.body, answer.header("content-type"))[0].decode("utf-8", "replace")
