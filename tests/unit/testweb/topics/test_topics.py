"""The web with topics has the statistics that its parameters name, and knows the truth."""

from __future__ import annotations

import statistics
from itertools import islice

import pytest

from lycosa.errors import ConfigError
from lycosa.extract.page import scan
from lycosa.extract.topics.training import Example, train
from lycosa.frontier.partitioners import DomainPartitioner
from lycosa.model.url import key_of
from lycosa_testweb import request_for
from lycosa_testweb.topics.plan import Page
from lycosa_testweb.topics.web import OTHER, Shape, TopicWeb
from seeds import seeds

SMALL = Shape(pages=2000)


def links_that_stay(web: TopicWeb, urls: list[str]) -> float:
    kept = [
        web.topic_of(target) == web.topic_of(url)
        for url in urls
        if not web.is_hub(url)
        for target, _ in web.links_of(url)
    ]
    return statistics.mean(kept)


def every_fifth(web: TopicWeb) -> list[str]:
    return list(islice(web.all_pages(), 0, None, 5))


@pytest.mark.parametrize("purity", [0.0, 0.5, 0.9, 1.0])
def test_every_page_has_one_url_and_every_url_its_topic(purity: float) -> None:
    web = TopicWeb(SMALL._replace(purity=purity), 3)
    urls = {url: name for name in web.names for url in web.pages(name)}
    assert len(urls) == 2000
    assert all(web.topic_of(url) == name for url, name in urls.items())


@pytest.mark.parametrize("seed", seeds(1, 2, start=1))
@pytest.mark.parametrize("locality", [0.2, 0.4, 0.7])
def test_links_stay_in_the_topic_as_often_as_the_locality_says(locality: float, seed: int) -> None:
    web = TopicWeb(SMALL._replace(locality=locality), seed)
    assert links_that_stay(web, every_fifth(web)) == pytest.approx(locality, abs=0.04)


@pytest.mark.parametrize("purity", [0.0, 0.5, 0.9])
def test_a_share_of_pages_lies_on_hosts_of_one_topic(purity: float) -> None:
    web = TopicWeb(SMALL._replace(purity=purity, pages=6000), 5)
    topics: dict[str, set[str]] = {}
    for url in web.all_pages():
        topics.setdefault(url.split("/")[2], set()).add(web.topic_of(url))
    alone = [len(topics[url.split("/")[2]]) == 1 for url in web.all_pages()]
    assert statistics.mean(alone) == pytest.approx(purity, abs=0.02)


def test_hosts_lie_in_partitions_of_their_own() -> None:
    web = TopicWeb(SMALL._replace(pages_per_host=10), 1)
    partitioner = DomainPartitioner(64)
    partitions = {partitioner.partition_of(key_of(f"http://{host}/")) for host in web.hosts()}
    assert len(partitions) > 56


def test_shares_are_those_given() -> None:
    web = TopicWeb(Shape(("a.b", "c"), (0.1, 0.4), pages=1000), 1)
    assert web.plan.sizes == [100, 400, 500]
    assert list(web.names) == ["a.b", "c", OTHER]


def test_all_pages_are_reached_from_the_seeds() -> None:
    web = TopicWeb(SMALL, 2)
    seen = set(web.seeds())
    todo = list(seen)
    while todo:
        for target, _ in web.links_of(todo.pop()):
            if target not in seen:
                seen.add(target)
                todo.append(target)
    assert seen == set(web.all_pages())


@pytest.mark.parametrize("length", [1, 3])
def test_a_tunnel_page_is_reached_through_irrelevant_pages_alone(length: int) -> None:
    web = TopicWeb(SMALL._replace(tunnels=0.05, tunnel_length=length), 4)
    sources: dict[str, list[str]] = {}
    for url in web.all_pages():
        for target, _ in web.links_of(url):
            sources.setdefault(target, []).append(url)
    tunnels = [url for url in web.all_pages() if web.is_tunnel(url)]
    assert len(tunnels) == sum(web.plan.tunnels) == pytest.approx(0.05 * 1400, abs=3)
    for url in tunnels:
        topic, place = web.topic_of(url), url
        for _ in range(length):
            (place,) = sources[place]
            assert web.topic_of(place) == OTHER
        (entrance,) = sources[place]
        assert web.topic_of(entrance) == topic


