"""Measures bytes and microseconds per known URL, in the URL table and in other structures.

    python benchmarks/bench_urltable.py [file of URLs, one a line; .xz is unpacked]
                                        [--generated 10000000] [--frontier 10000000] [--no-rivals]

The URLs of the file (or as many made-up ones as `--generated` says) are shuffled, added one by
one, looked up in another order, and asked for by number in a third. In each case the table is
called from a Python loop, the least of several runs is taken, and it is the time of the
processor that counts. Bytes hold URL → number, number → URL and the counts, where a rival has
them at all; what it lacks is a dash.

`marisa-trie` and `rocksdict` are measured where they are installed (requirements/bench.in).
The AVL tree with delta coding (KSpider 2.3) and the trie of characters (RDFa spider 4.5) are
plain Python, on a part of the list: their bytes are those of the fields that the papers name,
their times only say how many nodes are visited.

`--frontier` gives 64 partitions that number of URLs on a hundredth as many hosts, and measures
resident memory, the snapshots of all, and the resume from them.
"""

from __future__ import annotations

import argparse
import importlib
import lzma
import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from xxhash import xxh3_64_intdigest

from lycosa.cluster.partitioners import make_partitioner
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.memory_limit import LEAST_URLS
from lycosa.frontier.urltable import CompactUrlTable, FileVault
from lycosa.log.snapshot import SnapshotFolder
from lycosa.records import Admitted
from lycosa.url import canonical_keys

REPEATS = 3
LARGE = 2_000_000
"""Longer lists are measured once, and are not spilled."""
SMALL = 50_000
"""How many URLs the plain trees of the papers are given."""
WORDS = [a + b + c for a in "bdfgkl" for b in ("an", "er", "ist", "ong") for c in "aeiou"]


class Row(NamedTuple):
    """One line of the result; times in microseconds, None where it cannot be done."""

    name: str
    bytes_each: float | None
    add: float | None
    find: float | None
    key: float | None


def spent(work: Callable[[], object], count: int) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) / count * 1e6


def each(call: Callable[[Any], object], values: Iterable[Any]) -> Callable[[], None]:
    def work() -> None:
        for value in values:
            call(value)

    return work


def shuffled(values: Iterable[Any], seed: int) -> list[Any]:
    result = list(values)
    random.Random(seed).shuffle(result)
    return result


def keys_of_file(path: Path) -> list[str]:
    with lzma.open(path, "rt") if path.suffix == ".xz" else path.open() as file:
        found = canonical_keys([line.rstrip("\n") for line in file], "http://nowhere.test/")
    return shuffled(sorted({key for key in found if key}), 5)


def made_up(count: int) -> Iterator[str]:
    """Yield keys, different ones, on a hundredth as many hosts, some of them large."""
    chance = random.Random(3)
    hosts = count // 100 or 1
    for number in range(count):
        host = int(hosts * chance.random() ** 3)
        folder = WORDS[(host + number % 7) % len(WORDS)]
        page = f"{WORDS[number % 113]}-{WORDS[number // 113 % 97]}-{number}"
        yield f"com.{WORDS[host % 119]}{host}.www:s/{folder}/{page}.html"


# -- tables -------------------------------------------------------------------------------


def lycosa(keys: list[str]) -> Row:
    best = Row("Lycosa", 1e9, 1e9, 1e9, 1e9)
    wanted, numbers = shuffled(keys, 7), shuffled(range(len(keys)), 8)
    for _ in range(REPEATS if len(keys) <= LARGE else 1):
        table = CompactUrlTable()
        row = Row(
            "Lycosa",
            None,
            spent(each(table.add, keys), len(keys)),
            spent(each(table.find, wanted), len(keys)),
            spent(each(table.key, numbers), len(keys)),
        )
        held = table.bytes_held() / len(keys)
        best = Row(
            "Lycosa",
            held,
            *(min(a, b) for a, b in zip(best[2:], row[2:], strict=True) if a and b),
        )
    return best


