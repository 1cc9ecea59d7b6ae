"""A trained model of topics, and the file it is kept in.

    model = TopicModel.read(path)
    model.probabilities("Ants", content)     # one for each of `model.names`
    model.found("Ants", content)             # the topics that are sure enough, at most three

The topic `other` is for texts of none of the fields. A topic may have a parent, whose name is the
part before its last dot (`science.biology`).

The file is a line of JSON (names, keywords, thresholds, temperature) and the weights as float32
with their little end first, compressed by zlib. Its digest names the model in a crawl's log.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zlib
from array import array
from pathlib import Path
from typing import NamedTuple

import msgspec

from lycosa._support.decoders import json_decoder
from lycosa.errors import FormatError
from lycosa.extract.topics._softmax import Softmax
from lycosa.extract.topics.changes import USUAL_PRICE
from lycosa.extract.topics.words import softmax

OTHER = "other"
READ_BYTES = 4000
"""Bytes of a page's text: more costs time and gains nothing (.862 with 4,000, .861 with all)."""
MOST_FOUND = 3
FORMAT = 1


class Header(msgspec.Struct, frozen=True, omit_defaults=True):
    """The header of the file, before the weights."""

    format: int
    bits: int
    names: tuple[str, ...]
    thresholds: tuple[float, ...]
    """For each topic the probability from which a text counts as one of it."""
    temperature: float
    keywords: dict[str, tuple[str, ...]] = {}
    trained_on: dict[str, int] = {}
    """Number of training texts by topic."""
    split: dict[str, tuple[str, ...]] = {}
    """Topics that were split while a crawl went by them, and their parts: nothing is said to be
    about them any more, but they keep their numbers."""
    price_of_change: float = USUAL_PRICE
    """Of a change of topic within a text (`changes`); not in files of before it was chosen."""


class Topic(NamedTuple):
    """A topic of a text."""

    number: int
    """In `names`."""
    probability: float


class TopicModel:
    """Finds the topics of a text."""

    def __init__(self, header: Header, weights: bytes, bias: bytes) -> None:
        """Take weights and biases as native float32."""
        self.header = header
        self.names = header.names
        self._softmax = Softmax(len(header.names), header.bits, weights, bias)

    @classmethod
    def of(cls, header: Header, trained: Softmax) -> TopicModel:
        """Return the model of trained weights."""
        return cls(header, trained.weights.tobytes(), trained.bias.tobytes())

    def weights_to_train(self) -> Softmax:
        """Return a copy of the weights, to go on training."""
        weights, bias = self._softmax.weights.tobytes(), self._softmax.bias.tobytes()
        return Softmax(len(self.names), self.header.bits, weights, bias)

    def probabilities(self, title: str, content: bytes) -> list[float]:
        """Return the probability of every topic; they add up to 1."""
        return self._softmax.probabilities(
            title.encode("utf-8", "replace"), content[:READ_BYTES], self.header.temperature
        )

    def found(self, title: str, content: bytes) -> list[Topic]:
        """Return the topics of a text, the surest first; none if it is about something else."""
        probabilities = self.probabilities(title, content)
        return [Topic(number, probabilities[number]) for number in self.chosen(probabilities)]

    def chosen(self, probabilities: list[float]) -> list[int]:
        """Return the topics of a text with these probabilities.

        The likeliest comes first; if that is `other`, the text is about none of the topics. Others
        follow that are as likely as their threshold asks.
        """
        likeliest = probabilities.index(max(probabilities))
        if self.names[likeliest] == OTHER:
            return []
        found = [
            number
            for number, (probability, threshold) in enumerate(
                zip(probabilities, self.header.thresholds, strict=True)
            )
            if (probability >= threshold and self.names[number] != OTHER) or number == likeliest
        ]
        if len(found) > 1:
            found.sort(key=lambda number: -probabilities[number])
        return found[:MOST_FOUND]

    def link_probabilities(self, text: str) -> list[float]:
        """Return the probability of every topic for the text of a link."""
        return softmax(
            self._softmax.scores(b"", text.encode("utf-8", "replace")), self.header.temperature
        )

    def link_hints(self, texts: list[str], keys: list[str], wanted: bytes) -> bytes:
        """Return the probability that links are about wanted topics, a byte each.

        A link is read by its text and the words of its URL; `wanted` has a byte for each topic, 0
        for those that are not.
        """
        return self._softmax.link_hints(texts, keys, self.header.temperature, wanted)

    def link_topics(self, texts: list[str], keys: list[str], page: list[float]) -> bytes:
        """Return the topics of the links of a page: three each, with bytes of probability.

        `page` has the probabilities of the page, which count as much as the text of the link.
        """
        return self._softmax.link_topics(texts, keys, self.header.temperature, page)

    def word_weights(self, number: int) -> list[float]:
        """Return the weight of a word, by its number, for every topic."""
        topics = len(self.names)
        return list(self._softmax.weights[number * topics : (number + 1) * topics])

    def to_bytes(self) -> bytes:
        """Return the model in the format of its file."""
        values = array("f", self._softmax.weights)
        values.extend(self._softmax.bias)
        if sys.byteorder == "big":
            values.byteswap()
        return msgspec.json.encode(self.header) + b"\n" + zlib.compress(values.tobytes(), 6)

    def write(self, path: Path) -> None:
        """Replace the file; a reader sees the old one or the new one."""
        temporary = path.with_name(path.name + ".tmp")
        temporary.write_bytes(self.to_bytes())
        temporary.replace(path)

    @property
    def digest(self) -> str:
        """The name of the model in a crawl's log."""
        return hashlib.sha256(self.to_bytes()).hexdigest()[:16]

    @classmethod
    def read(cls, path: Path) -> TopicModel:
        """Read a model; raise `FormatError` if the file is not one."""
        try:
            return cls.from_bytes(path.read_bytes())
        except (ValueError, msgspec.MsgspecError, zlib.error) as error:
            raise FormatError(
                f"{path} is not a model of topics that this version can read: {error}\n"
                "  train one: lycosa topics train"
            ) from None

    @classmethod
    def from_bytes(cls, content: bytes) -> TopicModel:
        """Read a model from the bytes of its file."""
        first, _, packed = content.partition(b"\n")
        form = json.loads(first).get("format")
        if form != FORMAT:
            raise ValueError(f"its format is {form}, not {FORMAT}")
        header = json_decoder(Header).decode(first)
        values = array("f", zlib.decompress(packed))
        if sys.byteorder == "big":
            values.byteswap()
        topics = len(header.names)
        if len(values) != (topics << header.bits) + topics or len(header.thresholds) != topics:
            raise ValueError("its weights are not those of its topics")
        return cls(header, values[:-topics].tobytes(), values[-topics:].tobytes())
