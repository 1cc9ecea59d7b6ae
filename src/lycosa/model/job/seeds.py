"""Long lists of seeds: lines of text, in memory or in a file beside the job.

A job with a few seeds names them in its file. A list of more than `INLINE_MOST` is a `SeedList`: a
sequence of texts that does not hold them as objects. The crawl directory keeps it as `seeds.txt`,
and `crawl.toml` names the file, the number of seeds and their digest:

    seeds = {file = "seeds.txt", count = 1_000_000, digest = "6d1f…"}

A line may name a topic of its URL, after a tab: `https://example.org/<tab>biology`. The topic
chooses the queue of the seed in a crawl by topic; other crawls ignore it.

So a process that needs the job but not its seeds reads a few kilobytes. A job file written by hand
may name a list of its own, without count and digest; empty lines and those beginning with # are
skipped.

Always true:
  * lists are equal when their seeds are, whether they are in memory or in a file;
  * a file whose seeds do not match the job's count and digest is an error, never another job.

Cost: a million seeds are read in a third of a second, a megabyte at a time.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, overload

from lycosa._support import beneath
from lycosa.errors import ConfigError

INLINE_MOST = 1000
"""A longer list is kept in a separate file."""

_BLOCK_SEEDS = 10_000
_BLOCK_BYTES = 1 << 20
_DIGEST_BYTES = 16


class SeedList(Sequence[str]):
    """Seeds as lines: blocks of text in memory, or a file that is read when they are wanted."""

    def __init__(
        self,
        source: list[str] | Path,
        count: int | None = None,
        digest: str = "",
    ) -> None:
        self._source = source
        self._count = count
        self._digest = digest

    @property
    def path(self) -> Path | None:
        """The file that has them, or None for a list in memory."""
        return self._source if isinstance(self._source, Path) else None

    @property
    def digest(self) -> str:
        """A hash of all seeds in their order."""
        if not self._digest:
            self._read_through()
        return self._digest

    def below(self, folder: Path) -> SeedList:
        """Return the list with its file's path taken from this folder on, if it is relative."""
        if self.path is None or self.path.is_absolute():
            return self
        return SeedList((folder / self.path).absolute(), self._count, self._digest)

    def kept_in(self, path: Path) -> SeedList:
        """Return the same list as one that stands in this file, to which it was written."""
        return SeedList(path, len(self), self.digest)

    def write(self, path: Path) -> None:
        """Write the list to a file, which is there as a whole or not at all."""
        temporary = path.with_suffix(".writing")
        with beneath.open_new(temporary, "w", encoding="utf-8", newline="\n") as file:
            for block in self.blocks():
                file.write("\n".join(block) + "\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)

    def reference(self, name: str) -> dict[str, object]:
        """Return the entry of the list in the job file, if the list is in the file of this name."""
        return {"file": name, "count": len(self), "digest": self.digest}

    def blocks(self) -> Iterator[list[str]]:
        """Yield the seeds some thousands at a time."""
        if isinstance(self._source, Path):
            return self._measured()
        return (block.split("\n") for block in self._source)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self.blocks())

    def __len__(self) -> int:
        if self._count is None:
            self._read_through()
        return self._count or 0

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step < 1:
                return tuple(self)[index]
            return tuple(islice(self, start, stop, step))
        place = index if index >= 0 else len(self) + index
        if place >= 0:
            for seed in islice(self, place, place + 1):
                return seed
        raise IndexError(index)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SeedList):
            return len(self) == len(other) and self.digest == other.digest
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        where = f" in {self.path}" if self.path is not None else ""
        return f"<{len(self)} seeds{where}>"

    def _read_through(self) -> None:
        for _ in self._measured():
            pass

    def _measured(self) -> Iterator[list[str]]:
        """Yield blocks; at the end, note count and digest, or compare them with the job's."""
        source = self._source
        count, hashed = 0, hashlib.blake2b(digest_size=_DIGEST_BYTES)
        blocks = _blocks_of(source) if isinstance(source, Path) else self.blocks()
        for block in blocks:
            count += len(block)
            hashed.update(("\n".join(block) + "\n").encode())
            yield block
        digest = hashed.hexdigest()
        if self._count not in (None, count) or self._digest not in ("", digest):
            raise ConfigError(
                f"{source}: the seeds have changed since the job was written:"
                f" it had {self._count}, the file has {count:,}\n"
                "  restore the file from a copy, or crawl this list into a new folder:"
                f" lycosa crawl --seeds {source} -o DIR"
            )
        self._count, self._digest = count, digest


