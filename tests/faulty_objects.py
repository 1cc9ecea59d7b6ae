"""A store that fails: before a call has happened, or after it, when only the answer is lost."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from lycosa.errors import ObjectsUnavailable
from lycosa.storage.objects.protocol import Found, Objects

T = TypeVar("T")


class FaultyObjects:
    """Fails a share of all calls; `happened` counts the writes that reached the store."""

    def __init__(self, inner: Objects, share: float, chance: random.Random) -> None:
        self._inner = inner
        self.share = share
        self._chance = chance
        self.calls = self.failures = 0

    @property
    def place(self) -> str:
        return self._inner.place

    def put(self, key: str, source: Path) -> None:
        self._maybe(lambda: self._inner.put(key, source))

    def create(self, key: str, value: bytes) -> bool:
        return self._maybe(lambda: self._inner.create(key, value))

    def read(self, key: str, start: int = 0, length: int | None = None) -> bytes | None:
        return self._maybe(lambda: self._inner.read(key, start, length))

    def download(self, key: str, target: Path) -> bool:
        """Lose the answer after the file was written, as well: then it is removed again."""
        self._fail_perhaps()
        found = self._inner.download(key, target)
        try:
            self._fail_perhaps()
        except ObjectsUnavailable:
            target.unlink(missing_ok=True)
            raise
        return found

    def size(self, key: str) -> int | None:
        return self._maybe(lambda: self._inner.size(key))

    def list(self, prefix: str = "") -> Iterator[Found]:
        self._fail_perhaps()
        yield from self._inner.list(prefix)

    def close(self) -> None:
        self._inner.close()

    def _maybe(self, call: Callable[[], T]) -> T:
        self._fail_perhaps()
        answer = call()
        self._fail_perhaps()
        return answer

    def _fail_perhaps(self) -> None:
        self.calls += 1
        # Twice asked a call: so that the share is that of failed calls.
        if self._chance.random() < 1 - (1 - self.share) ** 0.5:
            self.failures += 1
            raise ObjectsUnavailable(f"{self.place}: failed on purpose")
