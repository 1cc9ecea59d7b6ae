"""Measures the cost of storing a page, step by step.

    python benchmarks/store.py [--pages 400] [--repeats 5] [--folder DIR] [--json]

Two made-up pages of HTML whose words repeat as those of documentation do: 13.6 kB and
30 kB, each with 35 links (with their anchor text) and 8 kB of visible text. Every page
of a run has words of its own, so none is a revisit. CPU time of one core, the best of the
repeats, microseconds a page:

    digest      SHA-1 of the payload and of the block, and those of request and metadata
    gzip        the three records as gzip members, by isal 0 to 3 and zlib 1; bytes kept
    rows        the columns of a commit's pages, as Arrow batches, per page
    append      the store's `append`: records, digests, gzip, rows gathered
    flush       the store's `flush`, a commit of 200 pages at a time
    seal        Parquet and index
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from isal import isal_zlib

from lycosa.model.records import Answer, Capture, LinkKind, Links, Outcome, Purpose, Request, Target
from lycosa.model.url import url_of
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.tables._rows import Pending
from lycosa.storage.tables.rows import url_id
from lycosa.storage.warc import warc_format
from lycosa.storage.warc.exchange import Writer, message_of

LINKS = 35
TEXT_BYTES = 8_000
COMMIT_PAGES = 200
SIZES = {"13.6 kB": 13_600, "30 kB": 30_000}
HEAD = (
    b"HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Sun, 15 Nov 2026 03:00:00 GMT\r\n"
    b"Content-Type: text/html\r\nLast-Modified: Wed, 20 Mar 2024 10:00:00 GMT\r\n"
    b'Connection: keep-alive\r\nETag: "65faacf0-7690"\r\nAccept-Ranges: bytes\r\n\r\n'
)


def made_up(size: int, pages: int) -> list[Capture]:
    chance = random.Random(size)
    syllables = [a + b for a in "bdfgklmnprst" for b in "aeiou"]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(4000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    return [_page(chance, words, weights, size, number) for number in range(pages)]


def _page(
    chance: random.Random, words: list[str], weights: list[float], size: int, number: int
) -> Capture:
    text = " ".join(chance.choices(words, weights, k=TEXT_BYTES // 6))[:TEXT_BYTES]
    keys = [
        f"org.example.www:s/api/{chance.choice(words)}/{chance.choice(words)}-{place}.html"
        for place in range(LINKS)
    ]
    texts = [" ".join(chance.choices(words, weights, k=3)) for _ in keys]
    links = Links(
        [Target(key, url_of(key), url_id(key)) for key in keys],
        [int(LinkKind.ANCHOR)] * LINKS,
        texts,
        [""] * LINKS,
        [1] * LINKS,
    )
    pieces = [f"<!DOCTYPE html>\n<html lang=en><head><title>Page {number}</title></head><body>"]
    for key, label in zip(keys, texts, strict=True):
        path = key.partition(":s")[2]
        pieces.append(f'<div class="member"><a href="{path}" title="{label}">{label}</a>')
        some = chance.choices(words, weights, k=max(size - 5_000, 1_000) // 35 // 7)
        pieces.append(f'<p class="block">{" ".join(some)}</p></div>')
    body = "\n".join(pieces).encode()
    body += b" <!-- filler -->" * ((size - len(body)) // 16) if len(body) < size else b""
    body = body[:size]
    url = f"https://www.example.org/api/page-{number}.html"
    asked = f"GET /api/page-{number}.html HTTP/1.1\r\nHost: www.example.org\r\n".encode()
    asked += b"User-Agent: Lycosa/0.1 (+https://example.org/bot)\r\nAccept: text/html\r\n\r\n"
    began = 1.7e9 + number / 100
    headers = tuple(
        (name, value)
        for name, _, value in (line.partition(": ") for line in HEAD.decode().split("\r\n")[1:-2])
    )
    return Capture(
        f"org.example.www:s/api/page-{number}.html",
        Purpose.PAGE,
        Outcome.KEPT,
        21,
        Request(url, "www.example.org", "192.0.2.1:443", Purpose.PAGE, "Lycosa", 10**7),
        Answer(200, headers, body, began, began + 0.02, None, False, asked, HEAD, body),
        links,
        f"Page {number}",
        "A page about words",
        text.encode(),
        "en",
        "utf-8",
        chance.getrandbits(64),
    )


def best(job: Callable[[], object], pages: int, repeats: int) -> float:
    """Return the least CPU time of a job over so many pages, in microseconds a page."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        job()
        times.append(time.process_time() - began)
    return min(times) / pages * 1e6