def test_hubs_link_to_many_pages_of_their_topic() -> None:
    web = TopicWeb(SMALL._replace(hubs=0.05), 1)
    urls = list(web.all_pages())
    hubs = [url for url in urls if web.is_hub(url)]
    assert len(hubs) / len(urls) == pytest.approx(0.05, abs=0.015)
    for url in hubs:
        topic = web.topic_of(url)
        assert sum(web.topic_of(target) == topic for target, _ in web.links_of(url)) >= 30


def test_anchors_are_as_telling_as_asked() -> None:
    web = TopicWeb(SMALL._replace(telling=0.3), 1)
    told = []
    for url in every_fifth(web):
        for target, anchor in web.anchors_of(url):
            words = web.plan.names.index(web.topic_of(target))
            told.append(set(anchor.split()) <= set(web._texts.vocabulary(words)))
    assert statistics.mean(told) == pytest.approx(0.3, abs=0.04)


def test_a_classifier_is_right_about_seven_pages_of_eight() -> None:
    web = TopicWeb(SMALL._replace(several=0.0), 6)
    examples = []
    for url in islice(web.all_pages(), 0, None, 2):
        facts = scan(web.answer(request_for(web, url), 0.0).body, "text/html")
        examples.append(Example(facts.title, facts.content, (web.topic_of(url),)))
    model = train(examples[::2])
    right = []
    for one in examples[1::2]:
        probabilities = model.probabilities(one.title, one.content)
        right.append(model.names[probabilities.index(max(probabilities))] == one.topics[0])
    assert statistics.mean(right) == pytest.approx(0.87, abs=0.04)


def test_pages_of_two_topics_have_a_section_for_each() -> None:
    web = TopicWeb(SMALL._replace(several=0.3), 1)
    urls = [url for name in SMALL.names for url in web.pages(name)]
    mixed = [url for url in urls if len(web.topics_of(url)) == 2]
    assert len(mixed) / len(urls) == pytest.approx(0.3, abs=0.04)
    body = web.answer(request_for(web, mixed[0]), 0.0).body
    assert body.count(b"<h2>") == 2
    assert len(set(web.topics_of(mixed[0]))) == 2


def test_a_large_web_is_not_stored() -> None:
    web = TopicWeb(Shape(pages=50_000_000, purity=0.9), 1)
    url = web.url(Page(2, 6_000_000))
    assert web.topic_of(url) == "cooking"
    assert web.answer(request_for(web, url), 0.0).status == 200


def test_another_seed_is_another_web_and_the_same_seed_the_same() -> None:
    one, same, other = TopicWeb(SMALL, 1), TopicWeb(SMALL, 1), TopicWeb(SMALL, 2)
    url = one.url(Page(0, 5))
    asked = request_for(one, url)
    assert one.answer(asked, 0.0) == same.answer(asked, 9.0)
    assert one.url(Page(0, 5)) != other.url(Page(0, 5))


def test_urls_that_are_spelled_otherwise_are_no_pages() -> None:
    web = TopicWeb(SMALL, 1)
    for url in ("http://h0-topics.test/007", "http://h00-topics.test/", "http://x.test/1"):
        assert not web.is_page(url)
        assert web.topics_of(url) == ()


def test_a_web_too_small_for_its_topics_is_refused() -> None:
    with pytest.raises(ConfigError, match="too few"):
        TopicWeb(Shape(pages=10), 1)
    with pytest.raises(ConfigError, match="stays in the topic"):
        TopicWeb(Shape(locality=0.1), 1)
