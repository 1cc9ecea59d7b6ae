"""Recomputes the evidence of links for a URL, so that `explain` can show each feature's part.

A worker keeps the evidence for a waiting URL only in memory (eight bytes, see
`features.topics.evidence`). This module computes it again from the pages that link to the URL or
redirect to it (`speakers`) and were fetched before the URL itself.

The result may differ from the worker's: a worker that was restarted begins with the recorded
position, other partitions send only a limited number of their links, and a page that was deleted
no longer counts. The output therefore marks the result as computed, next to the log's own facts.

Cost: a pass over the tables `links`, `pages` and `text`; in a focused crawl whose pages promise
little, another pass for each level of the pages that link to them, `MOST_LEVELS` at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import compress
from pathlib import Path
from typing import NamedTuple

from lycosa.errors import ConfigError
from lycosa.extract.topics.model import OTHER, TopicModel
from lycosa.features.topics.evidence import (
    HINT_BYTES,
    PlainTopicEvidence,
    parts_of,
    position_of,
)
from lycosa.features.topics.of_job import numbers_below, read_model
from lycosa.features.topics.predictor import LIKELY
from lycosa.features.topics.seed_topics import SeedTopics
from lycosa.frontier.distance import SEED
from lycosa.frontier.facts.topics import NO_TOPIC
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partitioners import Partitioner
from lycosa.model.job import Job
from lycosa.model.job.seeds import parted
from lycosa.model.url import canonical_key, key_of
from lycosa.operate.inspect.explain import Step
from lycosa.operate.inspect.speakers import (
    Link,
    fetched_at,
    heard,
    links_to,
    probabilities,
    redirects_to,
)
from lycosa.storage.tables.rows import signed, url_id

THE_LIST = "the list of seeds"
"""Shown instead of a URL for a link from the list of seeds."""
MOST_LEVELS = 4
"""Levels over which promises are followed back; each level counts half of the one before."""
MOST_PAGES = 20_000
"""Most pages of a level that are examined."""


class Part(NamedTuple):
    """A feature's contribution to the score."""

    feature: str
    value: str
    score: float


class Shares(NamedTuple):
    """Likelihood of a topic: by the pages that link to a URL, by the links' texts, by both."""

    topic: str
    pages: float
    texts: float
    together: float


class Speaker(NamedTuple):
    """A page that links to the URL, or redirects to it."""

    url: str
    moment: float
    text: str
    """Text of the link; "" for a redirect."""
    topic: str
    """The wanted topics, or the topic that page and text make likeliest together."""
    page: float
    """Probability that the page is about this topic."""
    link: float
    """The same probability by the link's text and the words of the URL."""


class Prediction(NamedTuple):
    """Queue and position of a URL with their reasons."""

    queue: str
    position: int
    parts: tuple[Part, ...]
    """In a focused crawl, each feature's contribution. More is better."""
    topics: tuple[Shares, ...]
    """In other crawls, the topic of its queue, then the two likeliest others."""
    speakers: tuple[Speaker, ...]
    """In the order in which they were heard."""


class _Redirect(NamedTuple):
    url: str
    moment: int
    queue: int
    likely: int
    """Probability that the redirecting URL belonged to its queue, as a byte."""


class _Said(NamedTuple):
    speaker: Speaker
    page: int
    hint: bytes


def predicted(
    folder: Path,
    job: Job,
    url: str,
    partitioner: Partitioner,
    states: Mapping[int, PartitionState],
) -> Prediction | None:
    """Return the evidence of links for a URL.

    None in a crawl whose order does not use topics, and in one whose model is missing.
    """
    if job.frontier.scheduler != "topics" or not Path(job.topics.model).exists():
        return None
    model, key = read_model(job.topics), key_of(url)
    found = list(links_to(folder, {signed(url_id(key)): fetched_at(folder, key)}))
    links = list(heard(found, key, partitioner.partition_of))
    redirects = [
        _Redirect(source, moment, *_place(states[partitioner.partition_of(key_of(source))], source))
        for source, moment in redirects_to(folder, key)
    ]
    given = _given(job, states[partitioner.partition_of(key)], key)
    if job.topics.policy == "focused":
        return _Focused(folder, job, model).predicted(key, links, redirects, given)
    return _by_topic(folder, model, key, links, redirects, given=given)


