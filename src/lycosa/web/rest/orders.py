"""Pause, resume, stop, limits, rules, seeds, retry, block: orders to a crawl.

An order is in the log when it is answered; a running crawl applies it within a second, any other
one when it goes on. `orders_applied` of the frame says how far all workers have come.
"""

from __future__ import annotations

from contextlib import closing
from typing import Annotated, Any, Literal

import msgspec

from lycosa.runtime.orders import desk
from lycosa.runtime.orders import orders as given
from lycosa.runtime.orders.live import read_frame
from lycosa.runtime.orders.orders import in_force
from lycosa.web.clients import refuse_loopback_seeds, refuse_widening
from lycosa.web.reading.requests import Fit
from lycosa.web.rest.operations import Call, Operation
from lycosa.web.rest.problems import Refusal, answered
from lycosa.web.rest.records import (
    Fitting,
    LimitValues,
    OrderGiven,
    OrderList,
    OrderRow,
    RuleList,
    RuleRow,
)
from lycosa.web.served import limits_of

FIT_SECONDS = 60.0
_Number = Annotated[float, msgspec.Meta(ge=0, le=1 << 53)]
_Seed = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
_Text = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
_Texts = Annotated[list[_Text], msgspec.Meta(min_length=1, max_length=100)]


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """New values by key, such as `limits.pages`; null goes back to the job's own."""

    values: Annotated[
        dict[Annotated[str, msgspec.Meta(max_length=80)], _Number | None],
        msgspec.Meta(min_length=1, max_length=8),
    ]


class RuleTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A rule: all conditions must hold, one value of each."""

    action: Literal["reject", "accept"]
    host: _Texts | None = None
    suffix: _Texts | None = None
    prefix: _Texts | None = None
    regex: _Texts | None = None
    extension: _Texts | None = None


class Seeds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """More seeds."""

    seeds: Annotated[list[_Seed], msgspec.Meta(min_length=1, max_length=1_000)]


class RetryWhat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The kind of URLs to fetch again."""

    what: Literal["failed", "traps"] = "failed"


