"""Reads, checks and writes jobs: everything that a user decides about a crawl, in one TOML file.

A job is a tree of frozen records: `job.fetch.agent`, `job.limits.pages`. It is read once,
at the start, and handed out in parts: a scheduler gets its section, never the whole job.

    sections     the keys about order and storage, and the list of all sections
    requests     the keys about requests: limits, politeness, robots files, connections
    content      the keys about what is read from a page, about plugins and about search forms
    topics       the keys about fields of knowledge
    render       the keys about pages that are rendered in a browser
    revisit      the keys about fetching pages again
    notify       the keys about telling the operator, and about figures over time
    recipes      settings that belong together for one purpose
    store        the keys about the store of objects, and a check of its URL
    login        the keys about logging in
    keys         how sections and keys are declared
    log_servers  checks the address of a server that keeps a log
    reader       checks the tables of a TOML file and reports all mistakes at once
    writer       writes a job as TOML, the reference page and the commented example job
    seeds        long lists of seeds, in memory or in a file

Always true:
  * a `Job` that exists has been checked, whether it came from a file or from `Job.of`;
  * an unknown key is an error, never ignored;
  * `parse_job(job.to_toml()) == job`, and equal jobs have equal digests.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any

from lycosa._support import beneath
from lycosa._support.tuples import NamedTuple
from lycosa.errors import ConfigError
from lycosa.model.job.content import Extract, Forms, Plugins, Structured
from lycosa.model.job.keys import Record, keys_of
from lycosa.model.job.login import Login
from lycosa.model.job.notify import Notify, Statistics
from lycosa.model.job.reader import read_tables
from lycosa.model.job.render import Render
from lycosa.model.job.requests import ADDRESSING, Fetch, Limits, Politeness, Robots
from lycosa.model.job.revisit import Revisit
from lycosa.model.job.sections import (
    DURABILITIES,
    PARTITIONERS,
    SCHEDULERS,
    SCORES,
    SECTIONS,
    SPLITTING_PARTITIONERS,
    Caches,
    Crawl,
    Discovery,
    Frontier,
    Log,
    Traps,
    until_pattern,
)
from lycosa.model.job.seeds import SeedList, seeds_of
from lycosa.model.job.store import Store
from lycosa.model.job.topics import MODEL_FILE, Topics
from lycosa.model.job.writer import example, reference, sections_of, write_job, write_long_list

__all__ = [
    "DURABILITIES",
    "MODEL_FILE",
    "PARTITIONERS",
    "SCHEDULERS",
    "SCORES",
    "SECTIONS",
    "SPLITTING_PARTITIONERS",
    "Caches",
    "Crawl",
    "Discovery",
    "Extract",
    "Fetch",
    "Forms",
    "Frontier",
    "Job",
    "Limits",
    "Log",
    "Login",
    "Notify",
    "Plugins",
    "Politeness",
    "Render",
    "Revisit",
    "Robots",
    "SeedList",
    "Statistics",
    "Store",
    "Structured",
    "Topics",
    "Traps",
    "anchored",
    "example",
    "parse_job",
    "read_job",
    "read_written",
    "reference",
    "until_pattern",
]


class Job(Record):
    """Everything that a user decides about one crawl."""

    seeds: Sequence[str] = ()
    """The seeds: a tuple, or a `SeedList` of more than a thousand."""
    rules: tuple[dict[str, object], ...] = ()
    """The rules as written; `lycosa.model.url` interprets them."""
    limits: Limits = field(default_factory=Limits)
    politeness: Politeness = field(default_factory=Politeness)
    robots: Robots = field(default_factory=Robots)
    fetch: Fetch = field(default_factory=Fetch)
    extract: Extract = field(default_factory=Extract)
    structured: Structured = field(default_factory=Structured)
    render: Render = field(default_factory=Render)
    frontier: Frontier = field(default_factory=Frontier)
    topics: Topics = field(default_factory=Topics)
    discovery: Discovery = field(default_factory=Discovery)
    forms: Forms = field(default_factory=Forms)
    login: Login = field(default_factory=Login)
    traps: Traps = field(default_factory=Traps)
    log: Log = field(default_factory=Log)
    store: Store = field(default_factory=Store)
    revisit: Revisit = field(default_factory=Revisit)
    crawl: Crawl = field(default_factory=Crawl)
    caches: Caches = field(default_factory=Caches)
    statistics: Statistics = field(default_factory=Statistics)
    notify: Notify = field(default_factory=Notify)
    plugins: Plugins = field(default_factory=Plugins)

    @classmethod
    def of(
        cls,
        seeds: Iterable[str] = (),
        rules: Iterable[Mapping[str, object]] = (),
        **sections: Mapping[str, object],
    ) -> Job:
        """Make a job in code, under the same checks: `Job.of(limits={"pages": 5})`."""
        with suppress(ValueError):
            seeds = seeds if isinstance(seeds, Mapping) else seeds_of(seeds)
        tables = {"seeds": seeds, "rules": [dict(rule) for rule in rules], **sections}
        return cls(**read_tables(tables, "job"))

    @classmethod
    def read(cls, path: Path | str) -> Job:
        """Read a job file; raise an error that lists everything wrong with it."""
        return read_job(path)

    def to_toml(self, seeds_file: str = "") -> str:
        """Return the complete job as TOML, ready to be run again.

        With `seeds_file` a long list of seeds is not written; the job names that file instead.
        """
        if seeds_file and isinstance(self.seeds, SeedList):
            reference = self.seeds.reference(seeds_file)
            return write_job(reference, self.rules, sections_of(self))
        return "".join(self._pieces())

    def portable(self) -> Job:
        """Return the job as every machine may have it: with its own copy of a model."""
        if not self.topics.digest:
            return self
        return dataclasses.replace(self, topics=dataclasses.replace(self.topics, model=MODEL_FILE))

    def digest(self) -> str:
        """Return a short name for exactly this job and its seeds, the same on every machine.

        The digest of a long list of seeds stands for the list, so the file need not be read again
        once the seeds are in the queue, nor even exist. After a dash stands a digest of the
        settings that addresses depend on, so that a resume knows which change makes them void.
        After another stand the limits that a resume may raise (`limits_in`).
        """
        text = self.portable().to_toml("seeds.txt")
        addressing = repr([getattr(self.fetch, name) for name in ADDRESSING])
        limits = ".".join(str(getattr(self.limits, name)) for name in DigestedLimits._fields)
        return f"{_short(text)}-{_short(addressing)}-{limits}"

    def _pieces(self) -> Iterator[str]:
        """Yield the job's text, a long list of seeds in pieces."""
        if not isinstance(self.seeds, SeedList):
            yield write_job(self.seeds, self.rules, sections_of(self))
            return
        before, _, after = write_job((), self.rules, sections_of(self)).partition("[]")
        yield before
        yield from write_long_list(self.seeds.blocks())
        yield after


