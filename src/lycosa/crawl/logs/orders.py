"""Orders of the operator to a crawl's members: settings, a halt, departures, the end of a run.

Settings and departures stand on the board, where members read them every two seconds. A stop is a
note in the log, so that it reaches members that are cut off now. No call waits for members;
`crawl.status.cluster` shows which members have adopted the settings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lycosa.cluster import cordons, settings
from lycosa.cluster.board.changes import change
from lycosa.cluster.board.keys import CORDONS, SETTINGS
from lycosa.cluster.settings import Settings, Value
from lycosa.crawl.budget import Limit
from lycosa.crawl.member.notes import current_run, end_name
from lycosa.crawl.status.cluster import ClusterReader, ClusterView, MemberView
from lycosa.errors import ConfigError, LogUnavailable

ANSWER_SECONDS = 15.0
_LIMITS = ("limits.pages", "limits.bytes")


class Orders:
    """Orders for one crawl."""

    def __init__(self, reader: ClusterReader) -> None:
        self._reader = reader

    def close(self) -> None:
        """Close the connections of the reader."""
        self._reader.close()

    def check_value(self, name: str, value: Value) -> None:
        """Refuse values that the job or the ledger of limits does not allow."""
        section, _, key = name.partition(".")
        if name in _LIMITS:
            self._refuse_new_limit(name, getattr(getattr(self._reader.job, section), key), value)
        Settings().with_value(name, value)

    def set_value(self, name: str, value: Value) -> int:
        """Change a key of the job for all members; return the revision of the settings."""
        self.check_value(name, value)  # refuse it before the board is asked
        return self._change(lambda before: before.with_value(name, value))

    def unset(self, name: str, *, must_be_set: bool = True) -> int:
        """Restore the job's own value."""
        known = self._reader.look().settings.values
        if must_be_set and name not in known:
            named = ", ".join(known) or "none"
            raise ConfigError(
                f"{self._reader.place}: `{name}` was not changed; changed keys: {named}"
            )
        return self._change(lambda before: before.without(name))

    def pause(self, *, is_paused: bool) -> int:
        """Let no member begin a request, or let all members continue."""
        return self._change(lambda before: settings.replaced(before, is_paused=is_paused))

    def drain(self, members: Sequence[MemberView], *, is_undone: bool = False) -> int:
        """Let members hand their partitions over and end; or cancel that."""
        numbers = {one.record.number for one in members}
        live = {one.record.number for one in self._reader.look().members}

        def leaving(before: Settings) -> Settings:
            kept = (set(before.leaving) & live) - numbers
            return settings.replaced(
                before, leaving=tuple(sorted(kept if is_undone else kept | numbers))
            )

        return self._change(leaving)

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
        log = self._reader.log
        run, ended = current_run(log)
        if not run:
            raise ConfigError(
                f"{self._reader.place}: no member has begun to crawl\n"
                f"  begin: lycosa join {self._reader.place} -o DIR"
            )
        return not ended and log.note(end_name(run), Limit.STOPPED.encode())

    def _refuse_new_limit(self, name: str, own: int, value: Value) -> None:
        """Refuse a limit that the ledger has no account of: its accounts begin with the crawl."""
        if not own or not value:
            what = "was begun without this limit" if not own else "cannot lose its limit"
            raise ConfigError(
                f"{name}: a running crawl {what}: its ledger would not be exact\n"
                f"  stop it (lycosa cluster stop {self._reader.place}), then set it in a crawl"
                " directory: lycosa resume DIR --set " + f"{name}={value}"
            )

    def _change(self, changed: Callable[[Settings], Settings]) -> int:
        revision = change(
            self._reader.board,
            SETTINGS,
            lambda value: settings.pack(changed(settings.unpack(value))),
            ANSWER_SECONDS,
        )
        if revision is None:
            raise self._silent()
        return revision

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
