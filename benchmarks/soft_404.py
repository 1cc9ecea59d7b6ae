"""Measures the fingerprint distances between a site's error pages and its other pages.

The first table: error pages of one site that repeat the URL twice, or carry words that change
with every page; how often another one is within 3 bits of the probe's, as it stands and
without its own address.

The second: sites on which every URL gives a page of fixed words and a few of its own, the
probe, too. Every page that is within 3 bits of the probe's would be lost; how many are
depends on when a probe is believed. The last column is the rule of
`lycosa.features.soft_404`.
"""

from __future__ import annotations

from collections.abc import Iterator

from lycosa.extract.echo import without_echo
from lycosa.extract.text.fingerprint import distance, fingerprint
from lycosa.features.soft_404 import MOST_ALIKE, MOST_SIMILAR, SIMILAR_TIMES
from lycosa_testweb.generated.words import prose
from lycosa_testweb.mixing import below, mix

BITS = 3
SITES = 200
SAMPLE = 20
PAGES = 200
_OWN_WORDS = 5000


def of_text(text: str) -> int:
    return fingerprint(text.encode())


def words(count: int, key: int) -> list[str]:
    """Return a site's fixed words."""
    return prose("en", "gardens", count + 12, key).split()[:count]


def own(count: int, *key: int) -> list[str]:
    """Return words that hardly any other page has."""
    return [f"w{below(_OWN_WORDS, *key, n)}" for n in range(count)]


def error_page(site: int, page: int, count: int, echoes: bool, changing: int) -> tuple[str, str]:
    """Return an error page and its path."""
    path, text = f"/a{page}/{mix(site, page):016x}.html", words(count, site)
    if echoes:
        text = [f"http://www.site.test{path}", *text[: count // 2], path, *text[count // 2 :]]
    return " ".join(text + own(changing, site, page)), path


def errors() -> Iterator[str]:
    """Yield how often an error page is recognised."""
    yield "words  changing  repeats URL   as it stands   without its address"
    for echoes, changing in ((True, 0), (True, 2), (False, 2), (False, 8)):
        for count in (20, 80, 300, 1200):
            plain = bare = 0
            for site in range(SITES):
                probe, *others = (
                    error_page(site, page, count, echoes, changing) for page in range(11)
                )
                for text, path in others:
                    plain += distance(of_text(probe[0]), of_text(text)) <= BITS
                    bare += (
                        distance(
                            of_text(without_echo(*probe)),
                            of_text(without_echo(text, path)),
                        )
                        <= BITS
                    )
            share = [100 * found / (10 * SITES) for found in (plain, bare)]
            repeats = "yes" if echoes else "no"
            yield f"{count:5} {changing:9} {repeats:>12} {share[0]:13.0f}% {share[1]:20.0f}%"


def generators() -> Iterator[str]:
    """Yield how many real pages of sites that make a page of every URL would be lost."""
    yield "words  of its own   if always believed   if most are farther   by our rule"
    for count in (20, 80, 300, 1200):
        for changing in (2, 8, 20):
            lost = [0, 0, 0]
            for site in range(SITES):
                frame = words(count, site)
                prints = [
                    of_text(" ".join(frame + own(changing, site, page)))
                    for page in range(1 + SAMPLE + PAGES)
                ]
                gaps = [distance(prints[0], other) for other in prints[1 : 1 + SAMPLE]]
                near = sum(distance(prints[0], other) <= BITS for other in prints[1 + SAMPLE :])
                alike = sum(gap <= BITS for gap in gaps)
                similar = sum(gap <= SIMILAR_TIMES * BITS for gap in gaps) - alike
                is_most = alike <= MOST_ALIKE * SAMPLE
                lost[0] += near
                lost[1] += near * is_most
                lost[2] += near * (is_most and similar <= MOST_SIMILAR * SAMPLE)
            shares = [100 * number / (SITES * PAGES) for number in lost]
            yield (
                f"{count:5} {changing:11} {shares[0]:19.2f}% {shares[1]:20.2f}% {shares[2]:12.3f}%"
            )


if __name__ == "__main__":
    for line in (*errors(), "", *generators()):
        print(line)
