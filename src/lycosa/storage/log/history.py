"""Reads a partition's batches from archive and log as one, while its owner moves them.

A batch is copied to the archive before it is removed from the log. A batch missing in the log is
therefore in the archive, and a reader that meets a gap reads the archive again. Only a gap that
remains is damage; then the batches behind it are yielded, and the fold raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

Batches = Callable[[int], Iterable[tuple[int, bytes]]]
"""Returns the batches after a sequence, in order."""


def read_history(
    after: int, head: int, archived: Batches, stored: Batches
) -> Iterator[tuple[int, bytes]]:
    """Yield the batches after a sequence, at least up to `head`, each once."""
    while True:
        before = after
        for sequence, batch in archived(after):
            after = sequence
            yield sequence, batch
        for sequence, batch in stored(after):
            if sequence != after + 1:
                break
            after = sequence
            yield sequence, batch
        if after >= head:
            return
        if after == before:
            yield from stored(after)
            return
