"""Measures how long a search takes in the index of a large crawl.

    python -m benchmarks.search_scale CRAWL [--pages 1000000] [--letters N] [--questions 300]

Where there is no crawl yet one of `--pages` is made up (`made_crawl`), with texts of N letters if
told; then it is indexed if it is not (`lycosa index --only text`), and what the indexer takes is
told: of its own, and with the files of the index that it maps. Questions are of three kinds, with
ten results, passages, facets and folded duplicates as a user gets them, in one process that has the
index open:

    three     three words of a page
    rare      one word that few pages have, and a frequent one
    frequent  two of the most frequent words: what costs most
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
from benchmarks.made_crawl import make_short, make_whole
from benchmarks.search_rivals import size_of

from lycosa.analysis.text_index.text_store import TextStore
from lycosa.analysis.text_search.results import Ask
from lycosa.analysis.text_search.search import TextSearch

SAMPLE_PAGES = 2_000
WATCH_SECONDS = 0.2


def questions_of(crawl: Path, count: int) -> dict[str, list[str]]:
    """Draw questions from a sample of the texts."""
    chance = random.Random(5)
    file = pq.ParquetFile(min((crawl / "text").glob("*.parquet")))
    batch = next(file.iter_batches(SAMPLE_PAGES, columns=["text"]))
    texts = [re.findall(r"\w{3,}", text.lower()) for text in batch.column("text").to_pylist()]
    texts = [words for words in texts if len(words) > 20]
    often = [word for word, _ in Counter(w for words in texts for w in set(words)).most_common()]
    frequent, rare = often[:100], often[len(often) // 2 :]
    return {
        "three": [" ".join(chance.sample(chance.choice(texts), 3)) for _ in range(count)],
        "rare": [f"{chance.choice(rare)} {chance.choice(frequent)}" for _ in range(count)],
        "frequent": [" ".join(chance.sample(frequent, 2)) for _ in range(count)],
    }


def index_texts(crawl: Path) -> None:
    """Index a crawl, and say what that takes."""
    command = [sys.executable, "-m", "lycosa", "index", "--only", "text", str(crawl)]
    with subprocess.Popen(command) as indexer:
        own = whole = 0
        while indexer.poll() is None:
            told = Path(f"/proc/{indexer.pid}/status").read_text()
            kilobytes = dict(re.findall(r"^(VmRSS|RssAnon):\s+(\d+)", told, re.MULTILINE))
            own = max(own, int(kilobytes.get("RssAnon", 0)))
            whole = max(whole, int(kilobytes.get("VmRSS", 0)))
            time.sleep(WATCH_SECONDS)
    if indexer.returncode:
        sys.exit(indexer.returncode)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    print(f"indexer: {seconds:,.0f} s of CPU, {own / 1e3:,.0f} MB, {whole / 1e3:,.0f} with files")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("crawl", type=Path)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--letters", type=int, default=0, help="0: one to eight paragraphs")
    parser.add_argument("--questions", type=int, default=300)
    given = parser.parse_args()
    if not given.crawl.exists():
        if given.letters:
            make_short(given.crawl, given.pages, 10 * given.pages, given.letters)
        else:
            make_whole(given.crawl, given.pages, 10 * given.pages)
    index_texts(given.crawl)
    store = TextStore(given.crawl)
    with store.reading() as (index, manifest):
        search = TextSearch(index, manifest, lambda name: [])
        print(f"index of {size_of(store.folder) / 1e6:,.0f} MB\n")
        print(f"{'':<12}{'hits, median':>14}{'p50 ms':>10}{'p99 ms':>10}{'longest ms':>12}")
        for kind, questions in questions_of(given.crawl, given.questions).items():
            times, hits = [], []
            for text in questions:
                began = time.perf_counter()
                hits.append(search.run(Ask(text)).total)
                times.append(1e3 * (time.perf_counter() - began))
            p99 = statistics.quantiles(times, n=100)[98]
            print(
                f"{kind:<12}{statistics.median(hits):>14,.0f}{statistics.median(times):>10.1f}"
                f"{p99:>10.1f}{max(times):>12.1f}"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"\npeak of the process {peak:,.0f} MB")


if __name__ == "__main__":
    main()
