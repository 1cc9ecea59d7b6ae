"""Quads in segments: written with their page, sealed with it, dropped and forgotten with it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pyoxigraph
import pytest
import zstandard

from lycosa.errors import StoreError
from lycosa.model.records import Capture, Outcome, Place
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.layout import Name, quad_journal_path, quad_names, quads_path
from lycosa.storage.archive.reader import table
from lycosa.storage.segments.removal import forget_host
from lycosa.storage.segments.sealing import seal_dead
from lycosa.storage.tables.quads import Block, QuadJournal, blocks, quads_of, write_sealed
from unit.storage.archive.exchanges import capture, robots

FIRST = Name(1, 0)


def saying(number: int, triples: bytes | None, key: str = "") -> Capture:
    return msgspec.structs.replace(capture(number, key=key), triples=triples)


def triple(number: int, text: str = "text") -> bytes:
    return f'<http://x.test/{number}> <http://p.test/p> "{text} .\\n" .\n'.encode()


def everything(place: Place, key: str) -> bool:
    return True


def test_what_a_page_says_stands_beneath_a_comment_that_names_the_fetch(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    store.append(saying(1, triple(1) + triple(2)))
    store.append(saying(2, b""))
    store.append(saying(3, None))
    store.append(robots(4))
    store.flush()
    store.seal(everything)
    rows = {row["url"]: row for row in table(tmp_path, "pages").to_pylist()}
    found = list(blocks(quads_path(tmp_path, FIRST)))
    assert [block.url for block in found] == [f"http://example.org/page/{n}" for n in (1, 2)]
    for block in found:
        row = rows[block.url]
        assert block.fetch_id == row["fetch_id"]
        assert block.fetched_at == round(row["fetched_at"].timestamp() * 1e6)
    quads = list(pyoxigraph.parse(found[0].quads, pyoxigraph.RdfFormat.N_QUADS))
    assert {quad.graph_name.value for quad in quads} == {"http://example.org/page/1"}
    assert [quad.object.value for quad in quads] == ["text .\n"] * 2
    assert found[1].quads == b""


def test_other_tools_read_a_sealed_file(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    for number in range(50):
        store.append(saying(number, triple(number)))
        store.flush()
    store.seal(everything)
    with quads_path(tmp_path, FIRST).open("rb") as file:
        plain = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()
    assert len(list(pyoxigraph.parse(plain, pyoxigraph.RdfFormat.N_QUADS))) == 50


def test_a_crawl_without_structured_data_has_no_files_of_it(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    store.append(capture(1))
    store.seal(everything)
    assert list((tmp_path / "triples").iterdir()) == []


def test_one_frame_a_flush_while_the_segment_is_open(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    for number in range(3):
        store.append(saying(number * 2, triple(1)))
        store.append(saying(number * 2 + 1, triple(2)))
        store.flush()
    content = quad_journal_path(tmp_path, FIRST).read_bytes()
    frames = 0
    while content:
        frame = zstandard.ZstdDecompressor().decompressobj()
        frame.decompress(content)
        content, frames = frame.unused_data, frames + 1
    assert frames == 3
    store.abandon()


def test_what_a_kill_left_without_an_event_is_dropped(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    places = [store.append(saying(number, triple(number))) for number in range(10)]
    store.flush()
    store.append(saying(10, triple(10)))  # never flushed
    store.abandon()
    counted = set(places[:4] + places[6:7])
    seal_dead(tmp_path, lambda place, key: place in counted)
    found = [block.url for block in blocks(quads_path(tmp_path, FIRST))]
    assert found == [f"http://example.org/page/{number}" for number in (0, 1, 2, 3, 6)]


def test_quads_of_a_page_whose_row_was_never_flushed_are_dropped(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    store.append(saying(1, triple(1)))
    store.flush()
    store.abandon()
    with quad_journal_path(tmp_path, FIRST).open("ab") as file:
        stray = Block("http://example.org/stray", 7, 7, quads_of(triple(7), "http://x.test/"))
        file.write(zstandard.ZstdCompressor().compress(stray.written()))
    seal_dead(tmp_path, everything)
    assert [block.url for block in blocks(quads_path(tmp_path, FIRST))] == [
        "http://example.org/page/1"
    ]


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_half_a_frame_at_the_end_of_a_journal_is_passed_over(cut: int, tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    store.append(saying(1, triple(1)))
    store.flush()
    store.abandon()
    path = quad_journal_path(tmp_path, FIRST)
    half = zstandard.ZstdCompressor().compress(b"# page <x> fetch 1 at 1\n" * 20)[:-cut]
    path.write_bytes(path.read_bytes() + half)
    seal_dead(tmp_path, everything)
    assert [block.url for block in blocks(quads_path(tmp_path, FIRST))] == [
        "http://example.org/page/1"
    ]


@pytest.mark.parametrize("name", ["seal.cut", "seal.written", "seal.renamed", "seal.removed"])
def test_sealing_that_was_killed_is_done_again(name: str, tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    def kill(reached: str) -> None:
        if reached == name:
            raise Killed

    store = ArchiveStore(tmp_path)
    for number in range(5):
        store.append(saying(number, triple(number)))
    store.flush()
    store.abandon()
    with pytest.raises(Killed):
        seal_dead(tmp_path, everything, kill)
    seal_dead(tmp_path, everything)
    assert len(list(blocks(quads_path(tmp_path, FIRST)))) == 5
    assert not quad_journal_path(tmp_path, FIRST).exists()


def test_forgetting_a_host_takes_its_quads(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    for number in range(20):
        host = "org.bad" if number % 2 else "org.example"
        store.append(saying(number, triple(number), key=f"{host}:/page/{number}"))
        if number == 10:
            store.roll()
    store.seal(everything)
    before = quads_path(tmp_path, Name(2, 0)).read_bytes()
    forget_host(tmp_path, "bad.org")
    assert forget_host(tmp_path, "bad.org").rows == 0
    names = quad_names(tmp_path)
    assert len(names) == 2
    left = [block.url for name in names for block in blocks(quads_path(tmp_path, name))]
    assert left == [f"http://example.org/page/{number}" for number in range(0, 20, 2)]
    assert quads_path(tmp_path, Name(2, 0)).read_bytes() != before
    plain = b"".join(
        block.written() for name in names for block in blocks(quads_path(tmp_path, name))
    )
    assert b"bad.org" not in plain


def test_blocks_are_read_whole_wherever_the_reader_cuts(tmp_path: Path) -> None:
    made = [
        Block(f"http://x.test/{n}", n - 500, n, triple(n, "x" * (n % 97)) * (n % 3))
        for n in range(3000)
    ]
    path = tmp_path / "many.nq.zst"
    write_sealed(path, made)
    assert list(blocks(path)) == made
    journal = QuadJournal(tmp_path / "open")
    for start in range(0, 3000, 100):
        journal.append([block.written() for block in made[start : start + 100]])
    journal.file.flush(is_synced=False)
    assert list(blocks(tmp_path / "open", is_sealed=False)) == made


def test_a_damaged_sealed_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "x.nq.zst"
    write_sealed(path, [Block("http://x.test/", 1, 1, triple(1))] * 100)
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(StoreError, match=r"x\.nq\.zst"):
        list(blocks(path))


def test_the_outcome_does_not_matter_to_what_is_written(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    gone = capture(1, outcome=Outcome.NOT_FOUND, links=0)
    store.append(msgspec.structs.replace(gone, triples=b""))
    store.seal(everything)
    assert [block.quads for block in blocks(quads_path(tmp_path, FIRST))] == [b""]