class DigestedLimits(NamedTuple):
    """The limits whose change concerns what a crawl has found already."""

    depth_static: int
    depth_dynamic: int
    host_pages: int


def addressing_in(digest: str) -> str:
    """Return the part of a job's digest about addresses; "" for a job of an older Lycosa."""
    return digest.split("-")[1] if "-" in digest else ""


def limits_in(digest: str) -> DigestedLimits | None:
    """Return the limits of a job from its digest; None for a job of an older Lycosa."""
    parts = digest.split("-")
    return DigestedLimits(*map(int, parts[2].split("."))) if len(parts) > 2 else None


def _short(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def read_job(path: Path | str, *, is_begun: bool = False) -> Job:
    """Read a job file; raise a `ConfigError` that lists everything wrong with it."""
    return anchored(read_written(path, is_begun=is_begun), Path(path).parent)


def read_written(path: Path | str, *, is_begun: bool = False) -> Job:
    """Read a job file, with its paths as they are written."""
    path = Path(path)
    try:
        with beneath.open_named(path, "r", encoding="utf-8") as file:
            text: str = file.read()
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path}: byte {error.start} is not UTF-8\n  save the file as UTF-8"
        ) from None
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read: {error.strerror}\n  check the path of the job file"
        ) from None
    return parse_job(text, str(path), is_begun=is_begun)


def anchored(job: Job, folder: Path) -> Job:
    """Return the job with absolute paths, so that it can be run from anywhere."""
    sections: dict[str, Any] = {}
    if isinstance(job.seeds, SeedList):
        seeds = job.seeds.below(folder)
        if seeds is not job.seeds:
            sections["seeds"] = seeds
    for name, section in SECTIONS.items():
        record = getattr(job, name)
        paths = {
            key.name: str((folder / path).absolute())
            for key in keys_of(section).values()
            if key.is_path and (path := getattr(record, key.name))
        }
        if any(getattr(record, key) != path for key, path in paths.items()):
            sections[name] = dataclasses.replace(record, **paths)
    return dataclasses.replace(job, **sections) if sections else job


def parse_job(text: str, name: str = "crawl.toml", *, is_begun: bool = False) -> Job:
    """Read a job from the text of its file; error texts use the name of the file.

    `is_begun` is said of the job of a crawl, as against one that somebody has written.
    """
    import tomllib  # imported here: a crawl that begins with flags alone does not need it

    try:
        tables: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(
            f"{name}: is not valid TOML: {error}\n  the syntax: https://toml.io"
        ) from None
    return Job(**read_tables(tables, name, is_begun=is_begun))
