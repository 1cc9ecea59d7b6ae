"""SQLite's FTS5 and Xapian over the same pages and questions, for `benchmarks.search`.

Both get what they are usually given: title and anchors boosted tenfold, stemmed text. Xapian runs
in the system's Python (Debian's `python3-xapian`): `python3 search_rivals.py xapian FOLDER`.
"""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

WORD = re.compile(r"\w+")


def read_lines(path: Path) -> list[Any]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def size_of(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def fts5(folder: Path) -> dict[str, Any]:
    """Index and ask; returns answers (numbers of pages) and costs."""
    path = folder / "fts5" / "index.sqlite"
    path.parent.mkdir()
    store = sqlite3.connect(path)
    began = time.process_time()
    store.execute(
        "create virtual table pages using fts5(title, anchors, body, tokenize='porter unicode61')"
    )
    rows = (
        (number, page["title"], page["anchors"], page["text"])
        for number, page in enumerate(read_lines(folder / "pages.jsonl"), 1)
    )
    store.executemany("insert into pages (rowid, title, anchors, body) values (?, ?, ?, ?)", rows)
    store.commit()
    cpu = time.process_time() - began
    answers, times = [], []
    for question in read_lines(folder / "questions.jsonl"):
        begin = time.perf_counter()
        words = " OR ".join(f'"{word}"' for word in WORD.findall(question))
        found = store.execute(
            "select rowid, snippet(pages, 2, '[', ']', ' ', 30) from pages where pages match ?"
            " order by bm25(pages, 10.0, 10.0, 1.0) limit 10",
            (words,),
        ).fetchall()
        times.append(time.perf_counter() - begin)
        answers.append([number - 1 for number, _ in found])
    store.close()
    return {"answers": answers, "times": times, "cpu": cpu, "bytes": size_of(path.parent)}


def xapian(folder: Path) -> dict[str, Any]:
    """Run Xapian in the system's Python."""
    done = subprocess.run(
        ["/usr/bin/python3", __file__, "xapian", str(folder)], check=True, capture_output=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _xapian(folder: Path) -> dict[str, Any]:
    import xapian as engine  # type: ignore[import-not-found]

    began = time.process_time()
    store = engine.WritableDatabase(str(folder / "xapian"), engine.DB_CREATE_OR_OVERWRITE)
    terms = engine.TermGenerator()
    terms.set_stemmer(engine.Stem("en"))
    for page in read_lines(folder / "pages.jsonl"):
        document = engine.Document()
        terms.set_document(document)
        terms.index_text(page["title"], 10)
        terms.increase_termpos()
        terms.index_text(page["anchors"], 10)
        terms.increase_termpos()
        terms.index_text(page["text"])
        document.set_data(page["text"][:20_000])
        store.add_document(document)
    store.commit()
    store.close()
    cpu = time.process_time() - began
    store = engine.Database(str(folder / "xapian"))
    parser = engine.QueryParser()
    parser.set_stemmer(engine.Stem("en"))
    parser.set_stemming_strategy(parser.STEM_SOME)
    answers, times = [], []
    for question in read_lines(folder / "questions.jsonl"):
        begin = time.perf_counter()
        enquire = engine.Enquire(store)
        enquire.set_query(parser.parse_query(" ".join(WORD.findall(question))))
        matches = enquire.get_mset(0, 10)
        found = []
        for match in matches:
            matches.snippet(match.document.get_data().decode("utf-8", "replace"), 200)
            found.append(match.docid - 1)
        times.append(time.perf_counter() - begin)
        answers.append(found)
    return {"answers": answers, "times": times, "cpu": cpu, "bytes": size_of(folder / "xapian")}


if __name__ == "__main__":
    json.dump(_xapian(Path(sys.argv[2])), sys.stdout)
