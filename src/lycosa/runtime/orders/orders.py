"""The orders that a running crawl accepts, and the combined effect of all orders.

    Pause, Resume            begin no request, or go on; paused time counts in no limit
    Stop                     end the present run cleanly; it has no effect on the next run
    SetValue, Unset          another value for a key of the job (`CHANGEABLE`), or the job's own
    AddRule, RemoveRule      a rule in addition to those of the job, which are never removed
    AddSeeds                 more seeds; they are posted together with the note
    Block, Unblock, Retry    as the commands of these names do in a stopped crawl

An order is stored as JSON, tagged with its `kind`, so that it reads the same in the log, in the
output of `lycosa orders` and over HTTP. `checked` compares it with the job before it is written.

Added rules that reject are asked before the job's rules, those that accept after them. An added
rule can therefore narrow everything, but widen only the cases that the job's own rules leave open.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from lycosa._support.decoders import converted, json_decoder
from lycosa.errors import ConfigError
from lycosa.model.job import Job
from lycosa.model.url import Action, Rule, canonicalize, host_of, key_of, parse_rules
from lycosa.runtime.cluster.settings import CHANGEABLE, Settings, Value

MOST_SEEDS_NAMED = 100
"""Most seeds that an order names; the seeds themselves are in the inboxes."""
_PAUSES = (
    "politeness.delay_seconds",
    "politeness.large_site_delay_seconds",
    "politeness.ip_delay_seconds",
)
"""Keys that an order may raise, but never set below the job's own value."""


class _Order(msgspec.Struct, frozen=True, tag_field="kind"):
    """An order, tagged with its kind."""


class Pause(_Order, frozen=True, tag="pause"):
    """Begin no request; requests in flight are finished and kept. The pause survives kills."""


class Resume(_Order, frozen=True, tag="resume"):
    """Go on after a pause."""


class Stop(_Order, frozen=True, tag="stop"):
    """End the present run as a signal does. It has no effect on later runs."""


class SetValue(_Order, frozen=True, tag="set"):
    """Use another value for a key of the job, until it is unset. crawl.toml stays as it is."""

    key: str
    value: Value


class Unset(_Order, frozen=True, tag="unset"):
    """Use the job's own value again."""

    key: str


class AddRule(_Order, frozen=True, tag="add-rule"):
    """Apply one more rule: a table as in `[[rules]]`, whose action is accept or reject."""

    rule: dict[str, Any]


class RemoveRule(_Order, frozen=True, tag="remove-rule"):
    """Stop applying an added rule, and bring back the URLs in the queue that it had ended.

    Links that the rule refused were not noted as URLs; the tables list them (`refused_links`).
    """

    number: int
    """Number of the order that added the rule."""


class AddSeeds(_Order, frozen=True, tag="add-seeds"):
    """Crawl more seeds. The note names the first ones; all are in the inboxes."""

    seeds: list[str]
    more: int = 0
    """Number of seeds that are not named."""


class Block(_Order, frozen=True, tag="block"):
    """Stop asking a host, even if it is not known yet."""

    host: str


class Unblock(_Order, frozen=True, tag="unblock"):
    """Ask a blocked host again."""

    host: str


class Retry(_Order, frozen=True, tag="retry"):
    """Fetch again the URLs that failed, or those put aside as traps."""

    what: Literal["failed", "traps"] = "failed"


Order = (
    Pause
    | Resume
    | Stop
    | SetValue
    | Unset
    | AddRule
    | RemoveRule
    | AddSeeds
    | Block
    | Unblock
    | Retry
)


class Numbered(msgspec.Struct, frozen=True):
    """An order as it stands in the log."""

    number: int
    """From 1, without gaps; the note has it in its name, not in its content."""
    order: Order
    id: str
    """The client's id. The same id again is the same order."""
    moment: float
    """Time of the order, by the clock of the machine that gave it."""
    by: str = ""
    """User and machine that gave the order."""
    asked: str = ""
    """Digest of the client's request before it was checked; notes of older versions and long lists
    of seeds have none."""


class InForce(msgspec.Struct, frozen=True):
    """The combined effect of orders 1 to `last`."""

    last: int = 0
    is_paused: bool = False
    values: dict[str, Value] = {}
    rules: dict[int, dict[str, Any]] = {}
    """The added rules, by the numbers of their orders."""

    def after(self, number: int, order: Order) -> InForce:
        """Return the settings in force after one more order."""
        replaced = msgspec.structs.replace
        match order:
            case Pause() | Resume():
                return replaced(self, last=number, is_paused=isinstance(order, Pause))
            case SetValue(key, value):
                return replaced(self, last=number, values={**self.values, key: value})
            case Unset(key):
                values = {name: value for name, value in self.values.items() if name != key}
                return replaced(self, last=number, values=values)
            case AddRule(rule):
                return replaced(self, last=number, rules={**self.rules, number: rule})
            case RemoveRule(wanted):
                rules = {other: rule for other, rule in self.rules.items() if other != wanted}
                return replaced(self, last=number, rules=rules)
        return replaced(self, last=number)

    @property
    def settings(self) -> Settings:
        """The part that changes the job of a worker."""
        return Settings(self.values, self.is_paused)

    def job(self, job: Job) -> Job:
        """Return the job with the values in force."""
        return self.settings.applied(job)

    def parsed_rules(self) -> tuple[Rule, ...]:
        """Return the added rules, the newest first; a rule without a name gets that of its
        order."""
        newest_first = sorted(self.rules, reverse=True)
        return parse_rules([{"name": f"order-{n}"} | self.rules[n] for n in newest_first])


