"""The commands about topics as a user types them, over a crawl of a web with three topics."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lycosa.analysis.topics.pools import read_pools
from lycosa.model.records import Request, Resolved
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import HTML, PLAIN, Reply
from made_topics import VOCABULARIES, made_texts, topic_of, write_pages
from stand_in import StandIn
from warm import lycosa

PAGES = 45
"""Of each topic."""
LYCOSA = (sys.executable, "-m", "lycosa")
POOLS = """
[topics.biology]
keywords = ["cell", "species"]
[topics.music]
keywords = ["song", "guitar"]
[topics.sport]
keywords = ["match", "team"]
"""


class TopicWeb:
    """A host for each topic: a front page that links to all its pages, and to the other hosts."""

    def __init__(self, pages: int = PAGES) -> None:
        self._pages = {}
        for text in made_texts(pages):
            links = f'<a href="http://{topic_of(text.address)}.test/">up</a>'
            self._pages[text.address] = self._page(text.title, text.content.decode(), links)
        for topic in VOCABULARIES:
            urls = [f"http://{topic}.test/{number}" for number in range(pages)]
            urls += [f"http://{other}.test/" for other in VOCABULARIES if other != topic]
            links = "".join(f'<a href="{url}">x</a>' for url in urls)
            self._pages[f"http://{topic}.test/"] = self._page("front", "the front page", links)

    def _page(self, title: str, text: str, links: str) -> bytes:
        return f"<!doctype html><title>{title}</title><p>{text}</p>{links}".encode()

    def hosts(self) -> list[str]:
        return [f"{topic}.test" for topic in VOCABULARIES]

    def answer(self, request: Request, moment: float) -> Reply:
        body = self._pages.get(request.url)
        return Reply(404, PLAIN, b"no such page\n") if body is None else Reply(200, HTML, body)

    def resolve(self, host: str, moment: float) -> Resolved:
        return Resolved("10.0.0.1" if host in self.hosts() else None, 3600.0)


@pytest.fixture(scope="module")
def stand_in() -> Iterator[StandIn]:
    with SocketWeb(TopicWeb()) as server:
        yield StandIn(server)


@pytest.fixture(scope="module")
def folder(stand_in: StandIn, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a crawl, labels of some of its pages, pools, and a model from keywords."""
    folder = tmp_path_factory.mktemp("topics")
    seeds = [f"http://{topic}.test/" for topic in VOCABULARIES]
    done = lycosa("crawl", *seeds, "-o", folder / "crawl", "--json", *stand_in.flags())
    assert done.returncode == 0, done.stderr
    (folder / "pools.toml").write_text(POOLS, encoding="utf-8")
    labels = [f"{text.address}\t{topic_of(text.address)}\n" for text in made_texts(PAGES)]
    (folder / "labels.tsv").write_text("".join(labels), encoding="utf-8")
    trained = lycosa("topics", "train", "crawl", "--pools", "pools.toml", "--json", cwd=folder)
    assert trained.returncode == 0, trained.stderr
    assert json.loads(trained.stdout)["trained_by"] == "keywords"
    return folder


def typed(folder: Path, *words: object, code: int = 0) -> str:
    """Type a command; returns what it prints."""
    done = lycosa("topics", *words, cwd=folder)
    assert done.returncode == code, done.stderr
    return done.stdout


def test_a_model_is_trained_from_labels_and_judged(folder: Path) -> None:
    facts = json.loads(
        typed(folder, "train", "crawl", "--labels", "labels.tsv", "--out", "l.model", "--json")
    )
    assert facts["topics"] == dict.fromkeys(VOCABULARIES, PAGES) and facts["trained_by"] == "labels"
    judged = ("evaluate", "crawl", "--labels", "labels.tsv")
    said = typed(folder, *judged, "--picture", "m.svg")
    assert "accuracy" in said and "calibration error" in said and "m.svg" in said
    assert (folder / "m.svg").read_text(encoding="utf-8").startswith("<svg")
    found = json.loads(typed(folder, *judged, "--model", "topics.model", "--json"))
    assert found["pages"] == 3 * PAGES and found["accuracy"] > 0.95
    assert sum(map(sum, found["confusion"])) == 3 * PAGES


