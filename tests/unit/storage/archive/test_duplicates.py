"""Equal payloads of other partitions, workers and runs: stored once, and never lost."""

from __future__ import annotations

import json
import os
import random
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace

from lycosa.model.records import Capture, Place
from lycosa.storage.archive import _appending
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.layout import KINDS, warc_names, warc_path
from lycosa.storage.archive.reader import captures
from lycosa.storage.segments.leaning import leaning_on
from lycosa.storage.segments.removal import forget_host
from lycosa.storage.segments.sealing import seal_dead
from lycosa.storage.wacz.parts import gather
from lycosa.storage.warc.payload_index import FILE
from lycosa.storage.warc.record_reader import members
from seeds import seeds
from unit.storage.archive.archived import always
from unit.storage.archive.exchanges import answer, capture, check_archive, chunked

PARTITIONS = 6
CHANCE = random.Random(12)
SAME = f"<html><title>same</title>{CHANCE.randbytes(2000).hex()}".encode()


def page(key: str, partition: int, body: bytes = SAME, number: int = 0) -> Capture:
    made = capture(number, body, key=key)
    return replace(made, request=replace(made.request, partition=partition))


def commit(store: ArchiveStore, *partitions: int) -> None:
    mark = store.mark()
    store.flush()
    store.settle(mark, partitions)


def kind(store: ArchiveStore, place: Place) -> str:
    stored = store.read(place)
    assert stored.body == SAME
    return stored.type


