"""`lycosa cluster status` and `logs`: a crawl of several machines on one page.

The page shows the totals first, then the members, then everything that holds the crawl up, with the
command that repairs it. Up to 16 members have a line each; of more, the members
with something to say, and the others in one line.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal

import msgspec
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lycosa.cli.amounts import counted, duration_text, size_text
from lycosa.cli.screen.summary import facts_table
from lycosa.runtime.cluster.standstill import Reason, ended_text, reasons_of
from lycosa.runtime.cluster.status import ClusterView, MemberView
from lycosa.runtime.membership.offsets import is_off
from lycosa.runtime.membership.record import Standing

MOST_LINES = 16
"""How many members have a line each."""
WIDE = 112
"""From this width on the table has versions and directories."""
_SLOW_COMMIT_SECONDS = 1.0
_MOST_MACHINE = 14
"""How many letters a machine's name has in 80 columns."""


def cluster_page(view: ClusterView, width: int) -> RenderableType:
    """Return the page."""
    return Group(_title(view), _body(view, width))


def print_cluster(console: Console, view: ClusterView) -> None:
    """Print the page; its first line is never wrapped, so that the address can be copied."""
    console.print(_title(view), soft_wrap=True)
    console.print(_body(view, console.width))


def _title(view: ClusterView) -> Text:
    stops = any(one.stops for one in reasons_of(view))
    colour = "bold yellow" if stops else "bold green"
    return Text(f"{view.place}: {_headline(view, stops)}", colour)


def _body(view: ClusterView, width: int) -> RenderableType:
    reasons = reasons_of(view)
    facts = Padding(facts_table(list(_facts(view))), (1, 0, 0, 2))
    parts: list[RenderableType] = [facts]
    if view.members:
        parts.append(Padding(_table(view, width >= WIDE), (1, 0, 0, 2)))
        if width < WIDE:
            parts += _directories(view)
    if reasons:
        parts.append(_reasons_text(reasons))
    return Group(*parts)


def _headline(view: ClusterView, stops: bool) -> str:
    machines = len({one.record.machine for one in view.members})
    who = f"{counted(len(view.members), 'member')} on {counted(machines, 'machine')}"
    if not view.is_answering:
        return "the server does not answer"
    if view.moved_to:
        return "moved"
    if view.ended:
        return f"ended: {ended_text(view.ended)}"
    if not view.members:
        return "no member is alive"
    if view.settings.is_paused:
        return f"paused, {who}"
    return f"{'standing still' if stops else 'running'}, {who}"


def _facts(view: ClusterView) -> Iterator[tuple[str, str]]:
    total = view.total
    begun = view.begun[:16].replace("T", " ")
    yield "crawl", f"{view.name}, begun {begun} UTC" + (f", run {view.run}" * (view.run > 1))
    if view.members:
        rate = f"{total.pages_per_second:,.1f} a second"
        yield "pages", f"{total.pages:,}, {size_text(total.bytes)}, {rate}"
        yield "queue", f"{total.waiting:,} URLs, {total.in_flight:,} in flight"
        yield "hosts", f"{total.ready:,} ready, {total.resting:,} resting"
    yield "partitions", _partitions_text(view)
    if total.unsent_bytes:
        age = f", the oldest for {duration_text(total.unsent_seconds)}" * bool(total.unsent_seconds)
        yield "at risk", f"{size_text(total.unsent_bytes)} not in the store{age}"
    versions = sorted({one.record.version for one in view.members})
    if versions:
        yield "version", ", ".join(versions)
    if view.settings.values or view.settings.is_paused:
        yield "settings", _settings_text(view)


def _partitions_text(view: ClusterView) -> str:
    held = [one.partitions for one in view.members]
    text = f"{view.partitions:,}"
    if held:
        text += f", {_range(held)} each"
    free = [
        f"{count:,} {what}"
        for count, what in (
            (view.released, "without an owner"),
            (view.orphaned, "of dead members"),
            (len(view.cordoned), "cordoned"),
        )
        if count
    ]
    return ", ".join([text, *free])


def _settings_text(view: ClusterView) -> str:
    values = [f"{name} = {value}" for name, value in sorted(view.settings.values.items())]
    if view.settings.is_paused:
        values.insert(0, "paused")
    live = len(view.members)
    adopted = live - len(view.behind)
    by = "all" if not view.behind else f"{adopted:,} of {live:,}"
    return f"{', '.join(values)}; adopted by {by} members" if live else ", ".join(values)


def _table(view: ClusterView, is_wide: bool) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold cyan", pad_edge=False)
    for name in ("no", "machine", "state", "for"):
        width = None if is_wide or name != "machine" else _MOST_MACHINE
        justify: Literal["left", "right"] = "right" if name == "no" else "left"
        table.add_column(name, no_wrap=True, justify=justify, max_width=width)
    for name in ("parts", "pages", "/s", "queue", "flight", "lag", "at risk"):
        if name != "at risk" or view.total.unsent_bytes:
            table.add_column(name, justify="right", no_wrap=True)
    if is_wide:
        table.add_column("version", no_wrap=True)
        table.add_column("directory", overflow="fold")
    shown, rest = _chosen(view)
    for one in shown:
        cells = _cells(one, with_risk=bool(view.total.unsent_bytes))
        if is_wide:
            cells += [one.record.version, one.record.directory]
        table.add_row(*cells, style="" if _state(one) == "live" else "yellow")
    if rest:
        table.add_row(*_rest_cells(rest, with_risk=bool(view.total.unsent_bytes)))
    return table


