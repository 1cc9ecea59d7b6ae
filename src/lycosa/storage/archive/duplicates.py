"""Finds the record that has the payload of an answer already, so that a `revisit` can refer to it.

Three places are asked, in this order:

    held      the exchange by which the log holds the page: the same URL sent the same again
    recent    what the partition has stored since the last commit
    durable   the index of the crawl directory: what any partition, worker or run has stored

The log of a partition is one sequence: if it has the event of a revisit, it has those before it. A
payload of another partition may only be referred to when its own event is in the log: then it is
entered in the index (`warc.payload_index`). This process finds it from then on, others some seconds
later. Payloads that a kill removes from the index are stored again when they come again. A payload
has a tag there, a hash of its digest and of the form in which it was sent.

Memory: the payloads since the last commit, at most `MOST_WAITING`; those beyond are stored again
when they come again.

Always true:
  * the index names only records whose event the log had when they were entered;
  * the record was read, and has the digest of the payload, all 160 bits;
  * it was sent in the same form (status, codings), so that the revisit's head fits its body;
  * a page that must not be archived for others (`noarchive`) is not an original.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from lycosa.errors import StoreError
from lycosa.model.records import Answer, Capture, Place
from lycosa.storage.archive._appending import Recent
from lycosa.storage.warc import warc_format
from lycosa.storage.warc.exchange import Earlier, Message, earlier_in, payload_digest_in
from lycosa.storage.warc.http_messages import parse_head, payload_of, split_block
from lycosa.storage.warc.payload_index import PayloadIndex
from lycosa.storage.warc.record_reader import (
    Read,
    WarcFiles,
    read_beginning,
    read_head,
    read_member,
)

ReadBy = Callable[[Place, Callable[[Read, Place], warc_format.Record]], warc_format.Record]


class Duplicates(Recent):
    """The payloads that the store of a worker may refer to; looked for and noted by `Recent`."""

    def __init__(self, folder: Path, read: ReadBy, files: WarcFiles) -> None:
        """`read` reads records, also those that are not flushed."""
        self._index = PayloadIndex(folder)
        super().__init__(self._index.find)
        self._read = read
        self._files = files
        self._settled = 0

    def mark(self) -> int:
        """Return a mark behind all that was stored so far."""
        return self._noted

    def settle(self, mark: int, partitions: Collection[int]) -> None:
        """Learn that the log has what these partitions stored before a mark.

        It is entered in the index: this process finds it at once, other ones some seconds later.
        Payloads that other partitions stored then are forgotten. Runs beside `look_for` and `note`.
        """
        settled = [self._waiting.popleft() for _ in range(mark - self._settled)]
        # Never back: what was noted behind a mark has no event that the log is known to have.
        self._settled = max(self._settled, mark)
        # Without an entry of ours, too: other workers have entered theirs.
        self._index.add_all(
            {key[0]: place for partition, key, place in settled if partition in partitions}
        )
        for _, key, place in settled:
            # A payload that could not be confirmed was stored again: then the later place stays.
            if self._recent.get(key) is place:
                self._recent.pop(key, None)

    def lose(self, partition: int) -> None:
        """Refer no later exchange of a partition to one that it has stored so far."""
        self._losses[partition] = self._losses.get(partition, 0) + 1

    def finish(self) -> None:
        """Let other processes and later runs find all that was settled."""
        self._index.finish()

    def close(self) -> None:
        """Close the index; nothing is found any more."""
        self._index.close()

    # -- inside ---------------------------------------------------------------------------

    def _confirmed(self, place: Place, answer: Answer, message: Message) -> Earlier | None:
        """Return the exchange at a place if it has this payload.

        The index may name a record that was removed or damaged since.
        """
        try:
            record = self._read(place, read_head)
            if record.type != "response":
                return None
            told = record.headers.get("WARC-Payload-Digest")
            if told is None:  # an answer in chunks has none, see `warc_format`
                record = self._read(place, read_member)
                head, sent = split_block(record.block)
                told = warc_format.digest(payload_of(parse_head(head)[1], sent))
            if told != message.payload_digest:
                return None
            return earlier_in(record, place, answer, self._files.name)
        except (StoreError, KeyError):
            return None

    def _held(self, capture: Capture, message: Message) -> Earlier | None:
        """Return the exchange that a page is held by, if the same was sent again."""
        place = capture.held
        if place is None or not place.length:
            return None
        try:
            behind = self._read(Place(place.segment, place.offset + place.length, 0), read_member)
            if payload_digest_in(behind) != message.payload_digest:
                return None
            return earlier_in(
                self._read(place, read_beginning), place, capture.answer, self._files.name
            )
        except StoreError:
            return None