class HostName(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A host."""

    host: Annotated[str, msgspec.Meta(min_length=1, max_length=255)]


def _give(call: Call, order: given.Order, request: object = None) -> OrderGiven:
    directory = call.crawl.directory
    if not directory.has_begun:
        raise Refusal(409, "the crawl has not begun\n  start it first")
    done = desk.give(directory, order, call.client_id, by="lycosa serve", request=request)
    if done.planted is not None and not done.planted.accepted:
        why = "; ".join(f"{seed}: {reason}" for seed, reason in done.planted.refused.items())
        raise Refusal(422, f"no seed can be used: {why}")
    return OrderGiven(done.number, done.is_new)


def pause(call: Call) -> OrderGiven:
    """Stop sending requests until `resume`."""
    return _give(call, given.Pause())


def resume(call: Call) -> OrderGiven:
    """Go on after a pause."""
    return _give(call, given.Resume())


def stop(call: Call) -> OrderGiven:
    """End the run under way."""
    return _give(call, given.Stop())


def get_limits(call: Call) -> LimitValues:
    """Return the values that can be changed."""
    return LimitValues(call.crawl.frame().limits, limits_of(call.crawl.job()))


def change_limits(call: Call) -> list[OrderGiven]:
    """Give one order for each value."""
    done = []
    for number, (key, value) in enumerate(call.body.values.items()):
        order: given.Order = given.Unset(key)
        if value is not None:
            order = given.SetValue(key, int(value) if float(value).is_integer() else value)
        own_id = f"{call.client_id}/{number}" if call.client_id else ""
        parts = call._replace(headers={**call.headers, "idempotency-key": own_id})
        done.append(_give(parts, order, call.body))
    return done


def list_rules(call: Call) -> RuleList:
    """Return the rules, added ones first."""
    known = in_force(desk.known_orders(call.crawl.directory))
    added = [RuleRow(number=number, rule=known.rules[number]) for number in sorted(known.rules)]
    own = [RuleRow(number=0, rule=dict(rule)) for rule in call.crawl.job().rules]
    return RuleList([*added, *own])


def _table(rule: RuleTable) -> dict[str, Any]:
    table: dict[str, Any] = msgspec.to_builtins(rule)
    found = {name: value for name, value in table.items() if value is not None}
    if len(found) < 2:
        raise Refusal(422, "a rule needs a condition: host, suffix, prefix, regex or extension")
    return found


def add_rule(call: Call) -> OrderGiven:
    """Add a rule."""
    table = _table(call.body)
    if table["action"] == "accept" and not call.is_from_here:
        refuse_widening(call.crawl.job())
    return _give(call, given.AddRule(table))


def remove_rule(call: Call) -> OrderGiven:
    """Remove an added rule."""
    return _give(call, given.RemoveRule(_number(call.path["number"])))


def preview_rule(call: Call) -> bytes:
    """Count the URLs in the queue that a rule matches."""
    return answered(call.crawl.reading.ask(Fit(_table(call.body)), FIT_SECONDS)).body


def add_seeds(call: Call) -> OrderGiven:
    """Crawl more seeds."""
    if not call.is_from_here:
        job = call.crawl.job()
        refuse_widening(job)
        if not job.fetch.loopback_origins:
            refuse_loopback_seeds(call.body.seeds)
    return _give(call, given.AddSeeds(list(call.body.seeds)))


def retry(call: Call) -> OrderGiven:
    """Fetch failed URLs again."""
    return _give(call, given.Retry(call.body.what))


def block(call: Call) -> OrderGiven:
    """Block a host."""
    return _give(call, given.Block(call.body.host))


def unblock(call: Call) -> OrderGiven:
    """Unblock a host."""
    return _give(call, given.Unblock(call.path["host"]))


def list_orders(call: Call) -> OrderList:
    """Return all orders."""
    directory = call.crawl.directory
    live = read_frame(directory.path)
    if not directory.has_begun:
        return OrderList([], 0)
    with closing(directory.log(call.crawl.job())) as log:
        found = desk.orders(log)
    rows = [
        OrderRow(
            number=one.number,
            order=msgspec.to_builtins(one.order),
            moment=one.moment,
            client_id=one.id,
            who=one.by,
        )
        for one in found
    ]
    return OrderList(rows, live.order if live is not None else 0)


def _number(text: str) -> int:
    if not text.isdecimal() or not text.isascii() or len(text) > 12:
        raise Refusal(404, "there is no such rule")
    return int(text)


def _order(method: str, path: str, act: Any, summary: str, body: Any = None) -> Operation:
    return Operation(
        method,
        f"/crawls/{{name}}{path}",
        act,
        summary,
        OrderGiven,
        body=body,
        status=202,
        is_order=True,
    )


OPERATIONS = [
    _order("POST", "/pause", pause, "Stop sending requests; answers under way are kept."),
    _order("POST", "/resume", resume, "Go on after a pause."),
    _order("POST", "/stop", stop, "End the run under way, cleanly."),
    Operation(
        "GET", "/crawls/{name}/limits", get_limits, "The values that can be changed.", LimitValues
    ),
    _order("PATCH", "/limits", change_limits, "Change limits and pauses.", Limits)._replace(
        answer=list[OrderGiven]
    ),
    Operation("GET", "/crawls/{name}/rules", list_rules, "The rules of the scope.", RuleList),
    _order("POST", "/rules", add_rule, "Add a rule that accepts or rejects URLs.", RuleTable),
    _order("DELETE", "/rules/{number}", remove_rule, "Remove a rule that was added."),
    Operation(
        "POST",
        "/crawls/{name}/rule-preview",
        preview_rule,
        "The number of URLs in the queue that a rule matches.",
        Fitting,
        body=RuleTable,
    ),
    _order("POST", "/seeds", add_seeds, "Crawl more seeds.", Seeds),
    _order(
        "POST", "/retry", retry, "Fetch failed URLs, or URLs put aside as traps, again.", RetryWhat
    ),
    _order("POST", "/blocked", block, "Block a host: send it no more requests.", HostName),
    _order("DELETE", "/blocked/{host}", unblock, "Unblock a host."),
    Operation("GET", "/crawls/{name}/orders", list_orders, "All orders.", OrderList),
]
