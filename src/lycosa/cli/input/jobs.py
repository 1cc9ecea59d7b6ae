"""Builds a job from the flags of a command.

A job has three sources, each overriding the one before: the file of `--config` (or the job of
the crawl that is resumed), the flags with names of their own, and `--set`. The result
passes the same checks as any job, so a wrong value gives the same error.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from lycosa.cli.amounts import parse_seconds, parse_size
from lycosa.errors import ConfigError
from lycosa.model.job import SECTIONS, Job
from lycosa.model.job.keys import Key, keys_of
from lycosa.model.job.log_servers import usual_partitions
from lycosa.model.job.recipes import RECIPES, Setting
from lycosa.model.job.revisit import Revisit
from lycosa.model.job.sections import Frontier
from lycosa.model.job.writer import write_value
from lycosa.model.url import parse_rules

FLAG_KEYS: dict[str, tuple[tuple[str, str], ...]] = {
    "max_pages": (("limits", "pages"),),
    "max_bytes": (("limits", "bytes"),),
    "time": (("limits", "seconds"),),
    "depth": (("limits", "depth_static"), ("limits", "depth_dynamic")),
    "min_free_disk": (("limits", "free_disk_bytes"),),
    # A user who asks for a longer pause wants it for large sites, too.
    "delay": (("politeness", "delay_seconds"), ("politeness", "large_site_delay_seconds")),
    "ip_delay": (("politeness", "ip_delay_seconds"),),
    "contact": (("fetch", "contact"),),
    "workers": (("crawl", "workers"),),
    "connections": (("fetch", "connections"),),
    "bandwidth": (("fetch", "bytes_per_second"),),
    "allow_private": (("fetch", "allow_private"),),
    "scheduler": (("frontier", "scheduler"),),
    "requisites": (("extract", "requisites"),),
    "documents": (("extract", "documents"),),
    "wide": (("extract", "wide"),),
    "language": (("extract", "languages"),),
    "forms": (("forms", "search"),),
    "mining": (("discovery", "mining"),),
    "render": (("render", "mode"),),
    "log_server": (("log", "server"),),
    "store": (("store", "place"),),
    "cycles": (("revisit", "cycles"),),
    "continuous": (("revisit", "continuous"),),
}
"""The keys that each flag sets."""

_REGEX = "regex:"
_USUAL_POLICY = "profit"
"""The policy when only --cycles or --continuous is given."""
_AMOUNTS = {"bytes": parse_size, "bytes a second": parse_size, "seconds": parse_seconds}


def build_job(base: Job, flags: Mapping[str, Any], seeds: Iterable[str] = ()) -> Job:
    """Return the job as the flags change it; a flag that was not given changes nothing."""
    tables = {
        name: dataclasses.asdict(getattr(base, name)) for name in SECTIONS if hasattr(base, name)
    }
    given = dict(flags)
    if name := given.get("recipe"):
        tables["crawl"]["recipe"] = name
        for section, key, value in recipe_settings(base, name):
            tables[section][key] = value
    # becomes a depth, so that the flag and `--depth 0` make the same job
    if given.get("only_seeds"):
        given["depth"] = 0
    if given.get("cycles") or given.get("continuous"):
        tables["revisit"] |= _cycles(given, base.revisit)
    for flag, keys in FLAG_KEYS.items():
        if (value := given.get(flag)) is not None and value is not False and value != ():
            for section, key in keys:
                tables[section][key] = value
    if given.get("delay") is not None and given.get("ip_delay") is None:
        # Its own pause cannot be longer than that of the only host at the address.
        politeness = tables["politeness"]
        politeness["ip_delay_seconds"] = min(politeness["ip_delay_seconds"], given["delay"])
    if given.get("requisites") and given.get("mining") is None:
        # Folders of pictures and styles seldom have a page, and a copy of a site wants no guesses.
        tables["discovery"]["mining"] = "off"
    # a server has a usual number of its own; a number that the job names stays
    if given.get("log_server") and base.frontier.partitions == Frontier.partitions:
        tables["frontier"]["partitions"] = usual_partitions(given["log_server"])
    # after the flags: `--set` names its key exactly, so it wins
    for setting in given.get("settings", ()):
        section, key, value = read_setting(setting)
        tables.setdefault(section, {})[key] = value
    if networks := given.get("allow_network"):
        allowed = tables["fetch"]["private_networks"]
        tables["fetch"]["private_networks"] = list(dict.fromkeys([*allowed, *networks]))
    if base.fetch.loopback_origins and (networks or tables["fetch"]["allow_private"]):
        tables["fetch"]["loopback_origins"] = ()  # the operator opens more than these
    rules = flag_rules(given.get("include", ()), given.get("exclude", ()))
    # Without new seeds the list is passed on unread: a resume need not read a million seeds.
    return Job.of(
        chain(base.seeds, seeds) if seeds else base.seeds, [*rules, *base.rules], **tables
    )


def recipe_settings(base: Job, name: str) -> list[Setting]:
    """Return what a recipe sets in a job: keys that the job has as every new one."""
    new = Job()
    return [
        (section, key, value)
        for section, key, value in RECIPES[name].settings
        if getattr(getattr(base, section), key) == getattr(getattr(new, section), key)
    ]


def recipe_text(base: Job, job: Job, name: str) -> str:
    """Return what a recipe has set, for the screen; what a flag has set instead is left out."""
    told = [
        f"[{section}] {key} = {write_value(value)}"
        for section, key, value in recipe_settings(base, name)
        if getattr(getattr(job, section), key) == value
    ]
    return f"recipe {name}, {RECIPES[name].purpose}\n  " + "\n  ".join(told)


def _cycles(given: Mapping[str, Any], base: Revisit) -> dict[str, object]:
    """Return the other keys that --cycles and --continuous set; the two exclude each other.

    So a crawl that had one and is resumed with the other keeps only the other.
    """
    if given.get("cycles") and given.get("continuous"):
        raise ConfigError(
            f"--cycles {given['cycles']} --continuous: a continuous crawl has no last cycle\n"
            "  keep --cycles to stop after that many, or --continuous to crawl until stopped"
        )
    policy = _USUAL_POLICY if base.policy == "off" else base.policy
    return {"policy": policy, "cycles": Revisit.cycles, "continuous": False}


def flag_rules(includes: Iterable[str], excludes: Iterable[str]) -> list[dict[str, object]]:
    """Return the rules of `--include` and `--exclude`; excluding rules come first."""
    rules = [_rule("reject", pattern) for pattern in excludes]
    rules += [_rule("accept", pattern) for pattern in includes]
    for rule in rules:
        try:
            parse_rules([rule])
        except ConfigError as error:
            flag = "--include" if rule["action"] == "accept" else "--exclude"
            text = str(error).partition(": ")[2].partition("; in TOML")[0]
            raise ConfigError(f"{flag}: {text}") from None
    return rules


def _rule(action: str, pattern: str) -> dict[str, object]:
    if pattern.startswith(_REGEX):
        return {"action": action, "regex": pattern[len(_REGEX) :]}
    kind = "prefix" if "/" in pattern else "suffix"
    return {"action": action, kind: pattern}


def read_setting(setting: str) -> tuple[str, str, object]:
    """Parse `section.key=value`; the value is TOML, text, or an amount with its unit."""
    match = re.fullmatch(r"\s*([\w-]+)\.([\w-]+)\s*=(.*)", setting, re.DOTALL)
    if match is None:
        raise ConfigError(
            f"--set {setting}: is not SECTION.KEY=VALUE\n"
            "  write for example --set fetch.retries=5; all keys: lycosa config"
        )
    section, name, text = match[1], match[2], match[3].strip()
    known = keys_of(SECTIONS[section]) if section in SECTIONS else {}
    return section, name, _value(text, known.get(name))


def _value(text: str, key: Key | None) -> object:
    if key is not None and isinstance(key.default, str):
        text = text[1:-1] if re.fullmatch(r"(['\"]).*\1", text) else text
        return str(Path(text).absolute()) if key.is_path and text else text
    if re.fullmatch("0|[1-9][0-9]{0,15}", text):
        return int(text)  # as TOML has it, without loading what reads TOML
    import tomllib

    try:
        value: object = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return _worded(text, key)
    return [value] if key and isinstance(key.default, tuple) and isinstance(value, str) else value


def _worded(text: str, key: Key | None) -> object:
    """Read a value that is not TOML by the type of its key; the job refuses a wrong one."""
    if key is None:
        return text
    if isinstance(key.default, tuple):
        return [entry.strip() for entry in text.split(",")]
    read = _AMOUNTS.get(key.unit)
    try:
        return read(text) if read else text
    except ValueError:
        return text
