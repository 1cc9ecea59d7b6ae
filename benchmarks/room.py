"""How much of the disk does forgetting give back?

    python -m benchmarks.room

An archive of four hosts, whose pages stand by turns or side by side; then one host is forgotten. A
file keeps its length, because records never move; what counts is the room that its blocks take.
Pages are made up: words by chance, which compress to about a third.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

from lycosa.model.records import Answer, Capture, Outcome, Purpose, Request
from lycosa.model.url.key import host_of, url_of
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.segments.removal import forget_host

HOSTS = 4


def captures(pages: int, page_bytes: int, *, by_turns: bool) -> list[Capture]:
    """Return fetches of pages of four hosts."""
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(5000)]
    made = []
    for number in range(pages):
        host = number % HOSTS if by_turns else number * HOSTS // pages
        key = f"org.host{host}:/page/{number}"
        text = " ".join(chance.choices(words, k=page_bytes // 7)).encode()
        headers = (("Content-Type", "text/html"),)
        answer = Answer(200, headers, text, 1.7e9 + number, 1.7e9 + number + 0.1, asked=b"GET")
        request = Request(url_of(key), host_of(key), "192.0.2.1:80", Purpose.PAGE, "L", 10**7)
        made.append(Capture(key, Purpose.PAGE, Outcome.KEPT, 21, request, answer, text=text))
    return made


def room_of(folder: Path) -> int:
    """Return how much of the disk all files of an archive take."""
    return sum(512 * path.stat().st_blocks for path in folder.rglob("*") if path.is_file())


def measure(folder: Path, pages: int, page_bytes: int, *, by_turns: bool) -> tuple[int, int]:
    """Return the room that an archive takes before and after one of four hosts was forgotten."""
    store = ArchiveStore(folder)
    for capture in captures(pages, page_bytes, by_turns=by_turns):
        store.append(capture)
    store.seal(lambda place, key: True)
    store.close()
    before = room_of(folder)
    forget_host(folder, "host1.org")
    return before, room_of(folder)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=800)
    parser.add_argument("--folder", type=Path, help="where to write (default: a temporary folder)")
    flags = parser.parse_args()
    print("a page, bytes  hosts stand   before, KB   after, KB   of a quarter given back")
    for page_bytes in (5_000, 30_000, 200_000):
        for by_turns in (True, False):
            with tempfile.TemporaryDirectory(dir=flags.folder) as folder:
                before, after = measure(Path(folder), flags.pages, page_bytes, by_turns=by_turns)
            share = (before - after) / (before / HOSTS)
            how = "by turns" if by_turns else "together"
            print(
                f"{page_bytes:13,}  {how:11}  {before // 1024:11,} {after // 1024:11,} {share:9.0%}"
            )


if __name__ == "__main__":
    main()
