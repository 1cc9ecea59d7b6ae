"""What a person asks of a crawl by topic: why a URL waits where it does, and what was found."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from lycosa import Job, Plugin, run
from lycosa.analysis.report.facts import MOST_WORDS, facts_of
from lycosa.extract.page import scan
from lycosa.extract.topics.model import TopicModel
from lycosa.extract.topics.training import Example, train
from lycosa.features.plugins.pages import SeenPage
from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.features.topics.evidence import WEIGHTS, position_of
from lycosa.frontier.facts.topics import NO_TOPIC
from lycosa.frontier.queue_moves import NOTED_STEP
from lycosa.model.url import key_of
from lycosa.operate.inspect.prediction import predicted
from lycosa.runtime.directory import CrawlDirectory
from lycosa_testweb import request_for
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.topics.plan import Page
from lycosa_testweb.topics.web import OTHER, Shape, TopicWeb
from seeds import few_of
from stand_in import StandIn
from warc_tools import ask_fastwarc, ask_warcio
from warm import lycosa

PAGES = 300
FOCUSED = ("--set", "topics.policy=focused", "--set", 'topics.wanted=["spiders"]')


@pytest.fixture(scope="module")
def web() -> TopicWeb:
    return TopicWeb(Shape(pages=PAGES), 1)


@pytest.fixture(scope="module")
def stand_in(web: TopicWeb) -> Iterator[StandIn]:
    with SocketWeb(web) as server:
        yield StandIn(server)


@pytest.fixture(scope="module")
def model(web: TopicWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    examples = []
    for url in list(web.all_pages())[::2]:
        facts = scan(web.answer(request_for(web, url), 0.0).body, "text/html")
        examples.append(Example(facts.title, facts.content, (web.topic_of(url),)))
    path = tmp_path_factory.mktemp("model") / "topics.model"
    train(examples).write(path)
    return path


def crawled(folder: Path, stand_in: StandIn, web: TopicWeb, model: Path, *flags: str) -> Path:
    words = ("--include", ".test", "--scheduler", "topics", "--json", *stand_in.flags())
    given = (*words, "--set", f"topics.model={model}", *flags)
    done = lycosa("crawl", *web.seeds(), "-o", folder, *given)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def focused(
    web: TopicWeb, stand_in: StandIn, model: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("focused") / "crawl"
    return crawled(folder, stand_in, web, model, "--max-pages", "80", *FOCUSED)


@pytest.fixture(scope="module")
def each(
    web: TopicWeb, stand_in: StandIn, model: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("each") / "crawl"
    flags = ("--max-pages", "80", "--set", "frontier.partitioner=host-hash")
    return crawled(folder, stand_in, web, model, *flags)


def test_seeds_begin_in_the_queue_that_their_pool_names(
    web: TopicWeb, stand_in: StandIn, model: Path, tmp_path: Path
) -> None:
    topics = [name for name in web.names if name != OTHER]
    later = {url: topics[at - 1] for at, url in enumerate(web.seeds())}  # not what they are about
    rows = "".join(f"{topic},{url}\n" for url, topic in later.items())
    (tmp_path / "pools.csv").write_text(f"topic,url\n{rows}", encoding="utf-8")
    flags = ("--include", ".test", "--scheduler", "topics", "--json", *stand_in.flags())
    given = ("--seeds", tmp_path / "pools.csv", "--set", f"topics.model={model}", *flags)
    done = lycosa("crawl", *given, "-o", tmp_path / "crawl", "--max-pages", "15")
    assert done.returncode == 0, done.stderr
    for url, topic in later.items():
        told = lycosa("explain", tmp_path / "crawl", url).stdout
        assert f"given as a seed; in the queue of {topic}, at position 0 of 254" in told
        assert f"the list of seeds says {topic}" in told
    more = ("add", tmp_path / "crawl", f"{web.url(Page(0, 7))}\t{topics[2]}")
    assert lycosa(*more).stdout.startswith("1 seed added")
    (tmp_path / "wrong.csv").write_text(f"topic,url\nchess,{web.seeds()[0]}\n", encoding="utf-8")
    wrong = ("--seeds", tmp_path / "wrong.csv", *given[2:], "-o", tmp_path / "never")
    refused = lycosa("crawl", *wrong)
    assert refused.returncode != 0 and "no topic `chess`" in refused.stderr
    assert not (tmp_path / "never").exists()


def test_the_model_comes_along_in_a_copy(
    web: TopicWeb, stand_in: StandIn, model: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    store.mkdir()
    flags = ("--max-pages", "10", "--store", store.as_uri(), "--set", "store.seal_seconds=1")
    crawled(tmp_path / "crawl", stand_in, web, model, *flags)
    done = lycosa("fetch", store.as_uri(), tmp_path / "copy")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "copy" / "topics.model").read_bytes() == model.read_bytes()
    shown = lycosa("topics", "show", "--model", tmp_path / "copy" / "topics.model", "--json")
    assert {one["topic"] for one in json.loads(shown.stdout)["topics"]} == set(web.names) | {OTHER}
    again = lycosa("fetch", store.as_uri(), tmp_path / "copy")
    assert again.returncode == 0, again.stderr


def test_a_study_measures_overlap_and_communication(each: Path) -> None:
    assert lycosa("study", each).returncode == 0
    found = lycosa("sql", each, "from topic_overlaps", "--format", "jsonl").stdout.splitlines()
    rows = {row["measure"]: row for row in map(json.loads, found)}
    assert {row["pages"] for row in rows.values()} == {80}
    assert rows["url overlap"]["number"] == rows["content overlap"]["number"] == 0
    job = CrawlDirectory.open(each).job()
    partition_of = partitioner_of(job, None).partition_of
    links = lycosa("sql", each, "from site_links", "--format", "jsonl").stdout.splitlines()
    between = [
        link["links"]
        for link in map(json.loads, links)
        if partition_of(key_of(f"{link['source']}/")) != partition_of(key_of(f"{link['target']}/"))
    ]
    assert rows["links between partitions"]["number"] == sum(between) > 80
    messages = json.loads(lycosa("status", each, "--json").stdout)["messages"]
    assert rows["messages"]["number"] == messages > 0
    report = lycosa("report", each, "--json")
    assert report.returncode == 0, report.stderr
    sections = {one["name"]: one for one in json.loads(report.stdout)["sections"]}
    assert sections["topic-overlaps"]["sentence"].startswith("0 URLs were kept twice")


def test_a_report_names_the_words_of_each_topic(focused: Path, web: TopicWeb) -> None:
    done = lycosa("report", focused)
    assert done.returncode == 0, done.stderr
    page = (focused / "report" / "index.html").read_text(encoding="utf-8")
    directory = CrawlDirectory.open(focused)
    words = facts_of(directory, {}, with_audit=False).words["spiders"]
    assert len(words) == MOST_WORDS and " ".join(words) in page
    texts = [web.answer(request_for(web, url), 0.0).body.decode() for url in web.pages("spiders")]
    for word in words:
        assert sum(word in text.lower() for text in texts) > 0.1 * len(texts)


def test_programs_and_plugins_see_the_topics_of_pages(
    web: TopicWeb, stand_in: StandIn, model: Path, tmp_path: Path
) -> None:
    def look(page: SeenPage) -> None:
        page["seen"] = f"{page.topic} {page.topic_confidence} {' '.join(page.topics)}"
        if page.url == web.seeds()[0]:
            page.text = ""
            page["seen"] = str(page.topic)

    sections = stand_in.sections | {"topics": {"model": str(model)}, "limits": {"pages": 12}}
    job = Job.of(web.seeds(), [], **sections)
    plugin = Plugin("mine", on_page=look, columns={"seen": str})
    crawl = run(tmp_path / "crawl", job, plugins=[plugin])
    pages = list(crawl.pages(outcome="kept"))
    assert len(pages) == 12
    for page in pages:
        if page.url == web.seeds()[0]:
            assert page.extra["seen"] == "None"
            continue
        assert page.topic in web.names and page.topic == page.extra["topic"]
        topic, sure, *names = str(page.extra["seen"]).split()
        assert (topic, tuple(names)) == (page.topic, page.topics)
        assert float(sure) == pytest.approx(page.topic_confidence)


def test_the_repository_of_a_topic_is_a_warc_file_of_its_own(
    focused: Path, web: TopicWeb, tmp_path: Path
) -> None:
    target = tmp_path / "spiders.warc.gz"
    flags = ("--topic", "spiders", "--without-seeds", "--format", "warc", "-o", target)
    done = lycosa("export", "pages", focused, *flags)
    assert done.returncode == 0, done.stderr
    ask_warcio(target)
    ask_fastwarc(target, with_payloads=True)
    bodies, kinds = {}, Counter[str]()
    with target.open("rb") as file:
        for record in ArchiveIterator(file):
            kinds[record.rec_type] += 1
            if record.rec_type == "response":
                url = record.rec_headers.get_header("WARC-Target-URI")
                bodies[url] = record.content_stream().read()
    query = "select url from pages where contains(topics, 'spiders') and distance > 0"
    found = lycosa("sql", focused, query, "--format", "jsonl").stdout.splitlines()
    assert set(bodies) == {json.loads(line)["url"] for line in found}
    assert len(bodies) > 5 and not set(bodies) & set(web.seeds())
    for url, body in bodies.items():
        assert body == web.answer(request_for(web, url), 0.0).body
    pages = len(bodies)
    assert kinds == {"warcinfo": 1, "request": pages, "response": pages, "metadata": pages}
    links = lycosa("export", "links", focused, "--format", "warc", "-o", tmp_path / "l")
    assert links.returncode == 1 and "`links` has no records" in links.stderr


def waiting(folder: Path) -> list[str]:
    """Return the URLs that wait and to which a page has linked: not the sitemaps, which are tried
    unasked."""
    found = json.loads(lycosa("queue", folder, "--limit", "0", "--json").stdout)
    return sorted(one["url"] for one in found["urls"] if not one["url"].endswith("/sitemap.xml"))


@pytest.mark.parametrize("kind", few_of(["focused", "each"], 1))
def test_a_prediction_computed_anew_is_near_that_of_the_log(
    kind: str, request: pytest.FixtureRequest
) -> None:
    directory = CrawlDirectory.open(request.getfixturevalue(kind))
    job = directory.job()
    states, partitioner = directory.states(job), partitioner_of(job, None)
    names = TopicModel.read(Path(job.topics.model)).names
    urls = waiting(directory.path)[::5]
    near = same = 0
    for url in urls:
        found = predicted(directory.path, job, url, partitioner, states)
        assert found is not None
        state = states[partitioner.partition_of(key_of(url))]
        page = state.table.find(key_of(url))
        assert page is not None
        near += abs(found.position - state.topics.grade_of(page)) <= NOTED_STEP
        noted = state.topics.of(page)  # of some the log notes no topic: none of theirs is the same
        same += noted != NO_TOPIC and found.queue == names[noted]
    assert len(urls) > 20
    assert min(near, same) >= 0.75 * len(urls)


def test_an_explanation_has_the_part_of_every_feature(focused: Path) -> None:
    for url in waiting(focused)[::40]:
        told = json.loads(lycosa("explain", focused, url, "--json").stdout)["prediction"]
        assert told["recomputed"] and len(told["parts"]) == len(WEIGHTS)
        assert sum(part["score"] for part in told["parts"]) == pytest.approx(told["score"])
        assert told["position"] == position_of(told["score"])
        assert told["parts"][-1]["value"] == str(len(told["links"]))
        said = lycosa("explain", focused, url).stdout
        assert f"computed again from {len(told['links'])} link" in said
        assert "the best text of a link" in said and told["links"][0]["url"] in said


def test_an_explanation_says_which_topics_pages_and_texts_make_likely(
    each: Path, web: TopicWeb
) -> None:
    moved = []
    for url in waiting(each)[::12]:
        told = json.loads(lycosa("explain", each, url, "--json").stdout)
        one = told["prediction"]
        assert one["topics"][0]["topic"] == one["queue"] and not one["parts"]
        assert all(0 <= share[part] <= 1 for share in one["topics"] for part in ("pages", "texts"))
        moved += [step["what"] for step in told["history"] if step["what"].startswith("moved: now")]
    assert any(" more link" in what and " about " in what for what in moved)
    seeds = [lycosa("explain", each, url).stdout for url in web.seeds()]
    assert any("no page links to it" in said for said in seeds)
