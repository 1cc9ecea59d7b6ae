"""Decide which URLs a crawl wants, and extend that when a seed moves to another host.

The rules of the job decide (`lycosa.model.url.Scope`). A job without a rule that accepts something
stays on the hosts of its seeds. Sites move: `http://example.org/` answers with
`https://www.example.org/`, and a user who typed the one means the other. So the target of a seed's
redirect joins the scope; the target of a picture's redirect does not. The log notes hosts that
join, so that a resumed crawl and all workers agree; the note is written before anything that
follows from it is posted.

A crawl of servers on this machine (`loopback_origins`) wants these servers alone. The address guard
would refuse the others, too; but it would close their host, which is the one that is crawled.

URLs at ports of other services than the web are refused whatever the rules say, unless the job
names the port, or a seed in the job has that origin.

The operator may add rules while the crawl runs (`runtime.orders.orders`): those that reject are
asked before the job's own, those that accept after them.

Cost: the hosts are in one growing set, so adding a host takes the same time with ten hosts or a
hundred thousand. The hosts of a seed list are noted many at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Protocol

from lycosa.crawl.access import named_ports
from lycosa.errors import ConfigError
from lycosa.fetch.ports import PortGuard
from lycosa.model.job import Job, until_pattern
from lycosa.model.url import (
    Action,
    Rule,
    Scope,
    Verdict,
    canonicalize,
    host_of,
    key_of,
    parse_rules,
    reversed_host_of,
    site_of,
)
from lycosa.model.url.conditions import IsHost
from lycosa.model.url.key import site_url
from lycosa.storage.log.protocol import Log

_NOTE = "scope-host "
_MOVED_NOTE = "scope-moved "
_LIST_NOTE = "scope-hosts "


REFUSED_PORT = "refused-port"
"""The reason for refusing a URL at a port of another service than the web (`fetch.ports`)."""

NOT_OPENED = "loopback-only"
"""The reason for refusing a URL that is not on one of the job's `loopback_origins`."""


def require_linear(job: Job) -> None:
    """Refuse a new job with an expression that cannot be matched in linear time."""
    parse_rules(list(job.rules))
    for entry in job.limits.until:
        try:
            until_pattern(entry)
        except ValueError as error:
            raise ConfigError(f"[limits] until: {error}") from None


class UrlHooks(Protocol):
    """The part of a crawl's plugins that decides about URLs."""

    @property
    def has_rules(self) -> bool:
        """Whether any plugin has a rule."""

    def rule(self, key: str) -> Verdict | str:
        """Ask all plugins: a verdict, or the key for the job's rules to judge."""


