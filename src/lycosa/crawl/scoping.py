"""Which URLs a crawl wants, and how that grows.

The rules of a job decide (`lycosa.url.Scope`). A job whose rules accept nothing by name
stays on the hosts of its seeds. Sites move: `http://example.org/` answers with
`https://www.example.org/`, and a user who typed the one means the other. So where a seed
redirects to, joins the scope; where a picture on its page redirects to, does not. That is a
decision, noted in the log, so that a resumed crawl stands by it, and every worker sees it: a
note is written before anything that follows from it is posted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lycosa.config import Job
from lycosa.log.protocol import Log
from lycosa.url import Action, Rule, Scope, Verdict, host_of, parse_rules

if TYPE_CHECKING:
    from lycosa.plugins.hooks import Hooks

_NOTE = "scope-host "
_MOVED_NOTE = "scope-moved "


class JobScope:
    """The scope of a job, with the hosts of its seeds where no rule accepts anything.

    `stays_on_seeds=False` is for simulations that roam the whole of their small web. Rules of
    plugins (`hooks`) are asked before those of the job.
    """

    def __init__(
        self, job: Job, log: Log, *, stays_on_seeds: bool = True, hooks: Hooks | None = None
    ) -> None:
        self._log = log
        self._ask = hooks.rule if hooks is not None and hooks.has_rules else None
        self._rules = parse_rules(list(job.rules))
        accepts_by_name = any(rule.action is Action.ACCEPT for rule in self._rules)
        self._stays_on_seeds = stays_on_seeds and not accepts_by_name
        self._read()

    @property
    def size(self) -> int:
        """How many hosts have joined: it grows when verdicts may have changed."""
        return len(self._hosts)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of the job, in their order."""
        return self._rules

    @property
    def hosts(self) -> list[str] | None:
        """The hosts that the crawl stays on; None when its rules say where it goes."""
        return list(self._hosts) if self._stays_on_seeds else None

    def judge(self, key: str) -> Verdict:
        """Return the verdict on one key."""
        if self._ask is None:
            return self._scope.judge(key)
        ruled = self._ask(key)
        return ruled if isinstance(ruled, Verdict) else self._scope.judge(ruled)

    def ask_plugins(self, key: str) -> Verdict | str:
        """Return the verdict of a plugin, or the key with which the job's rules are asked."""
        return key if self._ask is None else self._ask(key)

    def follow(self, key: str, target: str, *, is_seed: bool) -> None:
        """Let in where a seed redirects to, at once or by several redirects in a row."""
        if self._stays_on_seeds and (is_seed or key in self._moved):
            if target not in self._moved:
                self._log.note(_MOVED_NOTE + target, b"")
                self._moved.add(target)
            self.join(target)

    def join(self, key: str) -> None:
        """Let the host of a seed, or of what a seed redirects to, in."""
        host = host_of(key)
        if self._stays_on_seeds and host not in self._hosts:
            self._log.note(_NOTE + host, b"")
            self._hosts[host] = None
            self._set()

    def look_again(self) -> None:
        """Take in what other workers have noted since."""
        if self._stays_on_seeds and self._log.note_count() != self._notes:
            self._read()

    def _read(self) -> None:
        self._notes = self._log.note_count()
        self._hosts = dict.fromkeys(name[len(_NOTE) :] for name in self._log.notes(_NOTE))
        self._moved = {name[len(_MOVED_NOTE) :] for name in self._log.notes(_MOVED_NOTE)}
        self._set()

    def _set(self) -> None:
        hosts = list(self._hosts) if self._stays_on_seeds else []
        self._scope = Scope(self._rules, hosts)
