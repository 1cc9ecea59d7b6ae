"""Checks the tables of a TOML file and makes sections of them, or reports everything wrong.

A mistake never ends the check: a job with five mistakes is refused once, with five
texts. Each says where the mistake is, what was probably meant and how to fix it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from ipaddress import ip_address, ip_network
from typing import Any, TypeGuard

from lycosa.errors import ConfigError
from lycosa.model.job.keys import Key, Table, keys_of
from lycosa.model.job.sections import LARGEST_INTEGER, LONGEST_SECONDS, SECTIONS, until_pattern
from lycosa.model.job.seeds import SeedList, seeds_in, seeds_of
from lycosa.model.job.writer import write_value

TOP_LEVEL = ("seeds", "rules", *SECTIONS)

PLUGGED = r"[A-Za-z0-9][A-Za-z0-9_.-]*:[A-Za-z0-9_.-]+"
"""The name of a scheduler, score or partitioner of a plugin."""

Problem = str


def read_tables(
    tables: Mapping[str, object], name: str, *, is_begun: bool = False
) -> dict[str, Any]:
    """Return the fields of a job; raise a `ConfigError` with every problem found.

    The job of a crawl that has begun was written with every key. Keys that it lacks are younger,
    and get the value that keeps the crawl as it was.
    """
    problems: list[Problem] = [f"{name}: {text}" for text in _unknown_top_level(tables)]
    fields: dict[str, Any] = {}
    for read in (_read_seeds, _read_rules):
        try:
            fields.update(read(tables))
        except ValueError as error:
            problems.append(f"{name}: {error}")
    for section in SECTIONS:
        found = tables.get(section, {})
        if not isinstance(found, Mapping):
            problems.append(
                f"{name}: `{section}` is a section, not a value\n"
                f"  write `[{section}]` on its own line, and its keys below it"
            )
            continue
        if is_begun and len(found) < len(keys_of(SECTIONS[section])):
            found = {**_before(section), **found}
        fields[section], wrong = _read_section(section, found)
        problems.extend(f"{name}: [{section}] {text}" for text in wrong)
    if problems:
        raise ConfigError("\n".join(problems))
    return fields


def _before(section: str) -> dict[str, object]:
    keys = keys_of(SECTIONS[section])
    return {name: key.before for name, key in keys.items() if key.before is not None}


def _unknown_top_level(tables: Mapping[str, object]) -> Iterator[Problem]:
    for found, value in tables.items():
        if found in TOP_LEVEL:
            continue
        if isinstance(value, Mapping):
            near = _nearest(found, SECTIONS)
            guess = f"did you mean [{near}]?  " if near else ""
            yield f"there is no section [{found}]\n  {guess}all sections: lycosa config"
            continue
        near = _nearest(found, ("seeds", "rules"), 0.6)
        guess = f"did you mean `{near}`?  " if near else hint_for(found, "")
        guess = guess or _elsewhere(found, "")
        yield f"the job has no key `{found}`\n  {guess}all keys: lycosa config"


def _read_seeds(tables: Mapping[str, object]) -> dict[str, Any]:
    seeds = tables.get("seeds", ())
    if isinstance(seeds, Mapping):
        return {"seeds": seeds_in(seeds)}
    if isinstance(seeds, list | tuple | SeedList):
        with suppress(ValueError):
            return {"seeds": seeds_of(seeds)}
    raise ValueError(
        "`seeds` is not a list of URLs\n"
        '  write it above all sections, for example `seeds = ["https://example.org/"]`,'
        ' or `seeds = {file = "list.txt"}` for a long one'
    )


def _read_rules(tables: Mapping[str, object]) -> dict[str, Any]:
    rules = tables.get("rules", ())
    if not isinstance(rules, list | tuple) or not all(isinstance(rule, dict) for rule in rules):
        raise ValueError(
            "`rules` is not a list of tables\n"
            "  write `[[rules]]`, with two brackets, above the keys of each rule"
        )
    return {"rules": tuple(rules)}


def _read_section(section: str, found: Mapping[str, object]) -> tuple[object, list[Problem]]:
    keys = keys_of(SECTIONS[section])
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, value in found.items():
        if name not in keys:
            problems.append(_unknown_key(section, name, keys))
            continue
        try:
            values[name] = _read_value(keys[name], value)
        except ValueError as error:
            problems.append(f"{error}\n  meaning of the keys: lycosa config {section}")
    record = SECTIONS[section](**values)
    if not problems:
        problems.extend(record.contradictions())
    return record, problems


def _unknown_key(section: str, name: str, keys: Mapping[str, Key]) -> Problem:
    near = _nearest(name, keys)
    guess = f"did you mean `{near}`?  " if near else ""
    guess = guess or hint_for(name, section) or _elsewhere(name, section)
    if not guess and (near := _nearest(name, keys, 0.6)):
        guess = f"did you mean `{near}`?  "
    return f"has no key `{name}`\n  {guess}all keys: lycosa config {section}"


def _elsewhere(name: str, section: str) -> str:
    """Guess that a key was written under the wrong section."""
    for other in SECTIONS:
        if other != section and (near := _nearest(name, keys_of(SECTIONS[other]))):
            return f"did you mean `{near}` in [{other}]?  "
    return ""


def _nearest(name: str, known: Mapping[str, object] | tuple[str, ...], cutoff: float = 0.75) -> str:
    import difflib  # only where something is misspelt

    return next(iter(difflib.get_close_matches(name, list(known), 1, cutoff)), "")


def _read_value(key: Key, value: object) -> bool | int | float | str | tuple[str, ...] | Table:
    """Return the value of a key in its own type; raise a ValueError that names the fault."""
    if value == key.default and type(value) is type(key.default):
        return key.default  # an unset value needs no check, so no expression is compiled for it
    if isinstance(key.default, Table):
        return _read_table(key, value)
    if isinstance(key.default, tuple):
        return _read_list(key, value)
    if isinstance(key.default, str):
        return _read_text(key, value)
    if isinstance(key.default, bool):
        return _read_switch(key, value)
    return _read_number(key, value)


def _read_switch(key: Key, value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"`{key.name}` must be true or false, not {_shown(value)}")
    return value


def _read_number(key: Key, value: object) -> int | float:
    is_whole = isinstance(key.default, int)
    if isinstance(value, bool) or not isinstance(value, int if is_whole else int | float):
        kind = "a whole number" if is_whole else "a number"
        raise ValueError(f"`{key.name}` must be {kind}, not {_shown(value)}")
    if not math.isfinite(value):
        raise ValueError(f"`{key.name}` must be a finite number, not {value}")
    most = min(key.most, LARGEST_INTEGER if is_whole else LONGEST_SECONDS)
    if value < key.least:
        raise ValueError(f"`{key.name}` must be at least {_plain(key.least)}, not {value}")
    if value > most:
        raise ValueError(f"`{key.name}` must be at most {_plain(most)}, not {value}")
    # -0.0 is written as 0.0: equal jobs must have equal digests.
    return value if is_whole else float(value) + 0.0


def _read_text(key: Key, value: object) -> str:
    if not isinstance(value, str) or not _is_encodable(value):
        raise ValueError(f"`{key.name}` must be text, not {_shown(value, key)}")
    is_plugged = key.may_be_plugged and re.fullmatch(PLUGGED, value)
    if key.choices and value not in key.choices and not is_plugged:
        near = _nearest(value, key.choices, 0.6)
        guess = f"; did you mean `{near}`?" if near else ""
        known = ", ".join(f"`{choice}`" for choice in key.choices)
        known += ", and `plugin:name` for those of a plugin" if key.may_be_plugged else ""
        raise ValueError(f"`{key.name}` cannot be {_shown(value)}{guess}\n  known are: {known}")
    if key.pattern and not re.fullmatch(key.pattern, value):
        raise ValueError(f"`{key.name}` must be {key.pattern_text}, not {_shown(value, key)}")
    return value


def _read_list(key: Key, value: object) -> tuple[str, ...]:
    if not _is_list_of_text(value):
        raise ValueError(f"`{key.name}` must be a list of texts, not {_shown(value, key)}")
    if key.is_required and not value:
        raise ValueError(f"`{key.name}` must not be empty: nothing would be kept")
    for entry in value:
        if key.pattern and not re.fullmatch(key.pattern, entry):
            shown = _shown(entry, key)
            raise ValueError(f"`{key.name}` must hold {key.pattern_text}; it holds {shown}")
        if check := _ENTRY_CHECKS.get(key.name):
            check(entry)
    return tuple(value)


def _read_table(key: Key, value: object) -> Table:
    """Return a table of tables as a file would give it, with lists for tuples."""
    if not isinstance(value, Mapping) or not all(isinstance(v, Mapping) for v in value.values()):
        raise ValueError(
            f"`{key.name}` must be a table for each plugin, not {_shown(value)}\n"
            "  write `[plugins.settings.NAME]` on its own line, and its keys below it"
        )
    if not value:
        return Table()
    import tomllib

    try:
        text = f"table = {write_value(value)}"
        if not _is_encodable(text):
            raise ValueError("a text in it cannot be written to a file")
        return Table(tomllib.loads(text)["table"])
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"`{key.name}` holds a value that TOML cannot write: {error}") from None


def _check_network(entry: str) -> None:
    try:
        ip_network(entry)
    except ValueError as error:
        raise ValueError(
            f"`private_networks` holds {_shown(entry)}, which is not a network\n"
            f"  {error}; write the first address and the length, as in 10.20.0.0/16 or fd12::/16"
        ) from None


def _check_loopback(entry: str) -> None:
    host, _, port = entry.rpartition(":")
    try:
        if not 0 < int(port) < 65_536:
            raise ValueError
        address = ip_address(host.strip("[]")) if host != "localhost" else None
        mapped = getattr(address, "ipv4_mapped", None)
        if address is not None and not (mapped or address).is_loopback:
            raise ValueError
    except ValueError:
        raise ValueError(
            f"`loopback_origins` holds {_shown(entry)}, which is not a server on this machine\n"
            "  write localhost:8000, 127.0.0.1:8000 or [::1]:8000"
        ) from None


def _check_until(entry: str) -> None:
    try:
        until_pattern(entry)
    except ValueError as error:
        raise ValueError(
            f"`until` holds a wrong expression: {_shown(entry)}\n"
            f"  {error}; a plain URL is written without `regex:`"
        ) from None


def _check_server(entry: str) -> None:
    match = re.fullmatch(
        r"\[([0-9a-fA-F:.]+)\]:(\d{1,5})|([\d.]+):(\d{1,5})|([0-9a-fA-F:.]+)", entry
    )
    try:
        if match is None or int(match[2] or match[4] or 53) > 65_535:
            raise ValueError
        ip_address(match[1] or match[3] or match[5])
    except ValueError:
        raise ValueError(
            f"`name_servers` holds {_shown(entry)}, which is not an IP address\n"
            "  write 192.0.2.53, 192.0.2.53:5353, 2001:db8::53 or [2001:db8::53]:5353"
        ) from None


_ENTRY_CHECKS = {
    "until": _check_until,
    "private_networks": _check_network,
    "loopback_origins": _check_loopback,
    "name_servers": _check_server,
}
"""Further checks of the entries of lists."""


def _is_list_of_text(value: object) -> TypeGuard[Sequence[str]]:
    return isinstance(value, list | tuple) and all(
        isinstance(entry, str) and _is_encodable(entry) for entry in value
    )


def _is_encodable(text: str) -> bool:
    """Return whether a text can be written to a file: lone surrogates cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)


