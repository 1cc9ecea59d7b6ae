"""Lists of URLs, and the microseconds that each of them costs: for `bench_urltable.py`."""

from __future__ import annotations

import lzma
import random
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lycosa.model.url import canonical_keys

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
    return (key for _, key in made_up_on_hosts(count))


def made_up_on_hosts(count: int) -> Iterator[tuple[int, str]]:
    """Yield the keys of `made_up`, each with the number of its host."""
    chance = random.Random(3)
    hosts = count // 100 or 1
    for number in range(count):
        host = int(hosts * chance.random() ** 3)
        folder = WORDS[(host + number % 7) % len(WORDS)]
        page = f"{WORDS[number % 113]}-{WORDS[number // 113 % 97]}-{number}"
        yield host, f"com.{WORDS[host % 119]}{host}.www:s/{folder}/{page}.html"


def show(title: str, rows: Iterable[Row | None]) -> None:
    print(f"\n{title}\n\n{'':36}{'bytes':>8}{'add':>8}{'find':>8}{'number':>8}")
    for row in rows:
        if row is not None:
            cells = ["-" if value is None else f"{value:.2f}" for value in row[1:]]
            print(f"{row.name:36}" + "".join(f"{cell:>8}" for cell in cells), flush=True)
