"""Measures the cost of extracting RDFa from a page, compared with pyRdfa3 and extruct.

    python -m benchmarks.bench_rdfa

Three pages are made up: a list of products with RDFa all over; an article of the usual length
with Open Graph in its head and nothing else; and the first one in XHTML. Every way reads the
same bytes in the same run and counts its own triples; the result is ms of a page, triples per
second, and how many times longer it takes than we do. CPU time, the best of several rounds.

The rivals live in an environment of their own, made from requirements/bench.lock; this file
runs itself there.
"""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

BASE = "http://www.example.test/products/"
SECONDS = 1.0
ROUNDS = 5

Way = Callable[[bytes, str], int]


def product(number: int) -> str:
    return f"""
<article class="product" typeof="schema:Product" about="#p{number}">
  <h2 property="schema:name">Product number {number} &amp; more</h2>
  <a rel="schema:url" href="/products/{number}?view=full&amp;x=1">Details of the product</a>
  <img rel="schema:image" src="/img/{number}.jpg" alt="A picture" class="thumb"/>
  <p property="schema:description" lang="en">Some longer text that describes what <b>product
  {number}</b> is and what it is good for, so that a reader knows whether to want it or not, and
  to whom it could be given instead.</p>
  <div rel="schema:offers"><div typeof="schema:Offer" class="offer">
    <span property="schema:price" content="{number}.99" datatype="xsd:decimal">{number},99</span>
    <time property="schema:validFrom" datetime="2024-01-{number + 1:02d}">yesterday</time>
  </div></div>
</article>"""


def products(count: int = 9) -> str:
    return f"""<html xmlns="http://www.w3.org/1999/xhtml" lang="en" prefix="schema:
http://schema.org/"><head><meta charset="utf-8"/><title>Products</title><link rel="stylesheet"
href="/style.css"/><link rel="license" href="http://creativecommons.org/licenses/by/4.0/"/>
<meta property="og:title" content="Products"/><script src="/app.js"></script></head><body><nav><ul>
<li><a href="/">Home</a></li><li><a href="/about">About</a></li></ul></nav><main>
{"".join(map(product, range(count)))}</main><footer><p>The footer</p></footer></body></html>"""


def article() -> str:
    names = ("title", "type", "url", "image", "description", "site_name", "locale")
    head = "".join(f'<meta property="og:{name}" content="The {name}">' for name in names)
    paragraph = (
        "<p class='text'>" + "Words of an <a href='/x'>article</a> that goes on. " * 12 + "</p>\n"
    )
    return f"<html><head>{head}</head><body>{paragraph * 40}</body></html>"


PAGES = {
    "products, HTML": (f"<!DOCTYPE html>\n{products()}", "text/html"),
    "article with Open Graph": (f"<!DOCTYPE html>\n{article()}", "text/html"),
    "products, XHTML": (products(), "application/xhtml+xml"),
}


def ours(body: bytes, media_type: str) -> int:
    from lycosa.extract.rdfa import distil

    return distil(body, BASE, media_type).count(b"\n")


def with_pyrdfa(body: bytes, media_type: str) -> int:
    import pyRdfa
    import rdflib

    processor = pyRdfa.pyRdfa(base=BASE, media_type=media_type)
    graph = rdflib.Graph()
    processor.graph_from_source(io.BytesIO(body), graph=graph, rdfOutput=True)
    return len(graph)


def with_extruct(body: bytes, media_type: str) -> int:
    import extruct

    found = extruct.extract(body, base_url=BASE, syntaxes=["rdfa"], errors="ignore")
    keys = (item.items() for item in found["rdfa"])
    return sum(len(values) for item in keys for key, values in item if key != "@id")


def measure(way: Way) -> dict[str, tuple[float, int]]:
    """Return seconds and triples of every page."""
    results = {}
    for name, (text, media_type) in PAGES.items():
        body = text.encode()
        triples = way(body, media_type)
        times = 1
        best = 1e9
        for _ in range(ROUNDS):
            start = time.process_time()
            for _ in range(times):
                way(body, media_type)
            spent = time.process_time() - start
            best = min(best, spent / times)
            times = max(1, int(SECONDS / ROUNDS / best))
        results[name] = (best, triples)
    return results


def of_rivals() -> dict[str, dict[str, tuple[float, int]]]:
    from benchmarks.race.environments import bench_environment

    python = bench_environment() / "bin" / "python"
    done = subprocess.run(
        [python, Path(__file__), "--rivals"], capture_output=True, text=True, check=True
    )
    found: dict[str, dict[str, tuple[float, int]]] = json.loads(done.stdout)
    return found


def main() -> None:
    results = {"**Lycosa**": measure(ours), **of_rivals()}
    print("| page | way | ms a page | triples | triples per second | times ours |")
    print("|---|---|---|---|---|---|")
    for page, (text, _) in PAGES.items():
        for way, found in results.items():
            seconds, triples = found[page]
            ratio = seconds / results["**Lycosa**"][page][0]
            print(
                f"| {page}, {len(text.encode()) / 1000:.1f} kB | {way} | {1000 * seconds:.3f} "
                f"| {triples} | {triples / seconds:,.0f} | {ratio:.1f} |"
            )


if __name__ == "__main__":
    if "--rivals" in sys.argv:
        logging.disable(logging.CRITICAL)
        warnings.simplefilter("ignore")
        rivals = {"pyRdfa3": with_pyrdfa, "extruct": with_extruct}
        print(json.dumps({name: measure(way) for name, way in rivals.items()}))
    else:
        main()
