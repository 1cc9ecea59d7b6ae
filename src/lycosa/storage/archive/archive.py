"""Writes every exchange with a server to the archive of a crawl, with the rows made from it.

An exchange becomes a group of WARC records in the open segment:

    request     as it was sent
    response    as it came; or `revisit` where the payload is in the crawl directory already
    metadata    where the URL came from, the outcome, the links found in it

It also becomes rows (`rows`) and quads (`quads`). The *place* of an exchange is that of its
response or revisit; the metadata follows directly, so the links of a page can be read without its
body, from open and sealed segments alike. An exchange that failed below HTTP leaves a row and a
place of length 0.

`append` belongs to the worker's thread; `flush` and `seal` may run in another one.

Always true:
  * a place is final, and can be read, as soon as `append` has returned it;
  * a failed flush can be repeated: nothing is lost or written twice;
  * a process only appends to files that it began itself;
  * a revisit refers to an exchange whose event the log has, or to one of its own partition in the
    same process since that has last lost the partition (`duplicates`). The log of a partition is
    one sequence: if the event of the revisit was written, the event of the exchange it refers to
    was written before.

Not here: which exchanges count (the log decides), sealing (`sealing`), reading rows (`reader`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa
from msgspec.structs import replace

from lycosa.errors import Elsewhere, StoreError
from lycosa.model.records import Capture, KeyedLink, Outcome, Place, Validators
from lycosa.storage.archive._appending import Appending
from lycosa.storage.archive.duplicates import Duplicates
from lycosa.storage.archive.layout import MOST_DIRECTORIES, Name, is_in, make_folders
from lycosa.storage.segments.digests import Positions
from lycosa.storage.segments.ends import pack
from lycosa.storage.segments.sealing import NOWHERE, Sealed, ignore, seal_dead, seal_segment
from lycosa.storage.segments.segment import OWNER, Segment, cannot_begin, sync_open
from lycosa.storage.segments.survey import Counted
from lycosa.storage.tables.extra import with_extra
from lycosa.storage.tables.link_ends import LinkEnds, link_ends
from lycosa.storage.warc import warc_format
from lycosa.storage.warc.exchange import (
    Conversion,
    Earlier,
    Message,
    Writer,
    links_in,
    payload_digest_in,
    validators_in,
)
from lycosa.storage.warc.record_reader import (
    Read,
    Stored,
    WarcFiles,
    read_beginning,
    read_exchange,
    read_member,
)


class ArchiveStore(Appending):
    """A crawl directory that one worker writes to; `append` is compiled."""

    def __init__(
        self,
        folder: Path,
        worker: int = 0,
        durability: str = "process",
        roll_bytes: int = 1_000_000_000,
        info: Mapping[str, str] = MappingProxyType({}),
        *,
        extra_columns: pa.Schema | None = None,
        clock_ahead: float = 0.0,
    ) -> None:
        """Open a crawl directory; a segment begins with the first exchange.

        `info` goes into the `warcinfo` record. `extra_columns` are those that plugins add to
        `pages`. Records carry the machine's time; the moments of exchanges are ahead of it by
        `clock_ahead` seconds.
        """
        self._schemas = with_extra(extra_columns)
        self.folder, self.worker = folder, worker
        self._is_synced = durability == "power"
        self._info = dict(info)
        self._owner, self._directory = "", 0
        self._elsewhere: set[int] = set()
        self._files = WarcFiles(folder)
        self._duplicates = Duplicates(folder, self._read, self._files)
        super().__init__(self._duplicates, clock_ahead, roll_bytes)
        self._lock = threading.Lock()
        self._sealing = threading.Lock()
        self._current: Segment | None = None
        self._rolled: dict[int, Segment] = {}
        self._highest, self._is_closed = 0, False
        self.after_flush: Callable[[list[Name]], None] = lambda names: None
        """Called after each flush with the segments that are not sealed."""
        try:
            make_folders(folder)
        except OSError as error:
            raise cannot_begin(folder, error) from error

    @property
    def segment(self) -> int:
        """The segment that the next exchange goes to; our segments below it are complete."""
        current = self._current
        return current.number if current else self._highest + 1

    @property
    def size_bytes(self) -> int:
        """The length of the open segment's WARC file, counting what is not flushed yet."""
        return self._current.warc.end if self._current else 0

    @property
    def has_rolled(self) -> bool:
        """Whether we have segments that are complete and not sealed."""
        return bool(self._rolled)

    @property
    def has_unsealed(self) -> bool:
        """Whether we have segments that are not sealed."""
        return bool(self._rolled) or self._current is not None

    # -- writing --------------------------------------------------------------------------

    def roll(self) -> None:
        """End the open segment: the next exchange begins another one."""
        with self._lock:
            if self._current is not None:
                self._rolled[self._current.number] = self._current
                self._current = None

    def begin_life(self, owner: str, directory: int) -> None:
        """Write segments in the name of a life of a cluster, from now on.

        `owner` is the life's name in the log; the number of the `directory` is its own in the whole
        crawl, from 1 on.
        """
        if not 0 < directory < MOST_DIRECTORIES:
            raise StoreError(
                f"{self.folder}: a crawl has directories 1 to {MOST_DIRECTORIES - 1}, not"
                f" {directory}\n  let machines join again with the directories that they had"
            )
        self.roll()
        self._owner, self._directory = owner, directory

    def lose(self, partition: int, sequence: int) -> None:
        """Begin another segment, because decisions about a partition's exchanges are dropped.

        `sequence` is the last one of the partition's log that is known: what the log has behind it
        decides which of the exchanges count (`seal`). No later exchange of the partition refers to
        one of them, and none stands behind one in the same segment (`frontier.fold.accounts`).
        """
        self._duplicates.lose(partition)
        self.roll()
        with self._lock:
            for segment in self._rolled.values():
                segment.lost.setdefault(partition, sequence)

    def mark(self) -> int:
        """Return a mark behind everything appended so far; take it when a commit is cut."""
        current = self._current
        if current is not None:
            # No lock and no call: a commit flushes it, and none is under way.
            current.decided_pages = current.flushed_pages + current.pending.page_count
        if self._rolled:
            with self._lock:
                for segment in self._rolled.values():
                    segment.cut()
        return self._duplicates.mark()

    def settle(self, mark: int, partitions: Collection[int]) -> None:
        """Learn that the log has the events of what these partitions appended before a mark."""
        self._duplicates.settle(mark, partitions)

    def flush(self) -> tuple[int, bytes]:
        """Hand everything appended so far to the operating system; to the disk for "power".

        Returns our number, and how far the open tables reach (`segments.ends`).
        """
        with self._lock:
            segments = [*self._rolled.values(), *([self._current] if self._current else [])]
        ends = [segment.flush() for segment in segments if not segment.is_closed]
        self.after_flush([segment.name for segment in segments])
        return self.worker, pack(ends)

    def seal(
        self,
        is_counted: Counted,
        decided: int | None = None,
        reach: Callable[[str], None] = ignore,
        with_dead: bool = True,
        settle: Callable[[Mapping[int, int]], Counted | None] | None = None,
        *,
        positions: Positions = NOWHERE,
    ) -> list[Sealed]:
        """Seal complete segments: those of dead processes, and our own below `decided`.

        Segments of dead processes are sealed only `with_dead`: a worker beside others does not
        know which exchanges count in them.

        The exchanges in our own segments must be committed by then, or never be: so take
        `segment` when a commit is cut, and pass it as `decided` when that commit is done.
        Without `decided` all segments are sealed, also the open one, as a clean stop does after
        its last commit.

        A segment in which partitions were lost is sealed by what `settle` says of them, and waits
        while that is None. `positions` say how far the log is on the disk.
        """
        with self._sealing:
            if decided is None:
                self.roll()
            with self._lock:
                own = [s for n, s in self._rolled.items() if decided is None or n < decided]
                lost = {segment.number: dict(segment.lost) for segment in own}
            sealed: list[Sealed] = []
            for segment in own:
                counted: Counted | None = is_counted
                if settle is not None and lost[segment.number]:
                    counted = settle(lost[segment.number])
                if counted is None:
                    continue
                segment.flush()
                sync_open(self.folder, segment.leans_on - {segment.file_name})
                sealed.append(
                    seal_segment(self.folder, segment.name, counted, reach, positions=positions)
                )
                with self._lock:
                    del self._rolled[segment.number]
                segment.close()
            if with_dead:
                sealed += seal_dead(self.folder, is_counted, reach, positions=positions)
            return sealed

    def close(self) -> None:
        """Flush and close; harmless when it has been done before. Seals nothing."""
        if not self._is_closed:
            self.flush()
            self.finish_index()
            self.abandon()

    def finish_index(self) -> None:
        """Let other workers and later runs find all payloads that were settled."""
        self._duplicates.finish()

    def abandon(self) -> None:
        """Close without flushing, as a kill does: unflushed exchanges are lost."""
        with self._lock:
            self._is_closed = True
            segments = [*self._rolled.values(), *([self._current] if self._current else [])]
            self._rolled, self._current = {}, None
            for segment in segments:
                segment.close()
            self._files.close()
            self._duplicates.close()

    # -- reading --------------------------------------------------------------------------

    def links(self, place: Place) -> list[KeyedLink]:
        """Return the links of the exchange at a place, without reading its body.

        Raises `Elsewhere` if the place lies on another machine.
        """
        if not place.length:
            return []
        behind = Place(place.segment, place.offset + place.length, 0)
        return links_in(self._member(behind))

    def validators(self, place: Place) -> Validators | None:
        """Return the validators (ETag, Last-Modified) of the answer at a place, if it has any."""
        if not place.length:
            return None
        return validators_in(self._read(place, read_beginning))

    def link_ends(self) -> LinkEnds:
        """Return source and target of every stored link."""
        return link_ends(self.folder)

    def read(self, place: Place) -> Stored:
        """Return the exchange at a place of this or another segment of the directory."""
        return read_exchange(place, self._member)

    def _member(self, place: Place) -> warc_format.Record:
        return self._read(place, read_member)

    def _read(
        self, place: Place, how: Callable[[Read, Place], warc_format.Record]
    ) -> warc_format.Record:
        with self._lock:
            if self._is_closed:
                raise StoreError(f"the store of {self.folder} is closed: nothing can be read")
            current = self._current
            own = current if current and current.number == place.segment else None
            own = own or self._rolled.get(place.segment)
        if own is not None:
            try:
                return how(own.warc.read, place)
            except StoreError:
                if not own.is_closed:  # otherwise it was sealed meanwhile
                    raise
        if self._directory and not is_in(self._directory, place.segment):
            self._require_here(place)
        return self._files.read(place, how)

    def _require_here(self, place: Place) -> None:
        """Raise `Elsewhere` for a segment of another directory that has no copy here."""
        if place.segment in self._elsewhere or not self._files.name(place.segment):
            self._elsewhere.add(place.segment)
            raise Elsewhere(
                f"segment {place.segment} is not in {self.folder}: another machine has written it\n"
                "  read it there, or from a copy of all directories"
            )

    # -- one exchange ---------------------------------------------------------------------

    def _open_segment(self, moment: float) -> Segment:
        with self._lock:
            if self._is_closed:
                raise StoreError(f"{self.folder} is closed: nothing can be appended")
            if self._current is None:
                segment = Segment(
                    self.folder, self.worker, self._is_synced, self._schemas, self._directory
                )
                headers = (
                    f"WARC-Type: warcinfo\r\nWARC-Record-ID: {segment.ids.next()}\r\n"
                    f"WARC-Date: {warc_format.date(moment)}\r\n"
                    f"Content-Type: {warc_format.FIELDS}\r\n"
                    f"WARC-Filename: {segment.file_name}\r\n"
                )
                info = self._info | ({OWNER: self._owner} if self._owner else {})
                block = warc_format.fields({"format": "WARC File Format 1.1"} | info)
                segment.warc.append(warc_format.pack(headers, block))
                self._highest = segment.number
                self._current = segment
            return self._current

    def _begin_items(
        self, segment: Segment, capture: Capture, message: Message, is_unchanged: bool
    ) -> Capture:
        """Make room for the items of a page; those that its held version has are not stored again.

        A version with other bytes in between has rows of its own, and so do items that a changed
        plugin has read out of the same bytes.
        """
        from lycosa.storage.tables.items import are_told, unchanged  # few crawls have any

        place = capture.held
        if is_unchanged and place is not None and capture.outcome is Outcome.KEPT:
            try:
                behind = self._member(Place(place.segment, place.offset + place.length, 0))
            except StoreError:
                behind = None
            if (
                behind is not None
                and payload_digest_in(behind) == message.payload_digest
                and are_told(behind.block, capture.items)
            ):
                return replace(capture, items=unchanged(capture.items))
        segment.begin_items()
        return capture

    def _other_records(
        self, writer: Writer, capture: Capture, message: Message, earlier: Earlier | None
    ) -> tuple[str, list[bytes], int]:
        """Return the records of an exchange that has no new payload, and which is the main one."""
        if capture.outcome is Outcome.RENDERED:
            kind, main = "conversion", writer.conversion(message, self._converted(capture.held))
            before = [writer.picture()] if capture.picture else []
            behind = writer.metadata(message.payload_digest, sum(map(len, before)))
            return kind, [*before, main, behind], len(before)
        if earlier is None:
            kind, main = "revisit", writer.not_modified(message, capture.request.url)
        else:
            kind, main = writer.shorter(message, earlier)
        before = [writer.request()] if capture.answer.asked else []
        behind = writer.metadata(message.payload_digest)
        return kind, [*before, main, behind], len(before)

    def _converted(self, place: Place | None) -> Conversion | None:
        """Return the record of the page that was rendered, if it is here."""
        if place is None:
            return None
        try:
            headers = self._read(place, read_beginning).headers
        except StoreError:
            return None
        return Conversion(headers.get("WARC-Record-ID", ""), headers.get("WARC-Date", ""))
