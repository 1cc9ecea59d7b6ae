"""What does a body of each type of content take in its record: bytes and CPU time?

    python -m benchmarks.contents FOLDER … [--most 80]

Files of the folders by their suffix; HTML also as servers send it, in gzip and in brotli. `over` is
the worst file's growth beyond 0.1 % and 64 bytes: 0 or less keeps the promise of decision 11.
"""

from __future__ import annotations

import argparse
import gzip
import os
import time
import zlib
from collections import defaultdict
from pathlib import Path

import brotli

from lycosa.storage.warc.warc_format import pack

SUFFIXES = (
    *("html", "css", "js", "json", "svg", "png", "jpg", "gif", "webp", "ico"),
    *("woff2", "ttf", "pdf", "gz", "wasm"),
)
HEADERS = (
    "WARC-Type: response\r\nWARC-Record-ID: <urn:uuid:0c4ad99c-62cc-4a1b-8a44-000000000123>\r\n"
    "WARC-Date: 2026-11-18T07:02:10.123456Z\r\nWARC-IP-Address: 192.0.2.7\r\n"
    "WARC-Target-URI: https://www.example.org/some/path/to/a/page.html?x=1\r\n"
    "Content-Type: application/http;msgtype=response\r\n"
    "WARC-Payload-Digest: sha1:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567\r\n"
)
HEAD = (
    b"HTTP/1.1 200 OK\r\nDate: Wed, 18 Nov 2026 07:02:10 GMT\r\nServer: nginx/1.24.0\r\n"
    b"Content-Type: text/html; charset=utf-8\r\nContent-Length: 12345\r\nConnection: keep-alive\r\n"
    b'ETag: "65548a20-3039"\r\nVary: Accept-Encoding\r\nCache-Control: max-age=600\r\n\r\n'
)


def contents(folders: list[Path], most: int) -> dict[str, list[bytes]]:
    """Return at most so many bodies of each type, spread over all files that there are."""
    found: dict[str, list[Path]] = defaultdict(list)
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            suffix = path.suffix.lower().removeprefix(".").replace("jpeg", "jpg")
            if suffix in SUFFIXES and path.is_file() and 300 < path.stat().st_size < 3_000_000:
                found[suffix].append(path)
    bodies: dict[str, list[bytes]] = {}
    for suffix in SUFFIXES:
        paths = found[suffix][:: max(1, len(found[suffix]) // most)][:most]
        bodies[suffix] = [path.read_bytes() for path in paths]
    bodies["html, gzip"] = [gzip.compress(body, 6) for body in bodies["html"]]
    bodies["html, brotli"] = [brotli.compress(body, quality=5) for body in bodies["html"]]
    bodies["random"] = [os.urandom(size) for size in (300, 3000, 30_000, 300_000, 1_000_000)]
    return {name: some for name, some in bodies.items() if some}


def main() -> None:
    """Print a line for each type."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--most", type=int, default=80)
    given = parser.parse_args()
    head_bytes = len(pack(HEADERS, HEAD))
    print("| type | files | bytes | stored as | over | µs |\n|---|---|---|---|---|---|")
    for name, bodies in contents(given.folders, given.most).items():
        packed = [pack(HEADERS, HEAD, body) for body in bodies]
        for body, record in zip(bodies, packed, strict=True):
            assert zlib.decompress(record, 31).endswith(HEAD + body + b"\r\n\r\n")
        sizes = [len(record) - head_bytes for record in packed]
        over = max(size - 1.001 * len(body) - 64 for size, body in zip(sizes, bodies, strict=True))
        seconds = min(_seconds(bodies) for _ in range(5))
        count, total = len(bodies), sum(map(len, bodies))
        print(
            f"| {name} | {count} | {total // count:,} | {sum(sizes) / total:.3f} | {over:,.0f}"
            f" | {seconds / count * 1e6:,.1f} |"
        )


def _seconds(bodies: list[bytes]) -> float:
    began = time.process_time()
    for body in bodies:
        pack(HEADERS, HEAD, body)
    return time.process_time() - began


if __name__ == "__main__":
    main()