class JobScope:
    """The scope of a job: its rules, and the hosts of its seeds if no rule accepts anything.

    `stays_on_seeds=False` is for simulations, which crawl the whole of their small web. Rules of
    plugins (`hooks`) are asked before those of the job.
    """

    def __init__(
        self, job: Job, log: Log, *, stays_on_seeds: bool = True, hooks: UrlHooks | None = None
    ) -> None:
        self._log = log
        self._ask = hooks.rule if hooks is not None and hooks.has_rules else None
        self._ports = PortGuard(named_ports(job))
        self._web_site = "/"
        """The beginning of the last key whose port was in order; no key begins with a slash."""
        self._opened = _sites_of(job.fetch.loopback_origins)
        self._rules = parse_rules(list(job.rules))
        accepts_by_name = any(rule.action is Action.ACCEPT for rule in self._rules)
        self._stays_on_seeds = stays_on_seeds and not accepts_by_name
        self._hosts: dict[str, None] = {}
        """As they stand in keys, reversed, in the order in which they have joined."""
        self._moved: set[str] = set()
        self.unwritten: dict[str, bytes] = {}
        """Notes that a commit writes before the posts of those who know of them."""
        self._rejecting: tuple[Rule, ...] = ()
        self._accepting: tuple[Rule, ...] = ()
        self._added: Scope | None = None
        self._adopted = 0
        # Attributes, because every page asks for them.
        self.size = 0
        """How many hosts have joined and rules were added; when it grows, verdicts may change."""
        self.rejects_more = False
        """Whether the operator has added a rule that rejects."""
        self._scope = Scope(self._rules)
        self._notes = 0
        self._read()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of the job, in their order."""
        return self._rules

    @property
    def hosts(self) -> list[str] | None:
        """The hosts that the crawl stays on; None when its rules say where it goes."""
        return [host_of(f"{host}:/") for host in self._hosts] if self._stays_on_seeds else None

    def has_host(self, key: str) -> bool:
        """Return whether the crawl stays on the hosts of its seeds, and this is one of them."""
        return self._stays_on_seeds and reversed_host_of(key) in self._hosts

    @property
    def takes_all_seeds(self) -> bool:
        """Whether every seed is accepted, because there are no rules that could refuse one."""
        return not (self._ask or self._rules or self._opened or self._rejecting)

    def adopt(self, added: Sequence[Rule]) -> None:
        """Ask these added rules from now on, and no others; the first one that decides counts."""
        rejecting = tuple(rule for rule in added if rule.action is Action.REJECT)
        accepting = tuple(rule for rule in added if rule.action is Action.ACCEPT)
        if (rejecting, accepting) == (self._rejecting, self._accepting):
            return
        self._rejecting, self._accepting = rejecting, accepting
        self._added = Scope(rejecting) if rejecting else None
        self.rejects_more = bool(rejecting)
        self._adopted += 1
        self.size += 1
        self._compose()

    def is_rejected_since(self, key: str) -> bool:
        """Return whether an added rule rejects a URL that was accepted before."""
        return self._added is not None and self._added.judge(key).key is None

    @property
    def judges_by_site(self) -> bool:
        """Whether all URLs of a site get the same verdict, as long as `size` is the same.

        A plugin may look at anything; which servers are opened, and ports, are the site's.
        """
        return self._ask is None and self._scope.judges_by_site

    @property
    def accepted_beginnings(self) -> tuple[str, ...]:
        """Beginnings of keys that are accepted as they are, as long as `size` is the same.

        Which servers are opened, and ports, are the site's, which a beginning has whole.
        """
        if self._ask is not None:
            return ()
        accepted = self._scope.accepted_beginnings
        return tuple(beginning for beginning in accepted if self.judge(beginning).key == beginning)

    def judge(self, key: str) -> Verdict:
        """Return the verdict on one key."""
        if self._opened and site_of(key) not in self._opened:
            return Verdict(None, NOT_OPENED)
        if self._ask is None:
            verdict = self._scope.judge(key)
        else:
            ruled = self._ask(key)
            verdict = ruled if isinstance(ruled, Verdict) else self._scope.judge(ruled)
        found = verdict.key
        # Most links lead to the site of the one before, so that its port is not looked at again.
        if found is None or found.startswith(self._web_site):
            return verdict
        return self._by_port(found, verdict)

    def _by_port(self, key: str, verdict: Verdict) -> Verdict:
        """Return the verdict, unless the port is one of another service than the web."""
        path = key.index("/")
        # Only a key with a port of its own has a digit before its path.
        if key[path - 1].isdigit():
            site = site_of(key)
            port = int(site.rpartition(":")[2].removeprefix("s"))
            if self._ports.refuses(site_url(site), port):
                return Verdict(None, REFUSED_PORT)
        self._web_site = key[: path + 1]
        return verdict

    def ask_plugins(self, key: str) -> Verdict | str:
        """Return the verdict of a plugin, or the key with which the job's rules are asked."""
        return key if self._ask is None else self._ask(key)

    def follow(self, key: str, target: str, *, is_seed: bool) -> None:
        """Add the target of a seed's redirect, or of a chain of redirects from a seed."""
        if self._stays_on_seeds and (is_seed or key in self._moved):
            notes = {}
            if target not in self._moved:
                notes[_MOVED_NOTE + target] = b""
            if not self.has_host(target):
                notes[_NOTE + host_of(target)] = b""
            self.unwritten.update(notes)
            self._take(notes)

    def join(self, key: str) -> None:
        """Add the host of a seed; the next commit notes it in the log."""
        self.unwritten.update(self.joining((key,)))

    def write(self) -> None:
        """Note at once what a commit would have to."""
        if self.unwritten:
            self._log.post_all((), self.take_unwritten())

    def take_unwritten(self) -> dict[str, bytes]:
        """Return the notes that are to be written before anything else of a commit."""
        notes, self.unwritten = self.unwritten, {}
        return notes

    def joining(self, keys: Iterable[str]) -> Mapping[str, bytes]:
        """Add the hosts of seeds; return the note to write before the seeds are posted.

        The same hosts make the same note, so a list that is planted again adds none.
        """
        if not self._stays_on_seeds:
            return {}
        new = dict.fromkeys(map(reversed_host_of, keys))
        for host in new.keys() & self._hosts.keys():
            del new[host]
        if not new:
            return {}
        self._let_in(new)
        names = "\n".join([host_of(f"{host}:/") for host in new]).encode()
        if len(new) == 1:
            return {_NOTE + names.decode(): b""}
        return {_LIST_NOTE + blake2b(names, digest_size=8).hexdigest(): names}

    def look_again(self) -> None:
        """Read the hosts that other workers have noted since the last time."""
        if self._stays_on_seeds:
            self._read()

    def learn(self, notes: Mapping[str, bytes]) -> None:
        """Take in what others have noted, from whoever has read it."""
        if self._stays_on_seeds:
            self._take(notes)

    def _read(self) -> None:
        self._notes, new = self._log.notes_since(self._notes)
        self._take(new)

    def _take(self, notes: Mapping[str, bytes]) -> None:
        hosts: list[str] = []
        for name, value in notes.items():
            if name.startswith(_NOTE):
                hosts.append(name[len(_NOTE) :])
            elif name.startswith(_LIST_NOTE):
                hosts += value.decode().split("\n")
            elif name.startswith(_MOVED_NOTE):
                self._moved.add(name[len(_MOVED_NOTE) :])
        if hosts:
            self._let_in(reversed_host_of(key_of(f"http://{host}/")) for host in hosts)

    def _let_in(self, hosts: Iterable[str]) -> None:
        """Add hosts to the set that the scope consults; the first one makes another scope."""
        is_first = not self._hosts
        self._hosts.update(dict.fromkeys(hosts))
        self.size = len(self._hosts) + self._adopted
        if is_first and self._stays_on_seeds:
            self._compose()

    def _compose(self) -> None:
        """Make the scope of all rules; where everything is accepted anyway none must accept."""
        rules = (*self._rejecting, *self._rules)
        if self._stays_on_seeds and self._hosts:
            joined = Rule(Action.ACCEPT, "extra-host", (IsHost(self._hosts.keys()),))
            rules += (*self._accepting, joined)
        elif any(rule.action is Action.ACCEPT for rule in self._rules):
            rules += self._accepting
        self._scope = Scope(rules)


def _sites_of(origins: Iterable[str]) -> frozenset[str]:
    """Return the sites of `host:port` pairs as they stand in keys, for both schemes."""
    urls = (f"{scheme}://{origin}/" for origin in origins for scheme in ("http", "https"))
    return frozenset(site_of(key_of(url)) for url in map(canonicalize, urls) if url)
