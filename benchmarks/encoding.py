"""Compares encodings of the log's events: bytes, and time to write and read.

    python benchmarks/encoding.py [--batches 2000] [--repeats 5] [--json]

The same made-up events, in batches of 22 (what 11 pages leave in one partition between two
commits): for each page a `Fetched` and an `Admitted`; one event in 50 is a `HostChanged`.
Two mixes: the *beginning* of a crawl, when all 35 links of every page are new, and its
*middle*, when that is so on one page in ten and one or two are new on the others. Every way
writes and reads them in the same run:

    msgspec            Lycosa's batches: tagged MessagePack arrays, read back as records
    msgspec, no check  the same bytes read as plain lists: what the checked records cost
    pickle, records    the records themselves
    pickle, lists      the same data as plain lists
    json, lists        the same data as plain lists
    json, dicts        the same data with the names of the fields

and each batch is also compressed, by zstd at level 3, for itself, and all batches of a
log together, as the archive does.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
import zstandard

from lycosa.model.records import Admitted, AnyEvent, Fetched, HostChanged, Outcome, Place
from lycosa.storage.log.format import decode_events, encode

SEED = 1
EVENTS_IN_BATCH = 22
LEVEL = 3
MIXES = {"beginning": 1.0, "middle": 0.1}

Batch = list[AnyEvent]


class Keys:
    """URLs of about 60 bytes whose words repeat as those of a site's URLs do."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        syllables = [a + b for a in "bdfgklmnprst" for b in "aeiou"]
        self._words = ["".join(chance.choices(syllables, k=3)) for _ in range(2000)]

    def key(self, host: int) -> str:
        chance = self._chance
        words = chance.choices(self._words[: chance.choice((20, 200, 2000))], k=4)
        return f"org.{self._words[host]}.www:s/{'/'.join(words)}-{chance.randrange(10**6)}.html"


def made_up(batches: int, share_of_rich_pages: float) -> list[Batch]:
    chance = random.Random(SEED)
    keys = Keys(chance)
    moment = 1_700_000_000.0
    page = 0
    result: list[Batch] = []
    for _ in range(batches):
        batch: Batch = []
        while len(batch) < EVENTS_IN_BATCH:
            moment += chance.expovariate(20)
            host = chance.randrange(300)
            size = int(chance.lognormvariate(9.6, 0.9))
            if chance.random() < 0.04:
                batch.append(HostChanged(moment, host, moment + chance.uniform(60, 90), 1))
            place = Place(chance.randrange(9), chance.randrange(1 << 30), size // 4)
            batch.append(Fetched(moment, page, Outcome.KEPT, 200, size, 0.0, moment + 15.0, place))
            new = 35 if chance.random() < share_of_rich_pages else chance.randint(1, 2)
            found = [keys.key(host) for _ in range(new)]
            distance = 21 * chance.randint(1, 6)
            batch.append(Admitted(moment, keys.key(host), found, [distance] * new))
            page += 1
        result.append(batch)
    return result


class Way(NamedTuple):
    """One form of a batch; `shape` makes of the records what it writes."""

    name: str
    shape: Callable[[Batch], Any]
    write: Callable[[Any], bytes]
    read: Callable[[bytes], object]


def as_lists(batch: Batch) -> Any:
    return msgspec.to_builtins((1, batch))


def as_dicts(batch: Batch) -> Any:
    return [
        {"type": type(event).__name__, **{name: plain(value) for name, value in fields(event)}}
        for event in batch
    ]


def fields(event: AnyEvent) -> Iterable[tuple[str, Any]]:
    return ((name, getattr(event, name)) for name in event.__struct_fields__)


def plain(value: Any) -> Any:
    return msgspec.to_builtins(value)


def write_json(data: Any) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode()


WAYS = (
    Way("msgspec", lambda batch: batch, encode, decode_events),
    Way("msgspec, no check", lambda batch: batch, encode, msgspec.msgpack.decode),
    Way("pickle, records", lambda batch: batch, lambda data: pickle.dumps(data, 5), pickle.loads),
    Way("pickle, lists", as_lists, lambda data: pickle.dumps(data, 5), pickle.loads),
    Way("json, lists", as_lists, write_json, json.loads),
    Way("json, dicts", as_dicts, write_json, json.loads),
)


class Figures(NamedTuple):
    """One way: µs and bytes an event."""

    way: str
    write: float
    read: float
    size: float
    zstd_size: float
    zstd_write: float
    zstd_read: float
    archive_size: float


def best(repeats: int, work: Callable[[Any], object], items: Sequence[Any]) -> float:
    """The CPU time of the quickest run over all items, in µs; nothing is kept of them."""
    taken = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        for item in items:
            work(item)
        taken = min(taken, time.process_time() - start)
    return taken * 1e6


def measure(way: Way, batches: list[Batch], repeats: int) -> Figures:
    events = sum(map(len, batches))
    shaped = [way.shape(batch) for batch in batches]
    written = [way.write(data) for data in shaped]
    compress = zstandard.ZstdCompressor(level=LEVEL).compress
    decompress = zstandard.ZstdDecompressor().decompress
    packed = [compress(data) for data in written]
    together = [compress(b"".join(written[n : n + 200])) for n in range(0, len(written), 200)]
    return Figures(
        way.name,
        best(repeats, way.write, shaped) / events,
        best(repeats, way.read, written) / events,
        sum(map(len, written)) / events,
        sum(map(len, packed)) / events,
        best(repeats, compress, written) / events,
        best(repeats, decompress, packed) / events,
        sum(map(len, together)) / events,
    )


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def report(figures: list[Figures]) -> str:
    ours = figures[0]
    rows = [
        [
            way.way,
            f"{way.write:.2f} ({way.write / ours.write:.1f})",
            f"{way.read:.2f} ({way.read / ours.read:.1f})",
            f"{way.size:.0f} ({way.size / ours.size:.2f})",
            f"{way.zstd_size:.0f}",
            f"{way.zstd_write:.2f}",
            f"{way.zstd_read:.2f}",
            f"{way.archive_size:.0f}",
        ]
        for way in figures
    ]
    header = [
        "an event, as",
        "write, µs (ratio)",
        "read, µs (ratio)",
        "bytes (ratio)",
        "bytes, zstd a batch",
        "zstd, µs",
        "unzstd, µs",
        "bytes, zstd 200 batches",
    ]
    return table(header, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--batches", type=int, default=2_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = {
        mix: [measure(way, made_up(options.batches, share), options.repeats) for way in WAYS]
        for mix, share in MIXES.items()
    }
    if options.json:
        print(json.dumps({mix: [way._asdict() for way in ways] for mix, ways in found.items()}))
        return
    for mix, figures in found.items():
        print(f"{mix} of a crawl\n\n{report(figures)}\n")


if __name__ == "__main__":
    main()