def in_force(given: Iterable[Numbered]) -> InForce:
    """Return the combined effect of orders, from the first one on."""
    found = InForce()
    for one in given:
        found = found.after(one.number, one.order)
    return found


def pack(given: Numbered) -> bytes:
    """Return the content of an order's note."""
    return msgspec.json.encode(
        {
            "order": given.order,
            "id": given.id,
            "moment": given.moment,
            "by": given.by,
            "asked": given.asked,
        }
    )


def unpack(number: int, note: bytes) -> Numbered:
    """Return the order of a note."""
    content = json_decoder(_Note).decode(note)
    return Numbered(number, content.order, content.id, content.moment, content.by, content.asked)


def digest_of(asked: object) -> str:
    """Return a digest of an order, or of the request that contains it."""
    content = msgspec.json.encode(msgspec.to_builtins(asked), order="deterministic")
    return hashlib.sha256(content).hexdigest()[:32]


class _Note(msgspec.Struct, frozen=True):
    order: Order
    id: str
    moment: float
    by: str = ""
    asked: str = ""


def of_kind(data: Mapping[str, object]) -> Order:
    """Return the order that a JSON object describes; raises `ConfigError` if it is not an order."""
    try:
        order: Order = converted(data, Order)
    except msgspec.ValidationError as error:
        kinds = "pause, resume, stop, set, unset, add-rule, remove-rule, add-seeds, block, unblock"
        raise ConfigError(f"not an order: {error}\n  kinds: {kinds}, retry") from None
    return order


# -- checks before an order is written ----------------------------------------------------


def checked(order: Order, job: Job, known: InForce) -> Order:
    """Return the order as it is to be written; raises `ConfigError` if it is not allowed.

    `known` is the combined effect of earlier orders.
    """
    match order:
        case SetValue():
            return _checked_value(order, job)
        case Unset(key):
            if key not in known.values:
                named = ", ".join(known.values) or "none"
                raise ConfigError(f"`{key}` was not changed by an order; changed keys: {named}")
        case AddRule(rule):
            _check_rule(rule)
        case RemoveRule(number):
            if number not in known.rules:
                named = ", ".join(map(str, known.rules)) or "none"
                raise ConfigError(
                    f"order {number} is not an added rule in force; added rules: {named}\n"
                    "  rules of the job itself cannot be removed while it runs"
                )
        case Block(host) | Unblock(host):
            return type(order)(host_named(host))
        case AddSeeds(seeds):
            if not seeds:
                raise ConfigError(
                    "an order to add seeds needs at least one seed, such as https://example.org/"
                )
    return order


def _checked_value(order: SetValue, job: Job) -> SetValue:
    """Return the order with its value in the job's type, if that weakens no promise to servers."""
    section, _, key = order.key.partition(".")
    if order.key not in CHANGEABLE:
        raise ConfigError(
            f"`{order.key}` cannot be changed while a crawl runs{_why_not(order.key)}\n"
            f"  these can: {', '.join(CHANGEABLE)}"
        )
    tables: dict[str, Any] = {section: {key: order.value}}
    value = getattr(getattr(Job.of(**tables), section), key)
    own = getattr(getattr(job, section), key)
    if order.key in _PAUSES and value < own:
        raise ConfigError(
            f"{order.key}: {value:g} is less than the job's own {own:g}; an order makes pauses"
            " longer, never shorter\n"
            f"  stop the crawl, then: lycosa resume DIR --set {order.key}={value:g}"
        )
    return SetValue(order.key, value)


def refuse_new_limit(order: SetValue, job: Job, place: str) -> None:
    """Refuse a limit that the ledger of a cluster has no account of: it begins with the crawl."""
    section, _, key = order.key.partition(".")
    if order.key not in ("limits.pages", "limits.bytes"):
        return
    own = getattr(getattr(job, section), key)
    if not own or not order.value:
        what = "was begun without this limit" if not own else "cannot lose its limit"
        raise ConfigError(
            f"{order.key}: a running crawl {what}: its ledger would not be exact\n"
            f"  stop it (lycosa cluster stop {place}), then set it in a crawl"
            " directory: lycosa resume DIR --set " + f"{order.key}={order.value}"
        )


def _why_not(key: str) -> str:
    section = key.partition(".")[0]
    if section in ("robots", "politeness"):
        return ": orders cannot change politeness"
    if key in ("fetch.allow_private", "fetch.private_networks", "fetch.loopback_origins"):
        return ": orders cannot change the address guard"
    if key in ("fetch.contact", "fetch.user_agent"):
        return ": orders cannot change the identification to site owners"
    return ": orders cannot load code" if section == "plugins" else ""


def _check_rule(table: dict[str, Any]) -> None:
    (rule,) = parse_rules([table])
    if rule.action is Action.TRANSFORM:
        raise ConfigError(
            "a rule added to a running crawl can only accept or reject; a transform would change"
            " the spelling of URLs that are already known\n"
            "  stop the crawl, then add the rule to crawl.toml"
        )


def host_named(name: str) -> str:
    """Return the host of a name or URL, as the tables spell it."""
    url = canonicalize(name if "://" in name else f"http://{name}/")
    if url is None:
        raise ConfigError(f"{name}: not a host name\n  write it like www.example.org")
    return host_of(key_of(url))
