"""The web pages say outcomes and refusals in the words of the terminal."""

from __future__ import annotations

import re
from importlib.resources import files

from lycosa.crawl.status.words import OUTCOMES, REFUSALS

FORMAT = files("lycosa.web") / "static" / "format.js"


def test_outcomes_have_the_same_words_on_all_screens() -> None:
    text = FORMAT.read_text(encoding="utf-8")
    _, _, table = text.partition("const OUTCOMES = {")
    told = dict(re.findall(r'"?([\w-]+)"?: "([^"]*)",', table.partition("};")[0]))
    assert told == OUTCOMES | REFUSALS
