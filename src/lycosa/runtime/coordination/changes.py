"""Change one value on a board, through any failures, from a thread that may wait."""

from __future__ import annotations

import time
from collections.abc import Callable

from lycosa.runtime.coordination.protocol import Board

RETRY_SECONDS = 0.1


def change(
    board: Board, key: str, changed: Callable[[bytes], bytes], seconds: float = 30.0
) -> int | None:
    """Replace a value by `changed(value)`; return its revision, None if the board did not answer.

    `changed` may be called several times, and on its own result if an answer was lost: applied
    twice it must give the same. It receives `b""` if there is no value yet.
    """
    end = time.monotonic() + seconds
    while True:
        entry = board.get(key)
        if entry is not None:
            value = changed(entry.value)
            if value == entry.value:
                return entry.revision
            answer = board.put(key, value, entry.revision)
            if answer.is_written:
                return answer.revision
        if time.monotonic() >= end:
            return None
        time.sleep(RETRY_SECONDS)
