"""Detects the language of texts, alone or thousands at once, with the model of py3langid.

The model (Lui and Baldwin 2012) is an automaton over the bytes of a text, which says at each byte
which feature ends there, if any, and a table of how strongly each feature indicates each language.
The package walks through a text byte by byte, and so does `detect_one`. The texts of a batch go
through the automaton side by side, one numpy step per byte, and their features are multiplied with
the table as matrices. The answers are those of the package; the tests compare them.

Always true: a text with few letters, a text that indicates several languages equally, or a text in
none (source code, tables), has no language.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST_LETTERS = 20
"""Below that, chance decides."""
LEAST_CONFIDENCE = 0.5
"""Of 1, which all languages share."""

_BATCH_TEXTS = 2048
_NO_LANGUAGE = "zxx"
"""ISO 639-2: what the model says of figures, code and the like."""

_LETTERS = np.zeros(256, np.bool_)
_LETTERS[[*b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"]] = True
_LETTERS[0xC3:] = True
"""First bytes of a letter in UTF-8, nearly; following bytes do not match."""

Found = tuple[list[str | None], list[float]]
"""The languages of some texts, and how sure each is."""


def name_and_version() -> str:
    """Return the detector's name and version; another version makes the study detect all again."""
    return f"py3langid {version('py3langid')} {LEAST_LETTERS} {LEAST_CONFIDENCE}"


def supported() -> list[str]:
    """Return the languages that can be told apart."""
    return [language for language in _model().languages if language != _NO_LANGUAGE]


def detect(texts: Sequence[str]) -> Found:
    """Return the language of every text; None where that is not known."""
    found: Found = ([], [])
    for start in range(0, len(texts), _BATCH_TEXTS):
        languages, confidences = _model().detect(texts[start : start + _BATCH_TEXTS])
        found[0].extend(languages)
        found[1].extend(confidences)
    return found


def detect_one(text: str) -> tuple[str | None, float]:
    """Return the language of one text, if that is known, and how sure it is."""
    return _model().detect_one(text)


@cache
def _model() -> Model:
    return Model()


class Model:
    """The automaton and the table."""

    def __init__(self) -> None:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier

        loaded: Any = LanguageIdentifier.from_model_file(MODEL_FILE)
        self._moves = np.asarray(loaded.tk_nextmove)
        self._rows = np.asarray(loaded.tk_row, np.intp) << 8
        self._features = np.asarray(loaded.tk_output, np.int32)
        self._table = np.asarray(loaded.nb_ptc, np.float32)
        self._prior = np.asarray(loaded.nb_pc, np.float32)
        self.languages = list(dict.fromkeys(loaded.nb_classes))
        """Languages in several scripts are in the table several times."""
        self._no_language = self.languages.index(_NO_LANGUAGE)
        place = {language: at for at, language in enumerate(self.languages)}
        self._place_of = np.array([place[name] for name in loaded.nb_classes])
        _, self._first = np.unique(self._place_of, return_index=True)
        self._others = np.setdiff1d(np.arange(len(self._place_of)), self._first).tolist()
        # Python reads single numbers of a memoryview in a third of the time.
        self._steps = (self._moves.data, self._rows.data, self._features.data)

    def detect(self, texts: Sequence[str]) -> Found:
        """Return the languages of a batch."""
        encoded = [_encoded(text) for text in texts]
        lengths = np.array([len(some) for some in encoded])
        order = np.argsort(-lengths, kind="stable")
        letters = _side_by_side([encoded[at] for at in order.tolist()])
        chances = np.empty((len(texts), len(self.languages)), np.float32)
        chances[order] = self._chances(letters, lengths[order])
        counts = np.empty(len(texts), np.int64)
        counts[order] = _LETTERS[letters].sum(axis=0)
        best = chances.argmax(axis=1)
        confidence = chances[np.arange(len(texts)), best]
        is_known = (counts >= LEAST_LETTERS) & (confidence >= LEAST_CONFIDENCE)
        is_known &= best != self._no_language
        languages = [
            self.languages[at] if known else None
            for at, known in zip(best.tolist(), is_known.tolist(), strict=True)
        ]
        return languages, confidence.tolist()

    def detect_one(self, text: str) -> tuple[str | None, float]:
        """Return the language of one text."""
        encoded = _encoded(text)
        if int(_LETTERS[np.frombuffer(encoded, np.uint8)].sum()) < LEAST_LETTERS:
            return None, 0.0
        moves, rows, features = self._steps
        state, counts = 0, dict[int, int]()
        for byte in encoded:
            state = moves[rows[state] + byte]
            feature = features[state]
            if feature >= 0:
                counts[feature] = counts.get(feature, 0) + 1
        uses = np.log1p(np.array([*counts.values()], np.float32))
        scores = uses @ self._table[[*counts]] + self._prior
        chances = self._shares(scores[None, :], np.array([len(encoded)]))[0]
        best = int(chances.argmax())
        is_known = chances[best] >= LEAST_CONFIDENCE and best != self._no_language
        return self.languages[best] if is_known else None, float(chances[best])

    def _chances(self, letters: NDArray[np.uint8], lengths: NDArray[Any]) -> NDArray[np.float32]:
        """Return the probability of each language for each text; they add up to 1."""
        uses = np.log1p(self._uses(letters, lengths))
        return self._shares(uses @ self._table + self._prior, lengths)

    def _shares(self, scores: NDArray[Any], lengths: NDArray[Any]) -> NDArray[np.float32]:
        """Return scores as probabilities, those of one language in several scripts added up."""
        scores /= np.sqrt(np.maximum(lengths, 1))[:, None]  # so that long texts are not surer
        np.exp(scores - scores.max(axis=1, keepdims=True), out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        chances: NDArray[np.float32] = scores[:, self._first]
        for column in self._others:
            chances[:, self._place_of[column]] += scores[:, column]
        return chances

    def _uses(self, letters: NDArray[np.uint8], lengths: NDArray[Any]) -> Any:
        """Return how often each text, longest first, has each feature, as a sparse matrix."""
        states = np.zeros(letters.shape[1], np.intp)
        found = np.full(letters.shape, -1, np.int32)
        for at, row in enumerate(letters):
            going = int(np.searchsorted(-lengths, -at, side="left"))
            states = self._moves.take(self._rows.take(states[:going]) + row[:going])
            self._features.take(states, out=found[at, :going], mode="clip")
        count, width = letters.shape[1], len(self._table)
        codes = (found + np.arange(count, dtype=np.int32) * width)[found >= 0]
        codes, times = np.unique(codes, return_counts=True)
        texts, features = np.divmod(codes, width)
        from scipy import sparse  # a single text needs none of it

        edges = np.searchsorted(texts, np.arange(count + 1))
        return sparse.csr_array((times.astype(np.float32), features, edges), (count, width))


def _encoded(text: str) -> bytes:
    """Return the bytes that the automaton reads; texts in capitals alone are brought down."""
    text = text.lower() if text.isupper() else text
    return unicodedata.normalize("NFC", text).encode("utf-8", "surrogatepass")


def _side_by_side(texts: Sequence[bytes]) -> NDArray[np.uint8]:
    """Return texts, the longest first, as the columns of a matrix, filled with zeros."""
    longest = len(texts[0]) if texts else 0
    padded = b"".join(text.ljust(longest, b"\0") for text in texts)
    matrix = np.frombuffer(padded, np.uint8).reshape(len(texts), longest)
    return np.ascontiguousarray(matrix.T)