def parted(seed: str) -> tuple[str, str]:
    """Return the URL of a seed, and the topic that it names; "" without one."""
    url, _, topic = seed.partition("\t")
    return url.strip(), topic.strip()


def seeds_of(given: Iterable[object]) -> tuple[str, ...] | SeedList:
    """Return the seeds that a job holds; raise ValueError if a seed is empty or not text.

    A long list of which a seed cannot be a line (it has a line break, or begins with #) stays as
    it is: the job file can hold anything.
    """
    if isinstance(given, SeedList):
        return given
    rest = iter(given)
    first = list(islice(rest, INLINE_MOST + 1))
    if len(first) <= INLINE_MOST:
        return _texts(first)
    blocks: list[str] = []
    block: list[Any] = first
    while block:
        if not _are_lines(block):
            known = chain.from_iterable(text.split("\n") for text in blocks)
            return _texts(list(chain(known, block, rest)))
        blocks.append("\n".join(block))
        block = list(islice(rest, _BLOCK_SEEDS))
    return SeedList(blocks)


def seeds_in(table: Mapping[str, object]) -> SeedList:
    """Return the list that a job file names by `seeds = {file = …}`."""
    unknown = sorted(set(table) - {"file", "count", "digest"})
    file, count, digest = table.get("file"), table.get("count"), table.get("digest", "")
    is_count = count is None or (isinstance(count, int) and not isinstance(count, bool))
    if unknown or not isinstance(file, str) or not file or not is_count or type(digest) is not str:
        what = f"has no key `{unknown[0]}`" if unknown else "does not name a file"
        raise ValueError(
            f"the table `seeds` {what}\n"
            '  write seeds = {file = "list.txt"}, a file with one URL a line;'
            " lycosa itself adds `count` and `digest` to the lists that it writes"
        )
    return SeedList(Path(file), count if isinstance(count, int) else None, digest)


def _texts(seeds: list[Any]) -> tuple[str, ...]:
    if not all(isinstance(seed, str) and seed.strip() and _is_encodable(seed) for seed in seeds):
        raise ValueError
    return tuple(seeds)


def _are_lines(block: list[Any]) -> bool:
    """Return whether a file with these lines would be read back unchanged."""
    if not all(isinstance(seed, str) for seed in block):
        return False
    text = "\n".join(block)
    if not _is_encodable(text):
        return False
    return _seeds_among(text) == block


def _seeds_among(text: str) -> list[str]:
    """Return the lines that are seeds, as every list of seeds is read."""
    return [seed for line in text.split("\n") if (seed := line.strip()) and seed[0] != "#"]


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _blocks_of(path: Path) -> Iterator[list[str]]:
    """Read a file of seeds, a block at a time."""
    try:
        with beneath.open_named(path, "rb") as file:
            rest, is_over = b"", False
            while not is_over:
                read = file.read(_BLOCK_BYTES)
                is_over = not read
                whole, _, rest = (rest + read).rpartition(b"\n") if read else (rest, b"", b"")
                block = _seeds_among(whole.decode())
                if block:
                    yield block
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8\n  save the file as UTF-8") from None
    except OSError as error:
        raise ConfigError(
            f"{path}: the seeds cannot be read: {error.strerror}\n"
            "  restore the file, or name another one in the job: seeds = {file = …}"
        ) from None