def _chosen(view: ClusterView) -> tuple[list[MemberView], list[MemberView]]:
    """Return the members that have a line, and the others."""
    if len(view.members) <= MOST_LINES:
        return view.members, []
    loud = [one for one in view.members if _is_loud(one, view)][: MOST_LINES - 1]
    numbers = {one.record.number for one in loud}
    return loud, [one for one in view.members if one.record.number not in numbers]


def _is_loud(one: MemberView, view: ClusterView) -> bool:
    record = one.record
    return (
        _state(one) != "live"
        or bool(record.progress.trouble)
        or record.progress.commit_seconds >= _SLOW_COMMIT_SECONDS
        or is_off(record.clock_offset)
        or record.number in view.behind
    )


def _state(one: MemberView) -> str:
    if one.is_silent:
        return "silent"
    if one.record.standing is Standing.LIVE and one.record.is_cordoned:
        return "full"
    return str(one.record.standing)


def _cells(one: MemberView, *, with_risk: bool) -> list[str]:
    record, progress = one.record, one.record.progress
    age = time.time() - record.since if record.since else 0.0
    cells = [
        str(record.number),
        record.machine,
        _state(one),
        _age(one.silent_seconds if one.is_silent else age) if age else "",
        f"{one.partitions:,}",
        _short(progress.pages),
        f"{progress.pages_per_second:,.1f}",
        _short(progress.waiting),
        f"{progress.in_flight:,}",
        f"{progress.commit_seconds:.1f} s",
    ]
    return [*cells, size_text(progress.unsent_bytes)] if with_risk else cells


def _rest_cells(rest: Sequence[MemberView], *, with_risk: bool) -> list[str]:
    """Return one line for members that have nothing to say: what they have at least and at most."""
    progress = [one.record.progress for one in rest]
    machines = len({one.record.machine for one in rest})
    cells = [
        f"{len(rest):,}",
        counted(machines, "machine"),
        "live",
        "",
        _range([one.partitions for one in rest]),
        _range([one.pages for one in progress]),
        _range([round(one.pages_per_second) for one in progress]),
        _range([one.waiting for one in progress]),
        _range([one.in_flight for one in progress]),
        f"{max(one.commit_seconds for one in progress):.1f} s",
    ]
    risk = size_text(sum(one.unsent_bytes for one in progress))
    return [*cells, risk] if with_risk else cells


def _range(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return _short(least) if least == most else f"{_short(least)}-{_short(most)}"


def _short(number: int) -> str:
    """Write a number in at most six letters: `99,999`, `123k`, `12.3M`."""
    if number < 100_000:
        return f"{number:,}"
    units = iter("kMGT")
    amount, unit = number / 1000, next(units)
    while amount >= 999.5:
        amount, unit = amount / 1000, next(units)
    return f"{amount:.0f}{unit}" if amount >= 100 or unit == "k" else f"{amount:.1f}{unit}"


def _age(seconds: float) -> str:
    """Write a time in one unit: `59 min`."""
    for size, unit in ((172_800, "days"), (7_200, "h"), (120, "min")):
        if seconds >= size:
            return f"{seconds / {'days': 86_400, 'h': 3_600, 'min': 60}[unit]:.0f} {unit}"
    return f"{seconds:.0f} s"


def _directories(view: ClusterView) -> list[RenderableType]:
    """Say where members keep their pages, if they are few."""
    named = [one.record for one in view.members if one.record.directory]
    if not named or len(view.members) > MOST_LINES:
        return []
    text = "\n".join(f"{one.number:>2}  {one.directory}" for one in named)
    return [Padding(Text(text, "dim"), (1, 0, 0, 2))]


def _reasons_text(reasons: Sequence[Reason]) -> Text:
    text = Text()
    for reason in reasons:
        text.append("\n! " if reason.stops else "\n- ", "bold yellow" if reason.stops else "dim")
        text.append(reason.what)
        if reason.mend:
            text.append(f"\n  {reason.mend}", "cyan")
    return text


def cluster_data(view: ClusterView) -> dict[str, object]:
    """Return the page for a program."""
    return {
        "place": view.place,
        "name": view.name,
        "begun": view.begun,
        "run": view.run,
        "ended": view.ended,
        "moved_to": view.moved_to,
        "is_answering": view.is_answering,
        "partitions": view.partitions,
        "owned": view.owned,
        "released": view.released,
        "orphaned": view.orphaned,
        "cordoned": {str(one): deaths for one, deaths in view.cordoned.items()},
        "settings": {
            "revision": view.revision,
            "values": view.settings.values,
            "is_paused": view.settings.is_paused,
            "behind": view.behind,
        },
        "total": msgspec.structs.asdict(view.total),
        "members": [_member_data(one) for one in view.members],
        "gone": [_member_data(one) for one in view.gone],
        "reasons": [one._asdict() for one in reasons_of(view)],
    }


def _member_data(one: MemberView) -> dict[str, object]:
    record = one.record
    since = datetime.fromtimestamp(record.since, UTC).isoformat() if record.since else None
    return {
        "number": record.number,
        "machine": record.machine,
        "directory": record.directory,
        "state": _state(one),
        "version": record.version,
        "since": since,
        "silent_seconds": round(one.silent_seconds, 1),
        "settings": record.settings,
        "clock_offset": record.clock_offset,
        "ended_by": record.ended_by,
        **msgspec.structs.asdict(record.progress),
        "partitions": one.partitions,
    }