def _given(job: Job, state: PartitionState, key: str) -> list[_Said]:
    """Return the evidence of the seed list for a URL: its topic, if the list names one."""
    page = state.table.find(key)
    if page is None or state.pages.distance[page] != SEED:
        return []
    with suppress(ConfigError):  # a long list may be gone from disk
        for url, topic in map(parted, job.seeds):
            if topic and canonical_key(url) == key:
                (message,) = SeedTopics(job).messages(0.0, [(key, topic)])
                speaker = Speaker(THE_LIST, 0.0, "", topic, 1.0, 1.0)
                return [_Said(speaker, message.said[0], message.hints)]
    return []


def _place(state: PartitionState, url: str) -> tuple[int, int]:
    """Return the queue of a URL in the log, and the probability that it belongs there."""
    page = state.table.find(key_of(url))
    if page is None:
        return NO_TOPIC, 0
    return state.topics.of(page), 255 - state.topics.grade_of(page)


def why_moved(history: Iterable[Step], speakers: Sequence[Speaker]) -> Iterator[Step]:
    """Yield the history of a URL with the links that were heard before each of its moves."""
    silent = list(speakers)
    for step in history:
        if step.is_admission:
            del silent[:1]  # the page that led to it
        said = [one for one in silent if one.moment <= step.moment] if step.is_move else []
        if not said:
            yield step
            continue
        silent = [one for one in silent if one.moment > step.moment]
        best = max(said, key=lambda one: one.page * one.link)
        number = f"{len(said):,} more links" if len(said) > 1 else "1 more link"
        why = f"after {number}; {best.url} is {best.page:.0%} about {best.topic}"
        yield step._replace(what=f"{step.what}, {why}")


# -- a focused crawl ----------------------------------------------------------------------


class _Focused:
    """Computes the same result as `FocusedEvidence`."""

    def __init__(self, folder: Path, job: Job, model: TopicModel) -> None:
        self._folder = folder
        self._model = model
        names = model.names
        wanted = {n for name in job.topics.wanted for n in numbers_below(names, name)}
        self._wanted = bytes(number in wanted for number in range(len(names)))
        self._names = ", ".join(job.topics.wanted)
        self._queue = names[min(wanted)]

    def predicted(
        self, key: str, links: list[Link], redirects: list[_Redirect], given: list[_Said]
    ) -> Prediction:
        own = self._own(links)
        said = given + self._said(key, [link for link in links if link.fetch in own], own)
        said += [self._passed_on(redirect) for redirect in redirects]
        if not said:  # where a focused crawl begins, everything is wanted
            return Prediction(self._queue, 0, (), (), ())
        said.sort(key=lambda one: one.speaker.moment)
        parts, score = self._parts(said, links, own)
        position = position_of(score)
        queue = self._queue if position <= LIKELY else OTHER
        return Prediction(queue, position, parts, (), tuple(one.speaker for one in said))

    def _said(self, key: str, links: list[Link], own: Mapping[int, int]) -> list[_Said]:
        texts = [link.text for link in links]
        hints = self._model.link_hints(texts, [key] * len(links), self._wanted)
        found = []
        for link, hint in zip(links, hints, strict=True):
            page = own[link.fetch]
            told = (link.url, link.moment / 1e6, link.text, self._names, page / 255, hint / 255)
            found.append(_Said(Speaker(*told), page, bytes([hint])))
        return found

    def _passed_on(self, redirect: _Redirect) -> _Said:
        likely = redirect.likely
        share = likely / 255
        speaker = Speaker(redirect.url, redirect.moment / 1e6, "", self._names, share, share)
        return _Said(speaker, likely, bytes([likely]))

    def _parts(
        self, said: list[_Said], links: list[Link], own: Mapping[int, int]
    ) -> tuple[tuple[Part, ...], float]:
        pages = [one.page for one in said]
        highest, total, count = max(pages), sum(pages), len(said)
        promise = self._promise(links, own, highest)
        text = max(one.hint[0] for one in said)
        scores = parts_of(highest, promise, text, min(total, 0xFFFF), count)
        features = (
            ("every URL", ""),
            ("the best page that links to it", f"{highest / 255:.0%}"),
            ("sum of these pages", f"{total / 255:.2f}, on average {total / count / 255:.0%}"),
            ("the best promise of these pages", f"{promise / 255:.0%}"),
            ("the best text of a link, with the words of the URL", f"{text / 255:.0%}"),
            ("number of links", f"{count:,}"),
        )
        parts = tuple(Part(*one, score) for one, score in zip(features, scores, strict=True))
        return parts, sum(scores)

    def _own(self, links: Collection[Link]) -> dict[int, int]:
        """Return for each fetch the probability that its page is on a wanted topic, as a byte."""
        fetches = {link.fetch for link in links}
        return {
            fetch: round(255 * min(sum(compress(probabilities, self._wanted)), 1.0))
            for fetch, probabilities in probabilities(self._folder, self._model, fetches).items()
        }

    def _promise(self, links: Collection[Link], own: Mapping[int, int], best: int) -> int:
        """Return the best promise: a page's own, or half of the promise with which it was found."""
        for level in range(1, MOST_LEVELS + 1):
            if best >= 255 >> level:  # pages further back cannot promise more
                break
            before: dict[int, int] = {}
            for link in links:
                if link.fetch in own and len(before) < MOST_PAGES:
                    before[link.source] = max(before.get(link.source, 0), link.moment)
            links = list(links_to(self._folder, before))
            own = self._own(links)
            best = max(best, max(own.values(), default=0) >> level)
        return best


