"""Reads the rules of a job from its `[[rules]]` tables.

    [[rules]]
    action = "reject"                    # accept, reject or transform
    suffix = [".cl", "example.org"]      # conditions: all keys must hold, one value of each
    max_query_parameters = 3

A `Rule` is a small frozen record: an action, its conditions, a name for the reason it
gives and, for a transform, the change it makes. `parse_rules` accepts nothing that it does not
understand: an unknown key, a wrong type or a rule that can never apply raises `ConfigError` with
the number of the rule, the mistake and the remedy.

Not here: conditions and changes themselves (lycosa.model.url.conditions,
lycosa.model.url.transforms), the order in which rules are asked (lycosa.model.url.scope).
"""

import enum
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from lycosa._support.regex import compile_expression
from lycosa.errors import ConfigError
from lycosa.model.url import conditions, ready_lists, transforms
from lycosa.model.url.conditions import Condition
from lycosa.model.url.transforms import Change


class Action(enum.Enum):
    """The effect of a rule on a URL for which its conditions hold."""

    ACCEPT = "accept"
    REJECT = "reject"
    TRANSFORM = "transform"


class Rule(Struct, frozen=True):
    """A rule of a job. Without conditions it holds for every URL."""

    action: Action
    name: str
    conditions: tuple[Condition, ...] = ()
    change: Change | None = None

    @property
    def reason(self) -> str:
        """The reason under which verdicts of this rule are counted."""
        return f"{self.action.value}:{self.name}"


CONDITIONS: dict[str, Callable[[list[str]], Condition]] = {
    "suffix": conditions.in_domains,
    "host": conditions.in_hosts,
    "prefix": conditions.with_prefixes,
    "regex": conditions.matching,
    "extension": conditions.with_extensions,
    "scheme": conditions.with_scheme,
}
CHANGES = (
    "drop_index_files",
    "drop_www",
    "sort_query",
    "remove_parameters",
    "regex_replace",
)
KEYS = {
    Action.ACCEPT: ("action", "name", *CONDITIONS),
    Action.REJECT: ("action", "name", *CONDITIONS, *conditions.MEASURES, "list"),
    Action.TRANSFORM: ("action", "name", *CONDITIONS, *CHANGES, "replacement", "list"),
}
"""The keys that a rule of each action may have."""


def parse_rules(tables: Sequence[Mapping[str, object]]) -> tuple[Rule, ...]:
    """Return the rules that the tables describe, in their order, or raise ConfigError."""
    rules = []
    for number, table in enumerate(tables, start=1):
        try:
            rules.append(_rule(table))
        except ValueError as error:
            raise ConfigError(f"[[rules]] number {number}: {error}") from None
    return tuple(rules)


def _rule(table: Mapping[str, object]) -> Rule:
    if not isinstance(table, Mapping):
        raise ValueError('a rule is a table, as in { action = "accept", suffix = ".org" }')
    action = _action(table)
    for key in table:
        if key not in KEYS[action]:
            raise ValueError(_unknown_key(key, action))
    found = tuple(_conditions(table))
    change, label = (None, "")
    if action is Action.TRANSFORM:
        change, label = _change(table)
    elif "list" in table:
        name = _choice(table, "list", ready_lists.REJECT_LISTS, "reject")
        found += (ready_lists.REJECT_LISTS[name],)
        label = name
    name = _text(table, "name") if "name" in table else _default_name(table, label)
    return Rule(action, name, found, change)


def _action(table: Mapping[str, object]) -> Action:
    given = table.get("action")
    try:
        return Action(given)
    except ValueError:
        what = "it has no `action`" if given is None else f"`action` cannot be {given!r}"
        near = _nearest(str(given), [action.value for action in Action])
        hint = f'did you mean "{near[0]}"?  ' if near else ""
        raise ValueError(
            f'{what}\n  {hint}write action = "accept", "reject" or "transform"'
        ) from None


def _unknown_key(key: str, action: Action) -> str:
    for other in Action:
        if key in KEYS[other]:
            return (
                f'`{key}` belongs in a rule with action = "{other.value}", not "{action.value}"'
                "\n  make it a rule of its own; rules are asked in their order"
            )
    near = _nearest(key.replace("-", "_"), KEYS[action])
    hint = f"did you mean `{near[0]}`?  " if near else ""
    return (
        f'there is no key `{key}`\n  {hint}all keys with action = "{action.value}": '
        + ", ".join(KEYS[action])
    )


