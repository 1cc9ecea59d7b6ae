"""Orders of the operator to a crawl's members: settings, a halt, departures, the end of a run.

All of them are notes in the log, where members read them twice a second, and where they reach
members that are cut off now. Cordons alone are lifted on the board, where they stand. No call waits
for members; `runtime.cluster.status` shows which members have adopted the settings.
"""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.errors import ConfigError, LogUnavailable
from lycosa.runtime.cluster import cordons
from lycosa.runtime.cluster.settings import Value, check_value
from lycosa.runtime.cluster.status import ClusterReader, ClusterView, MemberView
from lycosa.runtime.coordination.changes import change
from lycosa.runtime.coordination.keys import CORDONS
from lycosa.runtime.members.notes import LEAVE, leave_name, leaves_in, stop_run
from lycosa.runtime.orders.desk import note_order
from lycosa.runtime.orders.orders import Pause, Resume, SetValue, Unset, refuse_new_limit

ANSWER_SECONDS = 15.0


class Orders:
    """Orders for one crawl."""

    def __init__(self, reader: ClusterReader) -> None:
        self._reader = reader

    def set_value(self, name: str, value: Value) -> int:
        """Change a key of the job for all members; return the number of the order."""
        check_value(name, value)
        refuse_new_limit(SetValue(name, value), self._reader.job, self._reader.place)
        return note_order(self._reader.log, SetValue(name, value))

    def unset(self, name: str) -> int:
        """Restore the job's own value."""
        known = self._reader.look().settings.values
        if name not in known:
            named = ", ".join(known) or "none"
            raise ConfigError(
                f"{self._reader.place}: `{name}` was not changed; changed keys: {named}"
            )
        return note_order(self._reader.log, Unset(name))

    def pause(self, *, is_paused: bool) -> int:
        """Let no member begin a request, or let all members continue."""
        return note_order(self._reader.log, Pause() if is_paused else Resume())

    def drain(self, members: Sequence[MemberView], *, is_undone: bool = False) -> None:
        """Let members hand their partitions over and end; or cancel that."""
        log = self._reader.log
        known = leaves_in(log.notes(LEAVE))
        for one in members:
            change_before = known.get(one.record.number, 0)
            if change_before % 2 == is_undone:
                log.note(leave_name(one.record.number, change_before + 1), b"")

    def lift(self, partitions: Sequence[int]) -> None:
        """Let members take cordoned partitions again."""
        known = self._reader.look().cordoned
        for partition in partitions:
            if partition not in known:
                named = ", ".join(map(str, known)) or "none"
                raise ConfigError(
                    f"{self._reader.place}: partition {partition} is not cordoned;"
                    f" cordoned partitions: {named}"
                )

        def cleared(value: bytes) -> bytes:
            found = cordons.unpack(value)
            for partition in partitions:
                found = found.cleared(partition)
            return cordons.pack(found)

        if change(self._reader.board, CORDONS, cleared, ANSWER_SECONDS) is None:
            raise self._silent()

    def stop(self) -> bool:
        """End the run for all members; return False if it has ended before."""
        return stop_run(self._reader.log, self._reader.place)

    def _silent(self) -> LogUnavailable:
        return LogUnavailable(
            f"{self._reader.place}: the board (coordination store) does not answer;"
            " the order may have been written\n"
            f"  check: lycosa cluster status {self._reader.place}"
        )


def members_named(view: ClusterView, name: str) -> list[MemberView]:
    """Return the live members that a number or a machine names; raises `ConfigError` if none."""
    found = [one for one in view.members if name in (str(one.record.number), one.record.machine)]
    if found:
        return found
    gone = [one.record for one in view.gone if name in (str(one.record.number), one.record.machine)]
    if gone:
        raise ConfigError(f"{view.place}: {name} is gone: it has {gone[-1].standing}")
    known = ", ".join(f"{one.record.number} on {one.record.machine}" for one in view.members)
    raise ConfigError(f"{view.place}: has no member or machine {name}; members: {known or 'none'}")
