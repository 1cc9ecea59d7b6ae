"""Spilled sites of many frames and chunks give the same answers and take little memory."""

from __future__ import annotations

import errno
import random
import tracemalloc
from pathlib import Path

import pytest

from lycosa.frontier.urltable import CompactUrlTable, FileVault, MemoryVault
from lycosa.frontier.urltable.chunks import CHUNK_FRAMES, FRAME_URLS
from lycosa.frontier.urltable.vaults import Extent

WORDS = ["spider", "web", "silk", "thread", "orb", "wolf", "funnel", "jump"]


def made_up(count: int) -> list[str]:
    """Return keys of one site, in no order."""
    chance = random.Random(11)
    return [
        f"org.example:s/{'-'.join(chance.choices(WORDS, k=3))}/{chance.randrange(10**6)}/{number}"
        for number in range(count)
    ]


class FullVault(MemoryVault):
    """Has room for so many pieces."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.left = most
        self.dropped: list[Extent] = []

    def put(self, data: bytes) -> Extent:
        if not self.left:
            raise OSError(errno.ENOSPC, "full")
        self.left -= 1
        return super().put(data)

    def drop(self, extent: Extent) -> None:
        super().drop(extent)
        self.dropped.append(extent)


def test_a_large_site_has_a_dictionary_and_gives_everything_back(tmp_path: Path) -> None:
    count = FRAME_URLS * CHUNK_FRAMES * 2 + 5_000
    keys = made_up(count)
    vault = FileVault(tmp_path)
    table = CompactUrlTable(vault)
    table.add_many(keys)
    marked = range(3, count, 1_001)
    for number in marked:
        table.mark(number)
    in_order = list(table.walk())
    assert table.spill(0)
    assert vault.size_bytes() < 13 * count
    chance = random.Random(2)
    for number in chance.sample(range(count), 300):
        assert table.key(number) == keys[number]
        assert table.find(keys[number]) == number
        assert table.find(keys[number] + "0") is None
        assert table.is_marked(number) == (number in marked)
    assert table.find("org.example:s/") is None
    assert table.find("org.example:s/zzz") is None
    assert list(table.walk()) == in_order
    table.bring_back(0)
    assert vault.size_bytes() == 0
    assert list(table.walk()) == in_order
    assert [number for number in range(count) if table.is_marked(number)] == list(marked)
    table.check()


def test_a_spilled_url_keeps_less_than_two_bytes_in_memory() -> None:
    keys = made_up(80_000)
    table = CompactUrlTable()
    table.add_many(keys)
    held = table.bytes_held()
    table.spill(0)
    assert table.bytes_in_use() < held / 3
    table.tighten()
    assert table.bytes_held() < 2 * len(keys)
    table.bring_back(0)
    table.spill(0)
    table.tighten()
    assert table.bytes_held() < 2 * len(keys)
    assert [table.key(number) for number in range(0, 80_000, 997)] == keys[::997]


def test_many_small_sites_keep_little_in_memory_and_give_everything_back(tmp_path: Path) -> None:
    sites, urls = 500, 20
    keys = [f"com.site{n % sites}:s/page/{n // sites}" for n in range(sites * urls)]
    vault = FileVault(tmp_path)
    table = CompactUrlTable(vault)
    table.add_many(keys)
    table.mark(7 * sites + 3)
    in_order = list(table.walk())
    tracemalloc.start()
    for site in range(sites):
        assert table.spill(site)
    table.tighten()
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 400 * sites
    assert list(table.walk()) == in_order
    assert table.find_many(keys) == list(range(len(keys)))
    assert [table.key(number) for number in range(len(keys))] == keys
    for missing in ("/", "/page/", "/page/99", "/z"):
        assert table.find(f"com.site3:s{missing}") is None
    assert table.marked(3) == 1 and table.is_marked(7 * sites + 3)
    copy = CompactUrlTable()
    copy.unpack(table.pack())
    assert list(copy) == keys
    for site in range(sites):
        table.bring_back(site)
    assert list(table.walk()) == in_order
    assert vault.size_bytes() == 0


def test_tightening_keeps_what_lives_between_what_is_spilled() -> None:
    """Numbers of a live site stand among spilled ones: packed, opened and packed again."""
    names = ["org.alive", *(f"org.spilled{number}" for number in range(5))]
    keys = [f"{names[n % 6]}:/{n * 7919 % 10**6}/{n}" for n in range(50_000)]
    table = CompactUrlTable()
    table.add_many(keys)
    table.wake(0)
    for site in range(1, 6):
        assert table.spill(site)
    table.tighten()
    table.check()
    table.add_many([f"org.alive:/{n * 104729 % 10**6}/new" for n in range(9_000)])
    table.check()
    table.tighten()
    table.check()
    table.bring_back(3)
    table.check()
    for number in range(0, 50_000, 701):
        assert table.key(number) == keys[number]
        assert table.find(keys[number]) == number


@pytest.mark.parametrize("room", [0, 1, 5, 20])
def test_a_site_for_which_the_disk_has_no_room_stays_where_it_is(room: int) -> None:
    keys = made_up(50_000)
    vault = FullVault(room)
    table = CompactUrlTable(vault)
    table.add_many(keys)
    with pytest.raises(OSError, match="full"):
        table.spill(0)
    assert len(vault.dropped) == room
    assert not table.is_spilled(0)
    assert table.find_many(keys[::777]) == list(range(0, 50_000, 777))
    table.check()


def test_arrays_of_many_megabytes_grow_and_shrink() -> None:
    """Beyond four megabytes an array has a mapping of its own, which moves when it grows."""
    keys = made_up(300_000)
    table = CompactUrlTable()
    assert table.add_many(keys) == list(range(300_000))
    assert table.bytes_held() > 2**23
    assert table.find_many(keys[::7]) == list(range(0, 300_000, 7))
    table.tighten()
    table.check()
    assert table.find_many(keys[::11]) == list(range(0, 300_000, 11))
    table.spill(0)
    table.tighten()
    assert table.bytes_held() < 2**21
    table.bring_back(0)
    table.check()
    assert [table.key(number) for number in range(0, 300_000, 13)] == keys[::13]