def test_a_tree_of_pages_is_a_pool_and_a_folder_of_pages_a_source(
    folder: Path, tmp_path: Path
) -> None:
    write_pages(tmp_path / "tree", made_texts(20))
    facts = json.loads(typed(tmp_path, "train", "--pools", "tree", "--json"))
    assert facts["trained_by"] == "pages of the pools" and facts["examples"] == 60
    typed(tmp_path, "train", "tree", "--pools", folder / "pools.toml", "--out", "k.model")
    labels = [f"{topic}/{n}.html,{topic}\n" for topic in VOCABULARIES for n in range(20)]
    (tmp_path / "l.csv").write_text("".join(labels), encoding="utf-8")
    found = json.loads(
        typed(tmp_path, "evaluate", "tree", "--labels", "l.csv", "--model", "k.model", "--json")
    )
    assert found["accuracy"] > 0.95


def test_a_model_shows_its_topics_and_with_pages_their_words(folder: Path) -> None:
    said = typed(folder, "show")
    assert "3 topics" in said and "song, guitar" in said
    facts = json.loads(typed(folder, "show", "--words", "crawl", "--json"))
    words = {one["topic"]: one["words"] for one in facts["topics"]}
    assert set(words["music"]) <= set(VOCABULARIES["music"].split())


def test_a_url_is_fetched_and_a_file_is_read(
    folder: Path, stand_in: StandIn, tmp_path: Path
) -> None:
    found = typed(folder, "test", "http://music.test/3", "--json", "--why", *stand_in.flags())
    facts = json.loads(found)
    assert facts["topics"] == ["music"]
    assert facts["why"]["words"][0]["word"] in VOCABULARIES["music"].split()
    page = tmp_path / "page.html"
    page.write_text("<title>Goals</title><p>team match player goal league", encoding="utf-8")
    said = typed(folder, "test", page, "--why")
    assert "topics: sport" in said and "+" in said
    typed(folder, "test", page, "--topic", "chess", code=1)
    missing = lycosa("topics", "test", "http://music.test/x", *stand_in.flags(), cwd=folder)
    assert missing.returncode == 1 and "there is no page to read: not found" in missing.stderr


def test_pages_are_labelled_line_by_line_and_taken_up_again(folder: Path, tmp_path: Path) -> None:
    labels = tmp_path / "mine.tsv"
    command = [*LYCOSA, "topics", "label", "crawl", "--labels", str(labels), "--pools"]
    command += ["pools.toml", "--model", "topics.model"]

    def answer(answers: str) -> str:
        done = subprocess.run(
            command, input=answers, cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    said = answer("1\n2,3\ns\nx\nu\nu\n0\n+ chess\n")
    assert "the model's guess" in said and "`x` is not an answer" in said
    lines = labels.read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[1] for line in lines] == ["biology", "other", "chess"]
    assert f"{3 * PAGES} pages left" in said.replace(f"{3 * PAGES + 3} pages left", "")
    again = answer("q\n")
    assert f"{3 * PAGES} pages left" in again and "3 pages labelled" in again
    assert "4 chess" in again


def test_keys_of_a_terminal_are_enough(folder: Path, tmp_path: Path) -> None:
    labels = tmp_path / "mine.tsv"
    words = ["topics", "label", "crawl", "--labels", str(labels), "--topic", "a", "--topic", "b"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*LYCOSA, *words], stdin=theirs, stdout=subprocess.PIPE, cwd=folder, text=True
    ) as process:
        os.close(theirs)
        assert process.stdout is not None
        out = ""
        for key in (b"1", b"2", b"q"):
            while "left)" not in (line := process.stdout.readline()):
                assert line, f"it ended:\n{out}"
                out += line
            os.write(ours, key)
        out += process.stdout.read()
    os.close(ours)
    assert process.returncode == 0, out
    lines = labels.read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[1] for line in lines] == ["a", "b"]