def _conditions(table: Mapping[str, object]) -> Iterable[Condition]:
    for key, make in CONDITIONS.items():
        if key in table:
            yield make(_texts(table, key))
    for limit in conditions.MEASURES:
        if limit in table:
            most = table[limit]
            if not isinstance(most, int) or isinstance(most, bool) or most < 0:
                raise ValueError(f"`{limit}` is {most!r}; write a whole number from 0 upwards")
            yield conditions.Exceeds(limit, most)


def _change(table: Mapping[str, object]) -> tuple[Change, str]:
    """Return the one change that a transform makes, and its name."""
    given = [key for key in (*CHANGES, "list") if key in table]
    if len(given) != 1:
        raise ValueError(
            f"a transform makes one change, this one {len(given) or 'none'}"
            f"\n  give exactly one of {', '.join(CHANGES)}, list"
        )
    (key,) = given
    if ("replacement" in table) != (key == "regex_replace"):
        raise ValueError("`regex_replace` and `replacement` go together; give both or neither")
    if key == "list":
        name = _choice(table, "list", ready_lists.TRANSFORM_LISTS, "transform")
        return ready_lists.TRANSFORM_LISTS[name], name
    if key == "regex_replace":
        return _replace(_text(table, key), table["replacement"]), key
    if key == "remove_parameters":
        return transforms.remove_parameters(_texts(table, key)), key
    # This change takes names of files, or `true` for the usual ones.
    if key == "drop_index_files" and table[key] is not True:
        return transforms.DropIndexFiles(frozenset(_texts(table, key))), key
    if table[key] is not True:
        raise ValueError(f"`{key}` is {table[key]!r}; write {key} = true, or leave the rule out")
    if key == "drop_index_files":
        return transforms.DropIndexFiles(ready_lists.INDEX_FILES), key
    return (transforms.DropWww() if key == "drop_www" else transforms.SortQuery()), key


def _replace(pattern: str, replacement: object) -> transforms.Replace:
    if not isinstance(replacement, str):
        raise ValueError(f'`replacement` is {replacement!r}; write text, "" to remove')
    compiled = compile_expression(pattern)
    try:
        re.compile(pattern).sub(replacement, "")
    except (ValueError, IndexError, re.error) as error:
        raise ValueError(
            f"`replacement` {replacement!r} does not fit its pattern: {error}"
        ) from None
    return transforms.Replace(compiled, replacement)


def _nearest(name: str, known: Sequence[str]) -> list[str]:
    import difflib  # only where something is misspelt

    return difflib.get_close_matches(name, known, 1)


def _choice(table: Mapping[str, object], key: str, known: Iterable[str], action: str) -> str:
    name, names = _text(table, key), sorted(known)
    if name in names:
        return name
    near = _nearest(name, names)
    hint = f"did you mean `{near[0]}`?  " if near else ""
    raise ValueError(
        f"there is no list `{name}` for {action}\n  {hint}all lists: {', '.join(names)}"
    )


def _text(table: Mapping[str, object], key: str) -> str:
    value = table[key]
    if not isinstance(value, str) or not value:
        raise ValueError(f'`{key}` is {value!r}; write some text, as in {key} = "..."')
    return value


def _texts(table: Mapping[str, object], key: str) -> list[str]:
    value = table[key]
    values = value if isinstance(value, list | tuple) else [value]
    if not values or not all(isinstance(one, str) and one for one in values):
        raise ValueError(
            f'`{key}` is {value!r}; write text or a list of texts, as in {key} = ["...", "..."]'
        )
    return list(values)


def _default_name(table: Mapping[str, object], label: str) -> str:
    """Name a rule by its conditions: `suffix .cl`, `extension pdf and 2 more`."""
    parts = [label] if label else []
    for key in (*CONDITIONS, *conditions.MEASURES):
        if key in table:
            value = table[key]
            first, *more = value if isinstance(value, list | tuple) else [value]
            parts.append(f"{key} {first}" + (f" and {len(more)} more" if more else ""))
    return ", ".join(parts) or "everything"