def lycosa_spilled(keys: list[str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        vault = FileVault(Path(folder))
        table = CompactUrlTable(vault)
        table.add_many(keys)
        sites = [n for n in range(table.site_count()) if table.site_urls(n) >= LEAST_URLS]
        spilling = spent(each(table.spill, sites), len(keys))
        table.tighten()
        some = random.Random(9).sample(keys, 300)
        finding = spent(each(table.find, some), len(some))
        return [
            f"spilled: {vault.size_bytes() / len(keys):.1f} bytes on disk and"
            f" {table.bytes_held() / len(keys):.1f} in memory per URL;"
            f" {spilling:.1f} µs per URL to spill, {finding:.0f} µs per find"
        ]


def crawl_order(urls: int, links: int = 50) -> list[str]:
    """Measure `add_many` with the links of one page after the other.

    Of a page's links two fifths are the menu of its site, two fifths pages near it, most of
    them known, and a fifth of them new.
    """
    chance = random.Random(4)
    sites = max(urls // 2000, 1)
    known = [0] * sites
    pages = []
    count = 0
    while count < urls:
        site = chance.randrange(sites)
        name = f"com.{WORDS[site % 119]}{site}.www:s"
        menu = [f"{name}/menu/{WORDS[n]}" for n in range(links * 2 // 5)]
        first = max(known[site] - links * 2 // 5, 0)
        last = known[site] + links // 5
        near = [f"{name}/{WORDS[n // 50 % 119]}/page-{n}.html" for n in range(first, last)]
        count += last - known[site]
        known[site] = last
        pages.append(menu + near)
    total = sum(map(len, pages))
    best = min(spent(each(CompactUrlTable().add_many, pages), total) for _ in range(REPEATS))
    return [f"in the order of a crawl: {best:.2f} µs per link by add_many ({total:,} links)"]


def python_set(keys: list[str]) -> Row:
    known: set[str] = set()
    add = spent(each(known.add, keys), len(keys))
    held = sys.getsizeof(known) + sum(map(sys.getsizeof, keys))
    find = spent(each(known.__contains__, shuffled(keys, 7)), len(keys))
    return Row("set of str", held / len(keys), add, find, None)


def python_dict(keys: list[str]) -> Row:
    known: dict[int, int] = {}

    def add(key: str) -> None:
        known.setdefault(xxh3_64_intdigest(key.encode()), len(known))

    def find(key: str) -> int | None:
        return known.get(xxh3_64_intdigest(key.encode()))

    adding = spent(each(add, keys), len(keys))
    finding = spent(each(find, shuffled(keys, 7)), len(keys))
    held = sys.getsizeof(known) + (36 + 28) * len(keys)
    return Row("dict of 64-bit hashes", held / len(keys), adding, finding, None)


def marisa(keys: list[str]) -> Row | None:
    try:
        module: Any = importlib.import_module("marisa_trie")
    except ImportError:
        return None
    made: list[Any] = []
    building = spent(lambda: made.append(module.Trie(keys)), len(keys))
    trie = made[0]
    finding = spent(each(trie.__getitem__, shuffled(keys, 7)), len(keys))
    naming = spent(each(trie.restore_key, shuffled(range(len(keys)), 8)), len(keys))
    held = len(trie.tobytes()) / len(keys)
    return Row("marisa-trie (built once)", held, building, finding, naming)


def rocks(keys: list[str]) -> Row | None:
    try:
        module: Any = importlib.import_module("rocksdict")
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        forth, back = module.Rdict(f"{folder}/forth"), module.Rdict(f"{folder}/back")

        def add(pair: tuple[int, str]) -> None:
            if pair[1] not in forth:
                forth[pair[1]] = pair[0]
                back[pair[0]] = pair[1]

        adding = spent(each(add, list(enumerate(keys))), len(keys))
        finding = spent(each(forth.get, shuffled(keys, 7)), len(keys))
        naming = spent(each(back.get, shuffled(range(len(keys)), 8)), len(keys))
        forth.close()
        back.close()
        held = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    return Row("rocksdict, both ways", held / len(keys), adding, finding, naming)


def sqlite(keys: list[str]) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "urls.db"
        base = sqlite3.connect(path)
        base.execute("create table urls (number integer primary key, key text unique)")
        insert = "insert or ignore into urls (key) values (?)"
        adding = spent(each(lambda key: base.execute(insert, (key,)), keys), len(keys))
        base.commit()
        by_key = "select number from urls where key = ?"
        by_number = "select key from urls where number = ?"
        finding = spent(
            each(lambda key: base.execute(by_key, (key,)).fetchone(), shuffled(keys, 7)), len(keys)
        )
        naming = spent(
            each(
                lambda number: base.execute(by_number, (number + 1,)).fetchone(),
                shuffled(range(len(keys)), 8),
            ),
            len(keys),
        )
        base.close()
        return Row(
            "SQLite, one transaction", path.stat().st_size / len(keys), adding, finding, naming
        )


class AvlTree:
    """KSpider 2.3: each URL as what it shares with the best of its ancestors, and the rest."""

    def __init__(self) -> None:
        self.reference: list[int] = []
        self.shared: list[int] = []
        self.tail: list[str] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.height: list[int] = []
        self.root = -1

    def key(self, node: int) -> str:
        parts = []
        size = -1
        while node >= 0:
            tail, shared = self.tail[node], self.shared[node]
            if size < 0:
                parts.append(tail)
                size = shared
            elif shared < size:
                parts.append(tail[: size - shared])
                size = shared
            node = self.reference[node] if size else -1
        return "".join(reversed(parts))

    def find(self, key: str) -> int | None:
        node = self.root
        while node >= 0:
            here = self.key(node)
            if here == key:
                return node
            node = self.left[node] if key < here else self.right[node]
        return None

    def add(self, key: str) -> int:
        path: list[int] = []
        node, best, shared = self.root, -1, 0
        while node >= 0:
            here = self.key(node)
            if here == key:
                return node
            common = _common(here, key)
            if common > shared:
                best, shared = node, common
            path.append(node)
            node = self.left[node] if key < here else self.right[node]
        new = len(self.tail)
        self.reference.append(best)
        self.shared.append(shared)
        self.tail.append(key[shared:])
        for column in (self.left, self.right):
            column.append(-1)
        self.height.append(1)
        if not path:
            self.root = new
        elif key < self.key(path[-1]):
            self.left[path[-1]] = new
        else:
            self.right[path[-1]] = new
        self._balance(path)
        return new

    def _balance(self, path: list[int]) -> None:
        while path:
            node = path.pop()
            lean = self._tall(self.left[node]) - self._tall(self.right[node])
            top = node
            if lean > 1:
                child = self.left[node]
                if self._tall(self.left[child]) < self._tall(self.right[child]):
                    self.left[node] = self._turn(child, self.right, self.left)
                top = self._turn(node, self.left, self.right)
            elif lean < -1:
                child = self.right[node]
                if self._tall(self.right[child]) < self._tall(self.left[child]):
                    self.right[node] = self._turn(child, self.left, self.right)
                top = self._turn(node, self.right, self.left)
            else:
                self._measure(node)
            if not path:
                self.root = top
            elif self.left[path[-1]] == node:
                self.left[path[-1]] = top
            elif self.right[path[-1]] == node:
                self.right[path[-1]] = top

    def _turn(self, node: int, one: list[int], other: list[int]) -> int:
        child = one[node]
        one[node], other[child] = other[child], node
        self._measure(node)
        self._measure(child)
        return child

    def _tall(self, node: int) -> int:
        return self.height[node] if node >= 0 else 0

    def _measure(self, node: int) -> None:
        self.height[node] = 1 + max(self._tall(self.left[node]), self._tall(self.right[node]))

    def bytes_held(self) -> int:
        """RefID, Lchild, Rchild and the place of diffURL in 4 bytes, CommonPrefix and height."""
        return sum(map(len, self.tail)) + len(self.tail) * (4 * 4 + 2 + 1 + 1)


class CharacterTrie:
    """RDFa spider 4.5: a block of 18 bytes for each character: next peer, first child, value."""

    def __init__(self) -> None:
        self.value = [""]
        self.peer = [0]
        self.child = [0]
        self.parent = [0]
        self.is_end = bytearray(1)

    def _step(self, node: int, value: str) -> tuple[int, int]:
        """Return the child with a value, or 0, and the last peer that was looked at."""
        last, child = 0, self.child[node]
        while child and self.value[child] != value:
            last, child = child, self.peer[child]
        return child, last

    def add(self, key: str) -> int:
        node = 0
        for value in key:
            child, last = self._step(node, value)
            if not child:
                child = len(self.value)
                self.value.append(value)
                for column in (self.peer, self.child):
                    column.append(0)
                self.parent.append(node)
                self.is_end.append(0)
                (self.peer if last else self.child)[last or node] = child
            node = child
        self.is_end[node] = 1
        return node

    def find(self, key: str) -> int | None:
        node = 0
        for value in key:
            node, _ = self._step(node, value)
            if not node:
                return None
        return node if self.is_end[node] else None

    def bytes_held(self) -> int:
        return 18 * (len(self.value) - 1)


def _common(one: str, other: str) -> int:
    size = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        size += 1
    return size


def avl(keys: list[str]) -> Row:
    tree = AvlTree()
    adding = spent(each(tree.add, keys), len(keys))
    finding = spent(each(tree.find, shuffled(keys, 7)), len(keys))
    naming = spent(each(tree.key, shuffled(range(len(keys)), 8)), len(keys))
    name = f"AVL, delta coding ({len(keys):,}, plain)"
    return Row(name, tree.bytes_held() / len(keys), adding, finding, naming)


def characters(keys: list[str]) -> Row:
    trie = CharacterTrie()
    adding = spent(each(trie.add, keys), len(keys))
    finding = spent(each(trie.find, shuffled(keys, 7)), len(keys))
    name = f"trie of characters ({len(keys):,}, plain)"
    return Row(name, trie.bytes_held() / len(keys), adding, finding, None)


# -- a whole frontier ---------------------------------------------------------------------


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def frontier(urls: int) -> list[str]:
    """Let 64 partitions know so many URLs; write their snapshots and resume from them."""
    partitions = 64
    owner_of = make_partitioner("domain", partitions).partition_of
    before = resident_bytes()
    states = [PartitionState() for _ in range(partitions)]
    waiting: list[list[str]] = [[] for _ in range(partitions)]
    for key in made_up(urls):
        number = owner_of(key)
        waiting[number].append(key)
        if len(waiting[number]) == 50:
            states[number].apply(Admitted(0.0, "", waiting[number], [1] * 50))
            waiting[number] = []
    for number, keys in enumerate(waiting):
        states[number].apply(Admitted(0.0, "", keys, [1] * len(keys)))
    del waiting
    known = sum(len(state.table) for state in states)
    tables = sum(state.table.bytes_held() for state in states)
    held = resident_bytes() - before
    with tempfile.TemporaryDirectory() as folder:
        snapshots = SnapshotFolder(Path(folder))
        longest, began, size = 0.0, time.perf_counter(), 0
        for number, state in enumerate(states):
            start = time.perf_counter()
            size += snapshots.write(number, 1, state.pack(1))
            longest = max(longest, time.perf_counter() - start)
        written = time.perf_counter() - began
        del states, state
        began = time.perf_counter()
        for number in range(partitions):
            found = snapshots.newest(number)
            assert found is not None
            PartitionState.unpack(found[1])
        resumed = time.perf_counter() - began
    return [
        f"frontier of {known:,} URLs: {held / 1e6:,.0f} MB resident ({held / known:.1f} bytes per"
        f" URL, {tables / known:.1f} of them the tables)",
        f"snapshots of all {partitions} partitions: {written:.1f} s ({longest:.2f} s the longest),"
        f" {size / 1e6:,.0f} MB; read and rebuilt in {resumed:.1f} s",
    ]


def show(title: str, rows: Iterable[Row | None]) -> None:
    print(f"\n{title}\n\n{'':36}{'bytes':>8}{'add':>8}{'find':>8}{'number':>8}")
    for row in rows:
        if row is not None:
            cells = ["-" if value is None else f"{value:.2f}" for value in row[1:]]
            print(f"{row.name:36}" + "".join(f"{cell:>8}" for cell in cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--generated", type=int, default=0)
    parser.add_argument("--frontier", type=int, default=0)
    parser.add_argument("--no-rivals", action="store_true")
    options = parser.parse_args()
    for title, keys in (
        (
            str(options.file and options.file.name),
            keys_of_file(options.file) if options.file else [],
        ),
        ("made up", shuffled(made_up(options.generated), 6)),
    ):
        if keys:
            rivals: list[Callable[[list[str]], Row | None]] = [
                python_set, python_dict, marisa, rocks, sqlite,
            ]  # fmt: skip
            plain = [avl, characters]
            if options.no_rivals:
                rivals, plain = [], []
            rows = (row for measure in [lycosa, *rivals] for row in [measure(keys)])
            show(f"{title}: {len(keys):,} URLs, shuffled", rows)
            show(f"the first {SMALL:,} of them", (measure(keys[:SMALL]) for measure in plain))
            if len(keys) <= LARGE:
                print(*lycosa_spilled(keys), *crawl_order(len(keys)), sep="\n", flush=True)
    if options.frontier:
        print(*frontier(options.frontier), sep="\n")


if __name__ == "__main__":
    main()