def blocks_of(captures: list[Capture]) -> list[tuple[bytes, bytes]]:
    """Return for each page the bytes of its response record, and of its other two."""
    result = []
    ids = warc_format.Ids()
    for capture in captures:
        writer = Writer(ids, capture, capture.request.url)
        message = message_of(capture.answer)
        members = [
            writer.response(message),
            writer.request(),
            writer.metadata(message.payload_digest),
        ]
        plain = [zlib.decompress(member, 31) for member in members]
        result.append((plain[0], plain[1] + plain[2]))
    return result


def measure_digests(captures: list[Capture]) -> None:
    for capture in captures:
        hashlib.sha1(capture.answer.sent, usedforsecurity=False).digest()
        hashlib.sha1(capture.answer.head + capture.answer.sent, usedforsecurity=False).digest()
        hashlib.sha1(capture.answer.asked, usedforsecurity=False).digest()
        hashlib.sha1(bytes(2_500), usedforsecurity=False).digest()


def measure_rows(captures: list[Capture]) -> None:
    for start in range(0, len(captures), COMMIT_PAGES):
        pending = Pending("lycosa-0-00001.warc.gz")
        for capture in captures[start : start + COMMIT_PAGES]:
            pending.add(capture, "response", "sha1:" + "A" * 32, True, 0, 1, 0, 1)
        pending.messages()


def measure(size: int, pages: int, repeats: int, folder: Path | None) -> dict[str, float]:
    captures = made_up(size, pages)
    result = {"digest": best(lambda: measure_digests(captures), pages, repeats)}
    blocks = blocks_of(captures)
    ways: dict[str, Callable[[bytes], bytes]] = {
        **{f"isal {level}": _isal(level) for level in range(4)},
        "zlib 1": lambda content: zlib.compress(content, 1, 31),
    }
    for name, compress in ways.items():
        for part, index in (("page", 0), ("fields", 1)):
            chosen = [pair[index] for pair in blocks]
            took = best(lambda c=chosen, f=compress: [f(x) for x in c], pages, repeats)  # type: ignore[misc]
            result[f"gzip {part} {name}"] = took
            result[f"gzip {part} {name}, bytes"] = sum(map(len, map(compress, chosen))) / pages
    result["rows"] = best(lambda: measure_rows(captures), pages, repeats)
    appends, flushes, seals, kept = [], [], [], 0
    for _ in range(repeats):
        with tempfile.TemporaryDirectory(dir=folder) as place:
            store = ArchiveStore(Path(place), info={"software": "Lycosa"})
            append = flush = 0.0
            for start in range(0, pages, COMMIT_PAGES):
                began = time.process_time()
                for capture in captures[start : start + COMMIT_PAGES]:
                    store.append(capture)
                middle = time.process_time()
                store.flush()
                append += middle - began
                flush += time.process_time() - middle
            kept = store.size_bytes
            began = time.process_time()
            store.seal(lambda place, key: True)
            seals.append((time.process_time() - began) / pages * 1e6)
            appends.append(append / pages * 1e6)
            flushes.append(flush / pages * 1e6)
            store.close()
    result |= {"append": min(appends), "flush": min(flushes), "seal": min(seals)}
    result["WARC bytes"] = kept / pages
    result["MB/s of pages"] = size / (min(appends) + min(flushes))
    return result


def _isal(level: int) -> Callable[[bytes], bytes]:
    return lambda content: isal_zlib.compress(content, level, 31)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where to write; a temporary folder by default")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = {
        name: measure(size, options.pages, options.repeats, options.folder)
        for name, size in SIZES.items()
    }
    if options.json:
        print(json.dumps(results, indent=2))
        return
    print(f"{'µs a page':34}" + "".join(f"{name:>12}" for name in results))
    for key in next(iter(results.values())):
        print(f"{key:34}" + "".join(f"{result[key]:12,.1f}" for result in results.values()))


if __name__ == "__main__":
    main()
