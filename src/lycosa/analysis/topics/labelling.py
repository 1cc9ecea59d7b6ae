"""The course of labelling pages by hand: the order of pages, and the effect of answers.

Pages come in the order of a hash of their addresses, so a sample is random, and the same when the
work is taken up again. With a model the pages that it is least sure of can come first: these teach
it most. The file is written after each answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from xxhash import xxh3_64_intdigest

from lycosa.analysis.topics.labels import Labels, read_labels, write_labels
from lycosa.analysis.topics.texts import Text
from lycosa.extract.topics.model import TopicModel


class Labelling:
    """Pages to label, and the labels so far."""

    def __init__(
        self,
        texts: Sequence[Text],
        file: Path,
        model: TopicModel | None = None,
        *,
        is_unsure_first: bool = False,
    ) -> None:
        self._file = file
        self.labels: Labels = read_labels(file) if file.exists() else {}
        self._model = model
        order = sorted(texts, key=lambda text: xxh3_64_intdigest(text.address.encode()))
        if is_unsure_first and model is not None:
            order.sort(key=lambda text: max(model.probabilities(text.title, text.content)))
        self._texts = [text for text in order if text.address not in self.labels]
        self._place = 0
        self._answered: list[int] = []
        """Places of the pages answered in this sitting, also by skipping."""

    @property
    def left(self) -> int:
        """Number of pages that have not been shown."""
        return len(self._texts) - self._place

    @property
    def current(self) -> Text | None:
        """The page that is shown; None when all are answered."""
        return self._texts[self._place] if self.left else None

    def guess(self) -> tuple[str, float] | None:
        """Return the model's guess for the page, and its probability."""
        if self._model is None or self.current is None:
            return None
        found = self._model.probabilities(self.current.title, self.current.content)
        return self._model.names[found.index(max(found))], max(found)

    def choose(self, topics: tuple[str, ...]) -> None:
        """Label the page, and go on to the next."""
        if self.current is not None:
            self.labels[self.current.address] = topics
            write_labels(self._file, self.labels)
            self.skip()

    def skip(self) -> None:
        """Leave the page without a label, and go on to the next."""
        self._answered.append(self._place)
        self._place += 1

    def undo(self) -> bool:
        """Go back to the page before and take its label away; False where there is none."""
        if not self._answered:
            return False
        self._place = self._answered.pop()
        text = self._texts[self._place]
        if self.labels.pop(text.address, None) is not None:
            write_labels(self._file, self.labels)
        return True