def test_hubs_of_a_crawl_become_pools(folder: Path) -> None:
    typed(folder, "seeds", "crawl", "--topic", "music", "--top", "1", "--hubs", "-o", "hubs.toml")
    (pool,) = read_pools(folder / "hubs.toml")
    assert (pool.topic, pool.keywords) == ("music", ("song", "guitar"))
    assert pool.urls == ("http://music.test/",)
    said = typed(folder, "seeds", "crawl", "--top", "2")
    assert said.count("[topics.") == 3 and said.count("http://") == 6
    wrong = lycosa("topics", "seeds", "crawl", "--topic", "chess", cwd=folder)
    assert wrong.returncode == 1 and "no topic `chess`" in wrong.stderr


def test_a_split_that_passes_is_trained_and_one_that_fails_is_refused(
    folder: Path, tmp_path: Path
) -> None:
    labels = [f"{text.address}\tall\n" for text in made_texts(PAGES)]
    (tmp_path / "all.tsv").write_text("".join(labels), encoding="utf-8")
    model = tmp_path / "parts.model"
    given = ("split", "crawl", "--labels", tmp_path / "all.tsv", "--topic", "all", "--json")
    facts = json.loads(typed(folder, *given, "--out", model))
    assert facts["passed"] and len(facts["parts"]) == 3
    names = [one["name"] for one in facts["parts"]]
    shown = json.loads(typed(folder, "show", "--model", model, "--json"))["topics"]
    assert [one["topic"] for one in shown] == [*sorted(names), "other"]
    assert {one["parent"] for one in shown} == {"all", None}

    write_pages(tmp_path / "pages", made_texts(120, ["music"]))
    refused = ("split", tmp_path / "pages", "--model", folder / "topics.model", "--topic", "music")
    none = tmp_path / "none.model"
    said = typed(folder, *refused, "--into", "2", "--out", none, code=1)
    assert "refused" in said and "music stays whole" in said and not none.exists()


def test_a_split_is_applied_to_a_crawl_which_goes_on_by_the_parts(
    folder: Path, tmp_path: Path
) -> None:
    with SocketWeb(TopicWeb(60)) as server:
        split_and_go_on(folder, StandIn(server), tmp_path)


def split_and_go_on(folder: Path, stand_in: StandIn, tmp_path: Path) -> None:
    labels = [
        f"{text.address}\t{'music' if topic_of(text.address) == 'music' else 'rest'}\n"
        for text in made_texts(PAGES)
    ]
    (tmp_path / "two.tsv").write_text("".join(labels), encoding="utf-8")
    model, crawl = tmp_path / "two.model", tmp_path / "crawl"
    typed(folder, "train", "crawl", "--labels", tmp_path / "two.tsv", "--out", model)
    seeds = [f"http://{topic}.test/" for topic in VOCABULARIES]
    flags = [*stand_in.flags(), "--scheduler", "topics", "--set", f"topics.model={model}"]
    done = lycosa("crawl", *seeds, "-o", crawl, "--max-pages", "160", "--json", *flags)
    assert done.returncode == 0, done.stderr
    facts = json.loads(
        typed(folder, "split", crawl, "--topic", "rest", "--into", "2", "--apply", "--json")
    )
    names = [one["name"] for one in facts["parts"]]
    assert facts["passed"] and len(names) == 2
    again = lycosa("topics", "split", crawl, "--topic", "tennis", "--apply")
    assert again.returncode == 1 and "the model has no topic `tennis`" in again.stderr
    wrong = lycosa("topics", "split", crawl, "--topic", "rest", "--apply", "--out", "x")
    assert wrong.returncode == 2 and "--apply takes one crawl" in wrong.stderr
    done = lycosa("resume", crawl, "--max-pages", "0", "--json")
    assert done.returncode == 0, done.stderr
    query = "select topic, count(*) as n from pages where outcome = 'kept' group by all"
    rows = lycosa("sql", crawl, query, "--format", "jsonl").stdout.splitlines()
    counts = {row["topic"]: row["n"] for row in map(json.loads, rows)}
    assert sum(counts.values()) == 3 * 60 + 3
    assert counts["rest"] >= 80 and counts["music"] >= 58
    assert sum(counts.get(name, 0) for name in names) > 0
    assert lycosa("verify", crawl).returncode == 0


