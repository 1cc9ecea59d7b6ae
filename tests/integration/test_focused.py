"""The harness of focused crawls, on a small corpus that is made from the web with topics."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks.focus import unlabelled
from benchmarks.focus.corpus import Corpus, read_corpus
from benchmarks.focus.corpus_web import CorpusWeb
from benchmarks.focus.evidence import Crawl, Evidence, Variant
from benchmarks.focus.judge import Draw, Task, judge, link_words
from benchmarks.focus.limits import knowing_oracle, reachable
from benchmarks.focus.orders import ORDERS
from benchmarks.focus.prediction import one_draw
from benchmarks.focus.variants import HAND_WEIGHTS, ablation, examples_of
from benchmarks.focused_hosts import WatchedWeb, crawl

from lycosa.extract.page import scan
from lycosa.model.job import Job
from lycosa.simulation.simulation import Simulation
from lycosa_testweb import request_for
from lycosa_testweb.topics.web import OTHER, Shape, TopicWeb

pytestmark = pytest.mark.quick

PAGES = 800


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus on disk, with links as encyclopaedias write them."""
    web = TopicWeb(Shape(pages=PAGES), 1)
    made = tmp_path_factory.mktemp("corpus")
    names = {url: f"{n % 7}/Page_{n}.htm" for n, url in enumerate(web.all_pages())}
    labels = []
    for url, name in names.items():
        body = web.answer(request_for(web, url), 0.0).body.decode()
        body = re.sub(r'href="([^"]+)"', lambda m: f'href="../../wp/{names[m[1]]}"', body)
        file = made / "pages" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body)
        if web.topic_of(url) != OTHER:
            labels.append(f"{name}\t{','.join(web.topics_of(url))}\n")
    (made / "labels.tsv").write_text("".join(labels))
    return made


@pytest.fixture(scope="module")
def corpus(folder: Path) -> Corpus:
    return read_corpus(folder)


@pytest.fixture(scope="module")
def drawn(corpus: Corpus) -> Draw:
    return Draw(corpus, 0, link_words(corpus))


@pytest.fixture(scope="module")
def task(drawn: Draw) -> Task:
    return drawn.task("spiders")


def test_the_corpus_has_all_pages_and_links(corpus: Corpus) -> None:
    assert len(corpus.paths) == PAGES
    assert 10 < sum(map(len, corpus.links)) / PAGES < 14


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_fetches_what_it_has_found_and_nothing_twice(name: str, task: Task) -> None:
    known, seen = set(task.seeds), set()
    for page in ORDERS[name](task):
        assert page in known
        assert page not in seen
        seen.add(page)
        known.update(task.links[page])
    assert len(seen) > PAGES / 4


def test_training_pages_count_in_neither_harvest_nor_recall(task: Task) -> None:
    trained = [page for page in range(PAGES) if not task.counts[page]]
    counted = [page for page in range(PAGES) if task.counts[page] and task.is_relevant[page]]
    assert judge(task, trained).recall == 0.0
    assert judge(task, [*trained, *counted]) == judge(task, counted)
    assert judge(task, counted).harvest == judge(task, counted).recall == 1.0


def test_links_and_parents_lead_better_than_chance_and_worse_than_truth(task: Task) -> None:
    plain = judge(task, ORDERS["breadth-first"](task)).harvest
    ours = judge(task, Crawl(task, Variant(HAND_WEIGHTS))).harvest
    truth = judge(task, ORDERS["oracle"](task)).harvest
    assert plain * 1.4 < ours < truth


def test_every_variant_crawls(task: Task) -> None:
    rows = examples_of({"spiders": [task]})["spiders"]
    for name, variant in ablation(rows).items():
        assert 0 < judge(task, Crawl(task, variant)).recall <= 1, name


def test_no_order_beats_what_can_be_reached(task: Task) -> None:
    everything = judge(task, knowing_oracle(task))
    assert judge(task, ORDERS["oracle"](task)).recall <= everything.recall <= reachable(task)
    assert everything.recall > 0.9


def test_words_and_seeds_make_a_model_without_labels(
    corpus: Corpus, drawn: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = TopicWeb(Shape(pages=PAGES), 1)
    words = {name: " ".join(web.keywords(name)[:4]) for name in Shape().names}
    monkeypatch.setattr(unlabelled, "KEYWORDS", words)
    without = Draw(corpus, 0, link_words(corpus), has_labels=False)
    assert without.seeds("spiders") == drawn.seeds("spiders")
    assert without.accuracy() > 0.6
    found = without.task("spiders")
    plain = judge(found, ORDERS["breadth-first"](found)).harvest
    assert judge(found, Crawl(found, Variant(HAND_WEIGHTS))).harvest > plain


def test_packed_evidence_differs_by_less_than_a_step() -> None:
    exact, packed = Evidence(), Evidence()
    for said in ((0.1234, 0.5, 0.9), (0.777, 0.3, 0.01)):
        exact.hear(*said)
        packed.hear_packed(*said)
    for one, other in zip(exact.features(), packed.features(), strict=True):
        assert one == pytest.approx(other, abs=0.05)


def test_topics_are_predicted_better_with_all_links_than_with_one(corpus: Corpus) -> None:
    found = one_draw(corpus, 0, 0.5)
    assert found["both, all links"] > found["both, one link"] > found["parent, one link"]


@pytest.mark.parametrize("purity", [0.0, 0.5, 0.9])
def test_the_corpus_is_spread_over_hosts(purity: float, folder: Path) -> None:
    web = CorpusWeb(folder, purity)
    held: dict[str, set[str]] = {}
    for path in web.paths():
        host = web.url(path).split("/")[2]
        held.setdefault(host, set()).add(next(iter(web.labels.get(path, ("",)))))
    alone = [len(held[web.url(path).split("/")[2]]) == 1 for path in web.labels]
    assert sum(alone) / len(alone) == pytest.approx(purity, abs=0.02)


def test_links_of_the_served_corpus_name_pages_that_are_there(folder: Path, tmp_path: Path) -> None:
    web = CorpusWeb(folder)
    for path in web.paths()[:50]:
        reply = web.answer(request_for(web, web.url(path)), 0.0)
        for href in scan(reply.body, "text/html").hrefs:
            assert web.answer(request_for(web, href), 0.0).status == 200
    job = Job.of(seeds=[web.url(web.paths()[0])], limits={"pages": 60})
    simulation = Simulation(web, job, tmp_path, seed=1)
    assert simulation.run().kept_pages == 60
    assert set(simulation.kept_urls()) <= {web.url(path) for path in web.paths()}


def test_the_real_crawler_is_judged_by_the_order_of_its_requests(
    folder: Path, corpus: Corpus, drawn: Draw, task: Task, tmp_path: Path
) -> None:
    model = tmp_path / "topics.model"
    drawn.model("spiders").write(model)
    harvest = {}
    for scheduler in ("breadth-first", "topics"):
        job = {"scheduler": scheduler, "connections": 4}
        result, asked = crawl(WatchedWeb(folder, 0.5), task, corpus.paths, model, job)
        assert asked >= 2 * task.relevant
        harvest[scheduler] = result.harvest
    assert harvest["topics"] > harvest["breadth-first"]