# -- other crawls -------------------------------------------------------------------------


def _by_topic(
    folder: Path,
    model: TopicModel,
    key: str,
    links: list[Link],
    redirects: list[_Redirect],
    *,
    given: list[_Said],
) -> Prediction:
    """Compute the same result as `TopicEvidence`."""
    names = model.names
    path = key[key.find("/") :] if "/" in key else ""
    pages = probabilities(folder, model, {link.fetch for link in links})
    said = list(given)
    by_page, by_text = [0.0] * len(names), [0.0] * len(names)
    for _, _, hint in given:
        for topic, byte in zip(hint[::2], hint[1::2], strict=True):
            by_page[topic] += byte / 255
            by_text[topic] += byte / 255
    for link in links:
        if link.fetch not in pages:
            continue
        page, text = pages[link.fetch], model.link_probabilities(f"{link.text} {path}")
        hint = model.link_topics([link.text], [key], page)
        by_page = [one + more for one, more in zip(by_page, page, strict=True)]
        by_text = [one + more for one, more in zip(by_text, text, strict=True)]
        best = hint[0]
        told = (link.url, link.moment / 1e6, link.text, names[best], page[best], text[best])
        said.append(_Said(Speaker(*told), 0, hint))
    for url, moment, queue, likely in redirects:
        # An earlier model may have had more topics.
        queue = queue if queue < len(names) else names.index(OTHER)
        share = likely / 255
        by_page[queue] += share
        by_text[queue] += share
        hint = bytes([queue, likely]).ljust(HINT_BYTES, b"\0")
        said.append(_Said(Speaker(url, moment / 1e6, "", names[queue], share, share), 0, hint))
    if not said:
        return _by_words(model, key, path)
    said.sort(key=lambda one: one.speaker.moment)
    votes, together = PlainTopicEvidence(), Counter[int]()
    place = (0, 0)
    for _, _, hint in said:
        for _, *now in votes.hear([0], hint, (), ()):
            place = (now[0], now[1])
        for topic, probability in zip(hint[::2], hint[1::2], strict=True):
            together[topic] += probability
    count, (queue, position) = len(said), place
    shares = tuple(
        Shares(names[topic], by_page[topic] / count, by_text[topic] / count, heard / count / 255)
        for topic, heard in sorted(together.items(), key=lambda one: (one[0] != queue, -one[1]))[:3]
        if heard
    )
    return Prediction(names[queue], position, (), shares, tuple(one.speaker for one in said))


def _by_words(model: TopicModel, key: str, path: str) -> Prediction:
    """Return the evidence of a URL's words alone, as for seeds."""
    unknown = [1 / len(model.names)] * len(model.names)
    best = model.link_topics([""], [key], unknown)[0]
    likely = model.link_probabilities(f" {path}")[best]
    name = model.names[best]
    return Prediction(name, 0, (), (Shares(name, 0.0, likely, likely),), ())
