"""The structures that the URL table is measured against, in `bench_urltable.py`.

`marisa-trie` and `rocksdict` are measured where they are installed (requirements/bench.in).
The AVL tree with delta coding (KSpider 2.3) and the trie of characters (RDFa spider 4.5) are
plain Python: their bytes are those of the fields that the papers name, their times only say how
many nodes are visited.
"""

from __future__ import annotations

import importlib
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.urltable_rows import Row, each, shuffled, spent
from xxhash import xxh3_64_intdigest


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
