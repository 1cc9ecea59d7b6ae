"""Searches a crawl with Lycosa, with the text of pages alone, with SQLite's FTS5 and with Xapian.

    python -m benchmarks.doc_sites CRAWL --docs unpacked/usr/share/doc
    python -m benchmarks.search CRAWL [--questions 300]

Relevance without labels: links are split by their source. The anchors of one half are indexed, the
texts of the other half's links are questions whose answer is the target (`links`; `targets` takes
each target once; `novel` those with a word that the target's title does not have). `titles` asks
for the title of a page, `content` for three words of its text. Printed are the mean reciprocal
rank (MRR) of the first ten results and the share of questions with the answer among them; a copy of
the answer counts as the answer. Weights were fixed before this crawl was made.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import tantivy
from benchmarks.search_rivals import fts5, size_of, xapian

from lycosa.analysis.text_index.current_pages import sealed_files, wanted_pages
from lycosa.analysis.text_index.index import TextIndex
from lycosa.analysis.text_index.text_store import TextStore
from lycosa.analysis.text_search.results import Ask
from lycosa.analysis.text_search.search import TextSearch
from lycosa.model.job import Job

KINDS = ("links", "targets", "novel", "titles", "content")


class Question(NamedTuple):
    """A question and the page that answers it."""

    kind: str
    text: str
    url: str


def half_of_links(crawl: Path, folder: Path) -> None:
    """Make a crawl directory with the links of half of the sources."""
    for kind in ("pages", "text"):
        shutil.copytree(crawl / kind, folder / kind)
    (folder / "warc").symlink_to((crawl / "warc").resolve())
    (folder / "links").mkdir()
    for path in (crawl / "links").glob("*.parquet"):
        duckdb.execute(
            f"copy (select * from '{path}' where source_id % 2 = 0) to '{folder}/links/{path.name}'"
        )


def questions_of(crawl: Path, urls: dict[str, str], each: int) -> list[Question]:
    """Return the questions; `urls` are the pages of the index with their titles."""
    chance = random.Random(1)
    links = duckdb.execute(
        f"select distinct text, target_url from '{crawl}/links/*.parquet' where source_id % 2 != 0"
        " and kind = 'anchor' and regexp_matches(text, '\\pL{3}') and source_id != target_id"
        " order by all"
    ).fetchall()
    known = [(text, url) for text, url in links if url in urls and 2 <= len(text.split()) <= 8]
    chance.shuffle(known)
    targets = list({url: (text, url) for text, url in known}.values())
    novel = [
        (text, url)
        for text, url in targets
        if set(re.findall(r"\w+", text.lower())) - set(re.findall(r"\w+", urls[url].lower()))
    ]
    count: dict[str, int] = {}
    for title in urls.values():
        count[title] = count.get(title, 0) + 1
    titles = [(title, url) for url, title in urls.items() if title and count[title] == 1]
    texts = duckdb.execute(
        f"select url, text from '{crawl}/text/*.parquet' order by url"
    ).fetchall()
    chance.shuffle(titles)
    chance.shuffle(texts)
    contents = []
    for url, text in texts[: 3 * each]:
        words = sorted(set(re.findall(r"[a-z]{5,14}", text.lower())))
        if url in urls and len(words) > 30:
            contents.append((" ".join(chance.sample(words, 3)), url))
    made = {"links": known, "targets": targets, "novel": novel, "titles": titles}
    made["content"] = contents
    return [Question(kind, *one) for kind in KINDS for one in made[kind][:each]]


def lycosa(folder: Path, job: Job) -> tuple[float, int, Callable[[str], list[list[str]]]]:
    """Index by Lycosa; returns CPU seconds, bytes, and the function that asks."""
    began = time.process_time()
    index = TextIndex(folder, job)
    index.update(anew=True)
    cpu = time.process_time() - began
    opened, manifest = TextStore(folder).reading().__enter__()
    search = TextSearch(opened, manifest, lambda name: [])

    def ask(text: str) -> list[list[str]]:
        return [[hit.url, *hit.copies] for hit in search.run(Ask(text)).hits]

    return cpu, size_of(index.store.folder), ask


def body_only(pages: Sequence[dict[str, Any]], folder: Path) -> Callable[[str], list[list[str]]]:
    """Index the text alone by tantivy; returns the function that asks."""
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("number", stored=True)
    builder.add_text_field("body")
    index = tantivy.Index(builder.build(), str(folder))
    writer = index.writer(60_000_000, 1)
    for number, page in enumerate(pages):
        writer.add_document(tantivy.Document(number=number, body=page["text"]))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(text: str) -> list[list[str]]:
        words = " ".join(re.findall(r"\w+", text))
        query, _ = index.parse_query_lenient(words, ["body"])
        hits = searcher.search(query, 10).hits
        return [[pages[searcher.doc(at)["number"][0]]["url"]] for _, at in hits]

    return ask


def gathered(folder: Path, job: Job) -> list[dict[str, Any]]:
    """Return the pages as Lycosa indexes them: URL, title, anchors, text, digest."""
    with wanted_pages(sealed_files(folder), {}, job, folder) as connection:
        found = connection.sql(
            "select wanted.url, wanted.title, anchors, coalesce(text.text, '') as text, digest"
            " from wanted left join text on text.fetch_id = text_fetch order by wanted.url"
        ).to_arrow_table()
        return list(found.to_pylist())


def judged(
    name: str, questions: Sequence[Question], answers: Sequence[list[list[str]]]
) -> list[float]:
    """Print and return the MRR of each kind of question."""
    scores: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for question, answer in zip(questions, answers, strict=True):
        places = [place for place, urls in enumerate(answer, 1) if question.url in urls]
        scores[question.kind].append(1 / places[0] if places else 0.0)
    means = [statistics.mean(scores[kind]) for kind in KINDS]
    found = statistics.mean(score > 0 for some in scores.values() for score in some)
    cells = "".join(f"{mean:>10.3f}" for mean in means)
    print(f"{name:<12}{cells}{found:>12.1%}", flush=True)
    return means


def costs(name: str, pages: int, text: int, cpu: float, size: int, times: list[float]) -> None:
    ordered = sorted(times)
    median, last = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    print(
        f"{name:<12}{pages / cpu:>10,.0f}{size / text:>10.2f}"
        f"{1000 * median:>10.2f}{1000 * last:>10.1f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("crawl", type=Path)
    parser.add_argument("--questions", type=int, default=300, help="of each kind")
    given = parser.parse_args()
    job = Job.of(seeds=["http://docs.test/"])
    with tempfile.TemporaryDirectory(prefix="lycosa-search-") as name:
        folder = Path(name)
        half_of_links(given.crawl, folder)
        pages = gathered(folder, job)
        questions = questions_of(
            given.crawl, {p["url"]: p["title"] for p in pages}, given.questions
        )
        with (folder / "pages.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(page) + "\n" for page in pages)
        with (folder / "questions.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(question.text) + "\n" for question in questions)
        compare(folder, job, pages, questions)


def compare(folder: Path, job: Job, pages: list[dict[str, Any]], questions: list[Question]) -> None:
    same: dict[str, list[str]] = {}
    for page in pages:
        same.setdefault(page["digest"], []).append(page["url"])
    cpu, size, ask = lycosa(folder, job)
    asked, times = [], []
    for question in questions:
        begin = time.perf_counter()
        asked.append(ask(question.text))
        times.append(time.perf_counter() - begin)
    (folder / "body").mkdir()
    body = body_only(pages, folder / "body")
    rivals = {"FTS5": fts5(folder), "Xapian": xapian(folder)}
    print(f"{len(pages):,} pages, {len(questions):,} questions\n")
    print(f"{'MRR':<12}" + "".join(f"{kind:>10}" for kind in KINDS) + f"{'found in 10':>12}")
    judged("lycosa", questions, asked)
    judged("body only", questions, [body(question.text) for question in questions])
    for name, rival in rivals.items():
        found = [[same[pages[n]["digest"]] for n in answer] for answer in rival["answers"]]
        judged(name, questions, found)
    text = sum(len(page["text"].encode()) for page in pages)
    print(f"\n{'':<12}{'pages/s':>10}{'÷ text':>10}{'p50 ms':>10}{'p99 ms':>10}")
    costs("lycosa", len(pages), text, cpu, size, times)
    for name, rival in rivals.items():
        costs(name, len(pages), text, rival["cpu"], rival["bytes"], rival["times"])


if __name__ == "__main__":
    main()
