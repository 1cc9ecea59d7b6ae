"""Compares ways to call the URL parser ada, from an href to its WHATWG form and its key.

    python benchmarks/url_parsing.py [file of URLs, one a line; .xz is unpacked]

Without a file a corpus is made up, the same every time. Every way does the same work on
the same URLs in the same run, absolute ones and relative ones against a base; the result
is how many times longer it takes than Lycosa's own call. `can_ada` is measured where it is
installed.
"""

import importlib
import itertools
import lzma
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import ada_url

from lycosa.model.url import canonical_key, canonical_keys, canonicalize, key_of, parse

COUNT = 100_000
REPEATS = 5
BASE = "https://www.example.org/docs/guide/page.html?x=1"
WORDS = ("docs", "guide", "news", "img", "archive", "2024", "blog", "Über", "a%20b", "index.html")

Way = Callable[[list[str]], object]


def made_up() -> list[str]:
    chance = random.Random(1)
    urls = []
    for number in range(COUNT):
        host = f"{chance.choice(['www.', '', 'blog.'])}site{chance.randrange(5000)}.example"
        path = "/".join(chance.choices(WORDS, k=chance.randrange(1, 6)))
        query = f"?id={number}&lang=en" if chance.random() < 0.3 else ""
        urls.append(f"https://{host}/{path}{query}")
    return urls


def read(path: Path) -> list[str]:
    data = path.read_bytes()
    if path.suffix == ".xz":
        data = lzma.decompress(data)
    lines = (line for line in data.decode().split("\n") if canonicalize(line))
    return list(itertools.islice(lines, COUNT))


def relative_to_base(urls: list[str]) -> list[str]:
    """Give the same paths as pages write them: from the root, from the folder, a query alone."""
    forms = ("/{}", "../{}", "{}", "?{}", "../../{}#top")
    paths = (url.split("/", 3)[-1].replace(":", "") for url in urls)
    return [forms[number % len(forms)].format(path) for number, path in enumerate(paths)]


def can_ada_way() -> Way | None:
    try:
        can_ada_parse = importlib.import_module("can_ada").parse
    except ImportError:
        return None
    return lambda urls: [can_ada_parse(u).href for u in urls]


def plain_keys(urls: list[str]) -> list[str | None]:
    found = (canonicalize(url, BASE) for url in urls)
    return [None if url is None else key_of(url) for url in found]


def nanoseconds(way: Way, urls: list[str]) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter_ns()
        way(urls)
        best = min(best, time.perf_counter_ns() - start)
    return best / len(urls)


def report(title: str, ours: Way, rivals: dict[str, Way | None], urls: list[str]) -> None:
    own = nanoseconds(ours, urls)
    print(f"\n{title}\n  {'lycosa.model.url':34}{own:8.0f} ns   1.0")
    for name, way in rivals.items():
        if way is None:
            print(f"  {name:34}  absent: not installed")
        else:
            taken = nanoseconds(way, urls)
            print(f"  {name:34}{taken:8.0f} ns {taken / own:5.1f}")


def main() -> None:
    urls = read(Path(sys.argv[1])) if len(sys.argv) > 1 else made_up()
    relative = relative_to_base(urls)
    print(f"{len(urls)} URLs, the best of {REPEATS} runs; time a URL, and as a ratio to ours")
    report(
        "absolute URL to href",
        lambda urls: [parse(u) for u in urls],
        {
            "can_ada.parse(u).href": can_ada_way(),
            "ada_url.normalize_url(u)": lambda urls: [ada_url.normalize_url(u) for u in urls],
        },
        urls,
    )
    report(
        "relative reference to href (can_ada resolves none)",
        lambda urls: [parse(u, BASE) for u in urls],
        {"ada_url.join_url(base, u)": lambda urls: [ada_url.join_url(BASE, u) for u in urls]},
        relative,
    )
    for title, hrefs in (("absolute URL", urls), ("relative reference", relative)):
        report(
            f"{title} on a page to key",
            lambda urls: canonical_keys(urls, BASE),
            {
                "one at a time": lambda urls: [canonical_key(u, BASE) for u in urls],
                "key_of(canonicalize(u, base))": plain_keys,
            },
            hrefs,
        )


if __name__ == "__main__":
    main()