def test_a_crawl_is_classified_again_and_asked_by_sql(folder: Path) -> None:
    before = lycosa("export", "page_topics", folder / "crawl")
    assert before.returncode == 1 and "make it: lycosa topics apply" in before.stderr
    facts = json.loads(typed(folder, "apply", "crawl", "--json"))
    assert facts["pages"] == 3 * PAGES + 3
    assert all(facts["topics"][topic] >= PAGES - 2 for topic in VOCABULARIES)
    query = "select topic, count(*) as n from page_topics where url like '%sport%' group by all"
    rows = lycosa("sql", folder / "crawl", query + " order by n desc", "--format", "jsonl").stdout
    assert json.loads(rows.splitlines()[0])["topic"] == "sport"
    exported = lycosa("export", "page_topics", folder / "crawl").stdout.splitlines()
    assert len(exported) == 3 * PAGES + 4
    assert lycosa("study", folder / "crawl").returncode == 0
    assert len(lycosa("export", "page_topics", folder / "crawl").stdout.splitlines()) > PAGES
    assert lycosa("verify", folder / "crawl").returncode == 0


def test_a_crawl_with_a_model_and_the_model_applied_later_say_the_same(
    folder: Path, stand_in: StandIn, tmp_path: Path
) -> None:
    crawl = tmp_path / "crawl"
    model = f"topics.model={folder / 'topics.model'}"
    flags = ["--max-pages", "30", "--set", model, *stand_in.flags()]
    done = lycosa("crawl", "http://music.test/", "-o", crawl, "--json", *flags)
    assert done.returncode == 0, done.stderr
    typed(folder, "apply", crawl)
    query = (
        "select count(*) as n, count(*) filter (p.topic = t.topic and p.topics = t.topics"
        " and p.topic_confidence = t.topic_confidence) as same"
        " from pages p join page_topics t using (fetch_id)"
    )
    found = json.loads(lycosa("sql", crawl, query, "--format", "jsonl").stdout)
    assert found == {"n": 30, "same": 30}


def test_what_is_missing_is_said_with_what_to_do(folder: Path, tmp_path: Path) -> None:
    for words, said in (
        (("train", "crawl"), "Give --labels FILE or --pools FILE."),
        (("train", "--labels", "labels.tsv"), "Name the DIR of the labelled pages."),
        (("train", "--pools", "pools.toml"), "Name a DIR with pages"),
        (("evaluate", "crawl"), "Give --labels FILE"),
        (("label", "crawl", "--labels", tmp_path / "l"), "Name topics to choose from"),
        (("evaluate", "crawl", "--labels", "no.tsv"), "make it: lycosa topics label DIR"),
        (("apply", tmp_path), "there is no crawl here"),
        (("apply", "crawl", "--model", "pools.toml"), "is not a model of topics"),
        (("show", "--model", "no.model"), "or train one: lycosa topics train"),
        (("train", "crawl", "--pools", "pools.toml", "--out", "no/m"), "there is no folder no"),
        (
            ("evaluate", "crawl", "--labels", "labels.tsv", "--picture", "m.png"),
            "choose: --picture",
        ),
    ):
        done = lycosa("topics", *words, cwd=folder)
        assert done.returncode != 0 and said in done.stderr, (words, done.stderr)
        assert "bug" not in done.stderr
