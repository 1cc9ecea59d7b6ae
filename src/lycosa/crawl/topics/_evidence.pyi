"""Types of the compiled module; what it does is told in `_evidence.pyx`."""

from array import array
from collections.abc import Sequence

class FocusedEvidence:
    def __init__(self, weights: Sequence[float]) -> None: ...
    def hear(
        self, pages: list[int], probability: int, promise: int, texts: bytes, grades: array[int]
    ) -> list[tuple[int, int]]: ...
    def position(self, page: int) -> int: ...
    def promise(self, page: int) -> int: ...

class TopicEvidence:
    def hear(
        self,
        pages: list[int],
        parent: bytes,
        hints: bytes,
        queues: array[int],
        grades: array[int],
    ) -> list[tuple[int, int, int]]: ...
