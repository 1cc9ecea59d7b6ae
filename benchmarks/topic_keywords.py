"""How good is a model from keywords alone, and what does it send to `other`?

    python -m benchmarks.topic_keywords --data FOLDER [--draws 3] [--first-draw 5] [--set NAME]

FOLDER is a corpus as `benchmarks.focus.corpus` reads it. Of the pages of a set of topics one half
trains and one half judges; the keywords of parts of fields were written down before anything was
measured with them.

    closed   all pages are of the topics: every page that is sent to `other` is wrong
    open     as many pages of the same fields are of none of the topics
    single   closed, with the first keyword of each topic alone

    tuned    settings were chosen on these fields and their parts (draws 0 and 1)
    judged   other fields and other pages
    mixed    five large fields of both
    webs     generated webs, whose words are made up; three keywords a topic, one in `single`
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.focus.corpus import Corpus, read_corpus
from benchmarks.focus.unlabelled import PART_KEYWORDS
from benchmarks.topic_training import KEYWORDS, told

from lycosa.analysis.topics.evaluation import Evaluation, evaluate
from lycosa.analysis.topics.keywords import train_by_keywords
from lycosa.analysis.topics.pools import Pool
from lycosa.analysis.topics.texts import Text
from lycosa.extract.page import scan
from lycosa.extract.topics.model import OTHER, READ_BYTES
from lycosa.extract.topics.training import Example
from lycosa_testweb import request_for
from lycosa_testweb.topics.web import Shape, TopicWeb

TUNED = ("Science", "People", "Language_and_literature", "Business_Studies", "Mathematics")
JUDGED = ("Geography", "History", "Design_and_Technology", "Art", "Countries")
MORE_KEYWORDS = {
    "People.Writers_and_critics": "writers critics author poet novelist published",
    "Language_and_literature.Languages": "languages language dialect vowel speakers grammar",
    "Geography.Geology_and_geophysics": "geology geophysics rock earthquake volcano crust",
    "History.Military_History_and_War": "military war army battle weapon troops",
    "Design_and_Technology.Architecture": "architecture building architect tower cathedral roof",
    "Geography.Storms": "storms hurricane tropical cyclone wind landfall",
    "History.Ancient_History_Classical_History_and_Mythology": (
        "ancient classical mythology greek roman god"
    ),
    "Design_and_Technology.Engineering": "engineering engine machine steel bridge pump",
    "Geography.North_American_Geography": "american geography state city california canada",
}
ALL_KEYWORDS = KEYWORDS | PART_KEYWORDS | MORE_KEYWORDS
TUNED_PARTS = (
    "Science.Biology",
    "Science.Physics",
    "Science.Chemistry",
    "People.Writers_and_critics",
    "Language_and_literature.Languages",
)
JUDGED_PARTS = (
    "Geography.African_Geography",
    "Geography.Geology_and_geophysics",
    "History.Military_History_and_War",
    "Design_and_Technology.Railway_transport",
    "Design_and_Technology.Architecture",
    "Geography.Storms",
    "History.Ancient_History_Classical_History_and_Mythology",
    "History.British_History",
    "Design_and_Technology.Engineering",
    "Geography.North_American_Geography",
)
MIXED = ("Science", "History", "Geography", "Design_and_Technology", "Language_and_literature")
SETS = {
    "tuned fields": (TUNED, TUNED),
    "tuned parts": (TUNED_PARTS, TUNED),
    "judged fields": (JUDGED, JUDGED),
    "judged parts, 1": (JUDGED_PARTS[:5], JUDGED),
    "judged parts, 2": (JUDGED_PARTS[5:], JUDGED),
    "mixed fields": (MIXED, tuple(KEYWORDS)),
}
WEBS = (
    ("law", "football", "optics", "tea", "dance"),
    ("pottery", "volcanoes", "banking", "grammar", "chess"),
)
WEB_SETS = ("webs, 1", "webs, 2")
MOST_PAGES = 1774


class Case(NamedTuple):
    """Keywords, texts to learn from and pages to judge by."""

    pools: list[Pool]
    texts: list[Text]
    judging: list[Example]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--first-draw", type=int, default=5)
    parser.add_argument("--set", choices=(*SETS, *WEB_SETS), help="one alone; default: all")
    given = parser.parse_args()
    corpus = read_corpus(given.data)
    draws = range(given.first_draw, given.first_draw + given.draws)
    print(f"{'':24}  accuracy        calibration     to other (right), of pages")
    for name in [given.set] if given.set else (*SETS, *WEB_SETS):
        for kind in ("closed", "open", "single"):
            if kind == "open" and name in ("judged fields", "tuned fields", "mixed fields"):
                continue  # no page of these fields is of none of the topics
            cases = [case_of(corpus, name, kind, draw) for draw in draws]
            show(f"{name}, {kind}", [judged(case) for case in cases])


def case_of(corpus: Corpus, name: str, kind: str, draw: int) -> Case:
    if name.startswith("webs"):
        case = web_case(WEBS[int(name[-1]) - 1], kind, draw)
    else:
        case = corpus_case(corpus, *SETS[name], kind, draw)
    if kind == "single":
        return case._replace(pools=[one._replace(keywords=one.keywords[:1]) for one in case.pools])
    return case


def judged(case: Case) -> Evaluation:
    return evaluate(train_by_keywords(case.texts, case.pools), case.judging)


def show(name: str, found: list[Evaluation]) -> None:
    others = [one for each in found for one in each.topics if one.topic == OTHER]
    guessed, right = sum(one.guessed for one in others), sum(one.right for one in others)
    accuracy = told([one.accuracy for one in found])
    calibration = told([one.calibration_error for one in found])
    pages = sum(one.pages for one in found)
    print(f"{name:24}  {accuracy}   {calibration}   {guessed} ({right}), {pages}", flush=True)


def corpus_case(
    corpus: Corpus, topics: tuple[str, ...], fields: tuple[str, ...], kind: str, draw: int
) -> Case:
    own, others = list[tuple[Text, tuple[str, ...]]](), list[tuple[Text, tuple[str, ...]]]()
    for page, labels in enumerate(corpus.labels):
        if not labels or not {label.partition(".")[0] for label in labels} <= {*fields}:
            continue
        content = corpus.contents[page][:READ_BYTES]  # as `topics train` reads pages
        text = Text(corpus.paths[page], corpus.titles[page], content)
        about = tuple(topic.replace(".", "_") for topic in topics if corpus.is_about(page, topic))
        (own if about else others).append((text, about or (OTHER,)))
    chance = random.Random(draw)
    chance.shuffle(own)
    chance.shuffle(others)
    pages = own[:MOST_PAGES] + (others[: min(len(own), MOST_PAGES)] if kind == "open" else [])
    chance.shuffle(pages)
    pools = [Pool(one.replace(".", "_"), tuple(ALL_KEYWORDS[one].split())) for one in topics]
    return halved(pools, pages)


def web_case(names: tuple[str, ...], kind: str, draw: int) -> Case:
    web = TopicWeb(Shape(names, pages=900), 20 + draw)
    pages = [
        (text, topics) for text, topics in web_pages(web) if kind == "open" or topics != (OTHER,)
    ]
    random.Random(draw).shuffle(pages)
    return halved([Pool(name, web.keywords(name)[:3]) for name in names], pages)


def web_pages(web: TopicWeb) -> Iterator[tuple[Text, tuple[str, ...]]]:
    for url in web.all_pages():
        facts = scan(web.answer(request_for(web, url), 0.0).body, "text/html")
        yield Text(url, facts.title, facts.content), web.topics_of(url)


def halved(pools: list[Pool], pages: list[tuple[Text, tuple[str, ...]]]) -> Case:
    judging = [Example(text.title, text.content, topics) for text, topics in pages[1::2]]
    return Case(pools, [text for text, _ in pages[::2]], judging)


if __name__ == "__main__":
    main()