def test_only_what_the_log_has_is_referred_to_by_others(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    assert kind(store, store.append(page("org.a:/", 3))) == "response"
    assert kind(store, store.append(page("org.b:/", 4))) == "response", "not committed yet"
    assert kind(store, store.append(page("org.c:/", 3))) == "revisit", "the same partition"
    commit(store, 3)  # that of partition 4 was refused
    assert kind(store, store.append(page("org.d:/", 5))) == "revisit"
    store.lose(3, 1)
    assert kind(store, store.append(page("org.e:/", 3))) == "revisit", "what is durable stays"
    store.close()


def test_what_the_log_has_refused_is_referred_to_by_nobody(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    store.append(page("org.a:/", 3))
    store.lose(3, 1)
    commit(store, 4)
    for partition in (3, 4):
        place = store.append(page(f"org.p{partition}:/", partition))
        assert kind(store, place) == "response"
        store.lose(partition, 1)
    store.close()


def test_a_mark_of_before_makes_nothing_durable_that_came_later(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    before = store.mark()
    store.append(page("org.a:/", 3, b"another" * 100))
    commit(store, 3)
    store.settle(before, [3])
    mark = store.mark()
    store.append(page("org.b:/", 3))
    store.settle(mark, [3])
    assert kind(store, store.append(page("org.c:/", 4))) == "response"
    store.close()


def test_payloads_beyond_those_that_may_wait_are_stored_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_appending, "MOST_WAITING", 1)
    store = ArchiveStore(tmp_path)
    store.append(page("org.a:/", 3, b"another" * 100))
    for name in ("b", "c"):
        assert kind(store, store.append(page(f"org.{name}:/", 3))) == "response"
    commit(store, 3)
    store.append(page("org.d:/", 3))
    assert kind(store, store.append(page("org.e:/", 3))) == "revisit"
    store.close()


def test_what_is_stored_after_the_cut_is_not_durable_yet(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    mark = store.mark()
    store.append(page("org.a:/", 3))
    store.flush()
    store.settle(mark, [3])
    assert kind(store, store.append(page("org.b:/", 4))) == "response"
    store.close()


def test_a_later_run_and_another_worker_find_a_payload(tmp_path: Path) -> None:
    first, second = ArchiveStore(tmp_path), ArchiveStore(tmp_path, worker=1)
    first.append(page("org.a:/", 3))
    commit(first, 3)
    commit(second, 4)
    place = second.append(page("org.b:/", 4))
    assert kind(second, place) == "revisit"
    headers = next(r.headers for *_, r in members(_flushed(second)) if r.type == "revisit")
    assert headers["WARC-Refers-To-Filename"].startswith("lycosa-0-00001")
    for store in (first, second):
        store.seal(always, with_dead=False)
        store.close()
    later = ArchiveStore(tmp_path)
    assert kind(later, later.append(page("org.c:/", 5))) == "revisit"
    later.seal(always)
    later.close()
    assert [stored.body for stored in captures(tmp_path)] == [SAME] * 3
    check_archive(tmp_path, has_revisits=True)


def test_a_store_that_is_closed_leaves_all_payloads_to_later_runs(tmp_path: Path) -> None:
    first = ArchiveStore(tmp_path)
    first.append(page("org.a:/other", 3, SAME[::-1]))
    commit(first, 3)
    first.append(page("org.a:/", 3))
    commit(first, 3)
    assert kind(first, first.append(page("org.b:/", 4))) == "revisit", "the index may be behind"
    first.seal(always)
    first.close()
    later = ArchiveStore(tmp_path)
    assert kind(later, later.append(page("org.c:/", 5))) == "revisit"
    later.close()


def _flushed(store: ArchiveStore) -> Path:
    store.flush()
    name = next(name for name in warc_names(store.folder) if name.worker == store.worker)
    return warc_path(store.folder, name)


def test_a_body_smaller_than_a_revisit_is_stored(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    for size in (10, 200, 300, 500, 900, 2000):
        body = CHANCE.randbytes(size)
        sizes, kinds = [], []
        for number in range(2):
            place = store.append(page(f"org.h{number}:/{size}", number, body))
            sizes.append(place.length)
            kinds.append(store.read(place).type)
            commit(store, 0, 1)
        assert sizes[1] <= sizes[0] + 20, "the URL of one is a byte longer"
        assert kinds[1] == ("response" if size <= 200 else kinds[1])
        assert size < 500 or kinds[1] == "revisit"
    store.close()


def test_the_form_in_which_a_payload_was_sent_is_told_apart(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    html = ("Content-Type", "text/html")
    replies = [
        answer(SAME),
        answer(SAME, status=404),
        answer(SAME, headers=(html, ("Transfer-Encoding", "chunked")), sent=chunked(SAME)),
        answer(SAME, headers=(html, ("Content-Encoding", "x-unknown"))),
    ]
    kinds = []
    for turn in range(2):
        for number, reply in enumerate(replies):
            made = replace(page(f"org.h{number}:/{turn}", turn), answer=reply)
            place = store.append(made)
            stored = store.read(place)
            assert (stored.status, stored.payload) == (reply.status, SAME)
            kinds.append(stored.type)
        commit(store, 0, 1)
    assert kinds == ["response"] * 4 + ["revisit"] * 4
    store.close()


def test_a_page_that_is_withheld_is_no_original(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    store.append(replace(page("org.a:/", 3), is_withheld=True))
    commit(store, 3)
    assert kind(store, store.append(page("org.b:/", 4))) == "response"
    store.close()


@pytest.mark.parametrize("damage", ["index", "record", "removed", "other"])
def test_an_index_that_is_wrong_costs_room_and_nothing_else(tmp_path: Path, damage: str) -> None:
    store = ArchiveStore(tmp_path)
    original = store.append(page("org.a:/", 3))
    store.append(page("org.a:/other", 3, SAME[::-1]))
    commit(store, 3)
    store.seal(always)
    store.close()
    path, index = warc_path(tmp_path, warc_names(tmp_path)[0]), tmp_path / "warc" / FILE
    match damage:
        case "index":
            index.write_bytes(random.Random(9).randbytes(index.stat().st_size))
        case "record":
            content = bytearray(path.read_bytes())
            content[original.offset : original.offset + 300] = bytes(300)
            path.write_bytes(content)
        case "removed":
            forget_host(tmp_path, "a.org")
        case _:  # a place where no record begins
            place = original.offset.to_bytes(4, "little")
            before = index.read_bytes()
            assert before.count(place) >= 1
            index.write_bytes(before.replace(place, (1 << 20).to_bytes(4, "little")))
    later = ArchiveStore(tmp_path)
    assert kind(later, later.append(page("org.b:/", 4))) == "response"
    commit(later, 4)
    assert kind(later, later.append(page("org.c:/", 5))) == "revisit"
    later.close()


def test_no_page_of_any_partition_loses_its_body_when_a_host_is_forgotten(tmp_path: Path) -> None:
    for run in range(3):
        store = ArchiveStore(tmp_path)
        if run == 0:
            store.append(page("org.bad:/original", 0))
            commit(store, 0)
        for partition in range(1, 4):
            place = store.append(page(f"org.h{partition}:/run/{run}", partition))
            assert kind(store, place) == "revisit"
        commit(store, 1, 2, 3)
        store.seal(always)
        store.close()
    assert forget_host(tmp_path, "bad.org").records == 1
    assert [stored.body for stored in captures(tmp_path)] == [SAME] * 9
    check_archive(tmp_path, has_revisits=True)
    for name in warc_names(tmp_path):
        for _, _, record in members(warc_path(tmp_path, name)):
            assert "bad.org" not in str(record.headers)
    later = ArchiveStore(tmp_path)
    assert kind(later, later.append(page("org.bad:/original", 0))) == "response"
    later.close()


def test_what_a_sealed_revisit_refers_to_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another worker's segment may be open for long, and is synced at its sealing alone."""
    first, second = ArchiveStore(tmp_path), ArchiveStore(tmp_path, worker=1)
    original = first.append(page("org.a:/", 0))
    commit(first, 0)
    commit(second, 1)
    copy = second.append(page("org.b:/", 1))
    commit(second, 1)
    assert leaning_on(tmp_path, {original[:2]}) == {copy[:2]}
    assert leaning_on(tmp_path, {copy[:2]}) == set()
    synced: set[int] = set()

    def fsync(descriptor: int) -> None:
        synced.add(os.fstat(descriptor).st_ino)

    monkeypatch.setattr("os.fsync", fsync)
    second.seal(always, with_dead=False)
    files = [_flushed(first), *(tmp_path / kind / "lycosa-0-00001.arrows" for kind in KINDS)]
    assert {path.stat().st_ino for path in files} <= synced
    for store in (first, second):
        store.close()


def test_an_archive_for_replay_has_the_payloads_of_its_revisits(tmp_path: Path) -> None:
    """Another worker's segment is open when the one that leans on it is sealed."""
    first, second = ArchiveStore(tmp_path), ArchiveStore(tmp_path, worker=1)
    second.append(page("org.a:/before", 1, SAME[::-1]))
    second.seal(always, with_dead=False)
    first.append(page("org.a:/", 0))
    commit(first, 0)
    commit(second, 1)
    assert kind(second, second.append(page("org.b:/", 1))) == "revisit"
    commit(second, 1)
    second.seal(always, with_dead=False)
    second.append(page("org.c:/", 1, SAME + b"c"))
    commit(second, 1)  # its own open segment is no reason to wait
    assert _replayed(tmp_path) == ["http://a.org/before"]
    for store in (first, second):
        store.seal(always, with_dead=False)
        store.close()
    assert len(_replayed(tmp_path)) == 4


def _replayed(folder: Path) -> list[str]:
    """Return the pages in the archive; each revisit has its payload in one of its files."""
    sources = {member.name: member.source for member in gather(folder).members}
    kept = {
        (path.name, offset): record
        for name, path in sources.items()
        if name.startswith("archive/") and isinstance(path, Path)
        for offset, _, record in members(path)
    }
    for record in kept.values():
        if record.type == "revisit":
            file = record.headers["WARC-Refers-To-Filename"]
            place = (file, int(record.headers["WARC-Refers-To-File-Offset"]))
            assert kept[place].type == "response"
    listed = sources["pages/pages.jsonl"]
    assert isinstance(listed, Path)
    return [json.loads(line)["url"] for line in listed.read_text().splitlines()[1:]]


class Lives:
    """Workers that store pages of few different payloads, and die; the log is a list of commits."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance, self.folder = random.Random(seed), folder
        self.bodies = [self.chance.randbytes(1500) for _ in range(8)]
        self.commits: list[dict[Place, bytes]] = []
        self.numbers = count()
        self.begin()

    def begin(self) -> None:
        self.stores = [ArchiveStore(self.folder, worker=n, roll_bytes=200_000) for n in range(2)]
        self.pending: list[dict[Place, bytes]] = [{}, {}]

    def step(self) -> None:
        worker = self.chance.randrange(2)
        store, pending = self.stores[worker], self.pending[worker]
        if self.chance.random() < 0.8:
            partition = self.chance.randrange(worker, PARTITIONS, 2)
            number, body = next(self.numbers), self.chance.choice(self.bodies)
            key = f"org.h{self.chance.randrange(20)}p{partition}:/{number}"
            pending[store.append(page(key, partition, body, number))] = body
            return
        mark = store.mark()
        store.flush()
        self.commits.append(dict(pending))
        pending.clear()
        if self.chance.random() < 0.9:  # else it dies before the store is told
            store.settle(mark, range(worker, PARTITIONS, 2))

    def die(self, lost_commits: int) -> None:
        """Kill all workers; a power cut also takes the last commits from the log."""
        for store in self.stores:
            if self.chance.random() < 0.5:
                store.flush()
            store.abandon()
        for _ in range(min(lost_commits, len(self.commits))):
            if self.commits[-1].keys() & self.sealed():  # a sealing syncs the log before
                break
            self.commits.pop()
        counted = self.counted()
        seal_dead(self.folder, lambda place, key: place in counted)
        self.begin()

    def sealed(self) -> set[Place]:
        names = {path.name[:14] for path in (self.folder / "cdx").glob("*.cdxj")}
        return {
            place for one in self.commits for place in one if f"{place.segment:05d}" in str(names)
        }

    def counted(self) -> dict[Place, bytes]:
        return {place: body for one in self.commits for place, body in one.items()}

    def check(self) -> int:
        """Read every page that counts; return how many have their payload elsewhere."""
        counted = self.counted()
        kinds = [self._read(place, body) for place, body in counted.items()]
        return kinds.count("revisit")

    def _read(self, place: Place, body: bytes) -> str:
        stored = self.stores[0].read(place)
        assert stored.body == body, place
        return stored.type


@pytest.mark.parametrize("seed", seeds(1, 10))
@pytest.mark.parametrize("lost_commits", [0, 3])
def test_after_kills_and_cuts_every_revisit_has_its_payload(
    tmp_path: Path, seed: int, lost_commits: int
) -> None:
    lives = Lives(tmp_path, seed)
    for _ in range(20):
        for _ in range(lives.chance.randrange(5, 60)):
            lives.step()
        lives.die(lives.chance.randint(0, lost_commits))
    assert lives.check() > 0.8 * len(lives.counted()) > 100
    check_archive(tmp_path, has_revisits=True)
