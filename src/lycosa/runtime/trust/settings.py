"""Says which keys of a job are operator settings, and computes the digest of a set of them.

Every key of every section is an operator setting unless `HARMLESS` names it. So a new key is one
until a reviewer has decided otherwise. A key belongs into `HARMLESS` if a stranger may choose its
value: it names no server, store, name server, program, plugin, file, environment variable or
proxy, belongs neither to `[notify]` nor to `[login]`, and does not widen the address guard.

A setting with its default value needs no acceptance.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any

from lycosa.model.job import MODEL_FILE, SECTIONS, Job, SeedList
from lycosa.model.job.keys import keys_of
from lycosa.model.job.writer import write_value

Settings = dict[str, str]
"""Operator settings by their full names, such as `notify.command`, each as TOML text."""

SEEDS_FILE = "seeds.txt"
"""The list of seeds that the crawl directory itself keeps."""
LINK = "folder "
"""Begins the name of a folder of the directory that is a symbolic link: `folder warc`."""

_ALL = "*"
HARMLESS: dict[str, str] = {
    "limits": _ALL,
    "politeness": _ALL,
    "robots": _ALL,
    "fetch": "agent contact connections kept_connections largest_body_bytes retries"
    " retry_first_seconds content_types connect_seconds first_byte_seconds total_seconds"
    " stop_seconds slowest_bytes_per_second bytes_per_second headers cookies",
    "extract": _ALL,
    "structured": _ALL,
    "render": "mode seconds memory_bytes processes rounds clicks sample_pages screenshots views"
    " burst_parts",
    # A part of a plugin (`plugin:name`) is found only if `plugins.use` names the plugin.
    "frontier": _ALL,
    "topics": "digest policy wanted focus weights budgets",
    "discovery": _ALL,
    "forms": _ALL,
    "traps": _ALL,
    "log": "commit_seconds commit_answers snapshot_batches durability seal_seconds segment_bytes",
    "store": "durable seal_seconds",
    "revisit": _ALL,
    "crawl": _ALL,
    "caches": _ALL,
    "statistics": "every_seconds figures",
}
"""For each section the keys that are not operator settings; `*` means all of them."""


def is_operator(section: str, key: str) -> bool:
    """Return whether a key of the job is an operator setting."""
    harmless = HARMLESS.get(section, "")
    return harmless != _ALL and key not in harmless.split()


def operator_settings(job: Job) -> Settings:
    """Return the operator settings of a job that differ from their defaults.

    The job must be as written: a relative path is another text than the absolute one.
    """
    found: Settings = {}
    seeds = job.seeds.path if isinstance(job.seeds, SeedList) else None
    # The list that the directory keeps beside its job is data like the job itself.
    if seeds is not None and str(seeds) != SEEDS_FILE:
        found["seeds.file"] = write_value(str(seeds))
    for name, keys in _operator_keys().items():
        section = getattr(job, name)
        for key, default in keys:
            value = getattr(section, key)
            if value != default and (name, key, value) != ("topics", "model", MODEL_FILE):
                found[f"{name}.{key}"] = write_value(value)
    return found


def without(job: Job, names: Mapping[str, object]) -> Job:
    """Return the job with the defaults of these operator settings."""
    sections: dict[str, Any] = {}
    if "seeds.file" in names:
        sections["seeds"] = ()
    for section, keys in _operator_keys().items():
        defaults = {key: default for key, default in keys if f"{section}.{key}" in names}
        if defaults:
            sections[section] = dataclasses.replace(getattr(job, section), **defaults)
    return dataclasses.replace(job, **sections) if sections else job


def with_settings_of(job: Job, other: Job, names: Collection[str] | None = None) -> Job:
    """Return the job with the operator settings of another one: all, or those that are named."""
    sections: dict[str, Any] = {}
    for section, keys in _operator_keys().items():
        record = getattr(other, section)
        taken = {
            key: getattr(record, key)
            for key, _ in keys
            if names is None or f"{section}.{key}" in names
        }
        if taken:
            sections[section] = dataclasses.replace(getattr(job, section), **taken)
    return dataclasses.replace(job, **sections)


def digest_of(settings: Mapping[str, str]) -> str:
    """Return the digest of a set of operator settings, the same on every machine."""
    text = json.dumps(sorted(settings.items()), ensure_ascii=False, separators=(",", ":"))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _operator_keys() -> dict[str, list[tuple[str, object]]]:
    """Return for each section its operator settings with their defaults."""
    if not _KEYS:
        for name, section in SECTIONS.items():
            own: list[tuple[str, object]] = [
                (key, one.default)
                for key, one in keys_of(section).items()
                if is_operator(name, key)
            ]
            if own:
                _KEYS[name] = own
    return _KEYS


_KEYS: dict[str, list[tuple[str, object]]] = {}
