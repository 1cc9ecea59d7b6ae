from array import array
from collections.abc import Sequence

def word_weights(title: bytes, text: bytes, bits: int = 16) -> dict[int, float]: ...

class Softmax:
    topics: int
    bits: int
    weights: array[float]
    bias: array[float]
    def __init__(
        self, topics: int, bits: int = 16, weights: bytes = b"", bias: bytes = b""
    ) -> None: ...
    def scores(self, title: bytes, text: bytes) -> list[float]: ...
    def learn(self, title: bytes, text: bytes, targets: Sequence[float], rate: float) -> None: ...
    def link_hints(
        self, texts: list[str], keys: list[str], temperature: float, wanted: bytes | None
    ) -> bytes: ...