def _shown(value: object, key: Key | None = None) -> str:
    if key is not None and key.is_confidential:
        return "another text, not repeated here because it may be a secret"
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."


_ROBOTS = "robots rules are always obeyed; there is no key for it"

OTHER_NAMES: dict[str, tuple[tuple[str, str], ...] | str] = {
    **dict.fromkeys(
        ("depth", "max_depth", "depth_limit", "maxdepth", "level", "levels", "max_hops", "hops"),
        (("limits", "depth_static"), ("limits", "depth_dynamic")),
    ),
    **dict.fromkeys(
        ("max_pages", "page_limit", "closespider_pagecount", "topn", "max_documents", "max_urls"),
        (("limits", "pages"),),
    ),
    **dict.fromkeys(("max_bytes", "quota", "max_size"), (("limits", "bytes"),)),
    **dict.fromkeys(("max_time", "time_limit", "closespider_timeout"), (("limits", "seconds"),)),
    **dict.fromkeys(
        ("delay", "download_delay", "crawl_delay", "wait", "pause", "min_delay", "throttle"),
        (("politeness", "delay_seconds"),),
    ),
    **dict.fromkeys(("user_agent", "useragent", "ua", "bot_name"), (("fetch", "agent"),)),
    **dict.fromkeys(("email", "mail", "operator", "from"), (("fetch", "contact"),)),
    **dict.fromkeys(
        ("timeout", "download_timeout", "request_timeout"),
        (("fetch", "total_seconds"), ("fetch", "connect_seconds")),
    ),
    **dict.fromkeys(
        ("concurrency", "concurrent_requests", "threads", "parallel", "max_connections"),
        (("fetch", "connections"),),
    ),
    **dict.fromkeys(
        ("keep_alive", "keepalive", "pool_size", "idle_connections", "max_idle"),
        (("fetch", "kept_connections"),),
    ),
    **dict.fromkeys(("processes", "crawlers", "num_workers"), (("crawl", "workers"),)),
    **dict.fromkeys(
        ("download_maxsize", "max_file_size", "http_content_limit", "max_body"),
        (("fetch", "largest_body_bytes"),),
    ),
    **dict.fromkeys(("bandwidth", "limit_rate", "rate_limit"), (("fetch", "bytes_per_second"),)),
    **dict.fromkeys(("retry_times", "max_retries"), (("fetch", "retries"),)),
    **dict.fromkeys(("language", "lang", "langs"), (("extract", "languages"),)),
    **dict.fromkeys(("mime_types", "types", "content_type"), (("fetch", "content_types"),)),
    **dict.fromkeys(("http_proxy", "https_proxy"), (("fetch", "proxy"),)),
    **dict.fromkeys(("order", "strategy", "policy"), (("frontier", "scheduler"),)),
    **dict.fromkeys(("images", "page_requisites", "assets"), (("extract", "requisites"),)),
    **dict.fromkeys(("robotstxt_obey", "obey_robots", "respect_robots", "ignore_robots"), _ROBOTS),
    **dict.fromkeys(
        ("allowed_domains", "domains", "include", "exclude", "allow", "deny"),
        "the scope is a list of [[rules]], described by `lycosa config rules`",
    ),
    **dict.fromkeys(("start_urls", "urls", "seed"), "write them above all sections, as `seeds`"),
}
"""Names of other crawlers, with our keys as (section, key), or an explanation instead."""


def hint_for(name: str, section: str) -> str:
    """Return the advice about another crawler's name; "" if the name is unknown."""
    found = OTHER_NAMES.get(name.lower().replace("-", "_").removesuffix("_seconds"), "")
    if isinstance(found, str):
        return f"{found}.  " if found else ""
    (first, key), *more = found
    where = "" if first == section else f" in [{first}]"
    also = "".join(f", or `{other}`" for _, other in more)
    return f"did you mean `{key}`{where}{also}?  "
