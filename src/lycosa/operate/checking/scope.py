"""Decide whether a URL is in the scope of a job, and name the rule that decides.

A crawl asks all rules at once. This module asks them one by one, each as a `Scope` of its own and
in the same order, so that it also knows the deciding rule and the transforms before it.

Always true: `is_wanted` and `reason` agree with the `JobScope` of a crawl of this job, with one
exception: in a job that only fetches seeds, a URL that is not a seed is `too-deep`.
"""

from __future__ import annotations

from typing import NamedTuple

from lycosa.crawl.scope import NOT_OPENED, REFUSED_PORT, JobScope
from lycosa.features.plugins.hooks import REASON, Hooks
from lycosa.features.plugins.loader import load_hooks
from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.model.job import Job
from lycosa.model.job.seeds import parted
from lycosa.model.job.writer import write_value
from lycosa.model.url import (
    Action,
    Scope,
    Verdict,
    canonical_key,
    is_dynamic,
    refusal,
    url_of,
)
from lycosa.model.url.scope import BAD_TRANSFORM, OUT_OF_SCOPE
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.log.memory import MemoryLog


class AskedRule(NamedTuple):
    """A rule that accepted, rejected or changed the URL."""

    number: int
    """Its place in the job's list, counted from 1."""
    text: str
    url: str | None = None
    """The URL after a transform."""


class CheckedScope(NamedTuple):
    """The verdict of a job on a URL."""

    url: str
    is_wanted: bool
    reason: str
    """Name under which a crawl counts it; `why` explains it."""
    why: str
    rule: AskedRule | None = None
    """The deciding rule; None if no rule decided."""
    transforms: tuple[AskedRule, ...] = ()
    canonical: str | None = None
    """URL that a crawl would fetch, after all transforms."""
    key: str | None = None
    is_dynamic: bool | None = None
    depth: int | None = None
    """The job's depth limit for such a URL."""
    partition: int | None = None


class ScopeChecker:
    """The scope of a job, asked about URLs one at a time."""

    def __init__(
        self, job: Job, notes: dict[str, bytes] | None = None, hooks: Hooks | None = None
    ) -> None:
        """`hooks` are those of plugins that are loaded already."""
        self.job = job
        log = MemoryLog(1)
        for name, value in (notes or {}).items():
            log.note(name, value)
        hooks = hooks or load_hooks(job)
        self.scope = JobScope(job, log, hooks=hooks)
        self._seeds: set[str] | None = None
        if "planted" not in (notes or {}):
            self.scope.joining(self._seed_keys())
        self._partitioner = partitioner_of(job, hooks, log.noted)

    @classmethod
    def of_directory(cls, directory: CrawlDirectory) -> ScopeChecker:
        """Use the job of a crawl and the hosts that have joined its scope, without writing."""
        job = directory.job()
        if not directory.has_begun:
            return cls(job)
        log = directory.log(job)
        try:
            return cls(job, log.notes(""))
        finally:
            log.close()

    def check(self, url: str, base: str | None = None) -> CheckedScope:
        """Return the verdict on a URL as written by a user or a page."""
        key = canonical_key(url, base)
        if key is None:
            reason = refusal(url, base) or "invalid"
            return CheckedScope(url, False, reason, "it is not a URL that can be crawled")
        ruled = self.scope.ask_plugins(key)
        if isinstance(ruled, Verdict):
            verdict, rule, transforms = ruled, None, list[AskedRule]()
        else:
            verdict = self.scope.judge(ruled)
            is_closed = verdict.reason in (NOT_OPENED, REFUSED_PORT)
            rule, transforms = (None, []) if is_closed else self._retrace(ruled)
            key = ruled
        ending = transforms[-1].url if transforms else url_of(key)
        final = verdict.key or (canonical_key(ending) if ending else None) or key
        limits = self.job.limits
        depth = limits.depth_dynamic if is_dynamic(final) else limits.depth_static
        reason, why = verdict.reason, self._why(final, verdict.reason, rule)
        is_wanted = verdict.key is not None
        if is_wanted and not depth and final not in self._seed_keys():
            is_wanted, reason = False, "too-deep"
            why = "only seeds and the targets of their redirects are fetched (depth 0)"
        return CheckedScope(
            url=url,
            is_wanted=is_wanted,
            reason=reason,
            why=why,
            rule=rule,
            transforms=tuple(transforms),
            canonical=url_of(final),
            key=final,
            is_dynamic=is_dynamic(final),
            depth=depth,
            partition=self._partitioner.partition_of(final),
        )

    def _seed_keys(self) -> set[str]:
        if self._seeds is None:
            keys = (canonical_key(parted(seed)[0]) for seed in self.job.seeds)
            self._seeds = {key for key in keys if key}
        return self._seeds

    def _retrace(self, key: str) -> tuple[AskedRule | None, list[AskedRule]]:
        """Return the rule that decides, and the transforms that changed the URL before it."""
        transforms: list[AskedRule] = []
        for number, rule in enumerate(self.scope.rules, start=1):
            verdict = Scope((rule,)).judge(key)
            asked = AskedRule(number, write_value(self.job.rules[number - 1]))
            if rule.action is not Action.TRANSFORM:
                if verdict.reason == rule.reason:
                    return asked, transforms
            elif verdict.key is None:
                return asked, transforms
            elif verdict.key != key:
                key = verdict.key
                transforms.append(asked._replace(url=url_of(key)))
        return None, transforms

    def _why(self, key: str, reason: str, rule: AskedRule | None) -> str:
        if reason.startswith(REASON):
            return f"the plugin `{reason.split(':')[1]}` decides so"
        if reason == NOT_OPENED:
            return "the job only asks certain servers on this machine ([fetch] loopback_origins)"
        if reason == REFUSED_PORT:
            return "the port belongs to a service other than the web; add it to [fetch] ports"
        if reason == BAD_TRANSFORM:
            return "a transform turned it into something that is not a URL"
        if rule is not None:
            return "the first rule that accepts or rejects it"
        if reason == OUT_OF_SCOPE and self.scope.hosts:
            return "no rule decides, and its host is not a host of a seed"
        if reason == OUT_OF_SCOPE:
            return "no rule accepts it, and the job has rules that accept other URLs"
        if self.scope.has_host(key):
            return "no rule decides, and it is on the host of a seed"
        return "no rule decides, and there are no seeds whose hosts would limit the crawl"
