"""Pages are new, gone, moved or changed as a plain reading of the definitions says."""

from __future__ import annotations

from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.analysis.comparison.tables import PREPARATIONS
from seeds import examples

URLS = [f"http://a.test/{folder}{name}" for folder in ("", "x/") for name in "pqrs"]
TEXTS = ["short", *(f"{word} " * 30 for word in ("ant", "bee", "cat"))]


class Page(NamedTuple):
    """The last answer of a URL."""

    outcome: str
    text: str = ""
    redirect: str | None = None


pages = st.builds(Page, st.just("kept"), st.sampled_from(TEXTS)) | st.builds(
    Page,
    st.sampled_from(["redirected", "not_found"]),
    redirect=st.sampled_from(URLS),
)
sides = st.dictionaries(st.sampled_from(URLS), pages, max_size=7)
Sides = dict[str, Page]

_PAGES = pa.schema(
    [
        *((name, pa.int64()) for name in ("url_id", "fetch_id", "status", "size_bytes")),
        *((name, pa.string()) for name in ("url", "outcome", "digest", "title", "description")),
        *((name, pa.string()) for name in ("redirect_url", "place")),
    ]
)
_SAID = pa.schema(
    [
        *((name, pa.int64()) for name in ("url_id", "text_fetch", "characters")),
        ("said", pa.string()),
    ]
)
_EDGES = pa.schema([(name, pa.string()) for name in ("source", "target", "text")])


def tables_of(side: Sides) -> dict[str, pa.Table]:
    rows: list[dict[str, Any]] = []
    said: list[dict[str, Any]] = []
    for url, page in side.items():
        number = URLS.index(url)
        status = {"kept": 200, "redirected": 301, "not_found": 404}[page.outcome]
        row = {"url_id": number, "fetch_id": number, "status": status, "size_bytes": 1, "url": url}
        named = {"title": page.text[:3], "description": "", "place": url}
        is_moved = page.outcome == "redirected"
        row |= named | {"outcome": page.outcome, "digest": page.text}
        rows.append(row | {"redirect_url": page.redirect if is_moved else None})
        if page.outcome == "kept":
            text = {"said": page.text, "characters": len(page.text)}
            said.append({"url_id": number, "text_fetch": number} | text)
    return {
        "": pa.Table.from_pylist(rows, _PAGES),
        "_said": pa.Table.from_pylist(said, _SAID),
        "_edges": pa.Table.from_pylist([], _EDGES),
    }


def compared(before: Sides, after: Sides) -> dict[str, set[tuple[Any, ...]]]:
    with duckdb.connect(config={"threads": 1}) as connection:
        for name, side in (("before", before), ("after", after)):
            for suffix, table in tables_of(side).items():
                connection.register(f"{name}{suffix}", table)
        for preparation in PREPARATIONS:
            connection.execute(preparation)
        queries = {
            "new": "select url from pages_new",
            "gone": "select url, became from pages_gone",
            "moved": "select old_url, url, known_by from pages_moved",
            "changed": "select url from pages_both where has_other_text",
            "same": "select url from pages_both where not has_other_text",
        }
        return {name: set(connection.sql(query).fetchall()) for name, query in queries.items()}


def twin(before: Sides, after: Sides) -> dict[str, set[tuple[Any, ...]]]:
    """Pair the pages one by one, in the order that the definitions give."""
    old = {url: page.text for url, page in before.items() if page.outcome == "kept"}
    new = {url: page.text for url, page in after.items() if page.outcome == "kept"}
    vanished, appeared = sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())
    moved: list[tuple[str, str, str]] = []
    for url in vanished:
        now = after.get(url)
        target = now.redirect if now is not None and now.outcome == "redirected" else None
        if target in appeared and all(target != to for _, to, _ in moved):
            moved.append((url, str(target), "redirect"))

    def by_name(urls: list[str], place: int, texts: Sides | dict[str, str]) -> list[str]:
        left = [url for url in urls if all(url != pair[place] for pair in redirected)]
        left.sort(key=lambda url: (url.rpartition("/")[2], url))
        return [url for url in left if len(str(texts[url])) >= 50]

    redirected = list(moved)
    free = by_name(appeared, 1, new)
    for url in by_name(vanished, 0, old):
        match = next((one for one in free if new[one] == old[url]), None)
        if match is not None:
            free.remove(match)
            moved.append((url, match, "same text"))
    gone = set()
    for url in vanished:
        if all(url != pair[0] for pair in moved):
            now = after.get(url)
            became = "not met any more" if now is None else now.outcome.replace("_", " ")
            if now is not None and now.outcome == "redirected":
                became = f"redirects to {now.redirect}"
            gone.add((url, became))
    both = old.keys() & new.keys()
    return {
        "new": {(url,) for url in appeared if all(url != pair[1] for pair in moved)},
        "gone": gone,
        "moved": set(moved),
        "changed": {(url,) for url in both if old[url] != new[url]},
        "same": {(url,) for url in both if old[url] == new[url]},
    }


@settings(max_examples=examples(25), deadline=None)
@given(sides, sides)
def test_pages_are_paired_as_the_twin_pairs_them(before: Sides, after: Sides) -> None:
    assert compared(before, after) == twin(before, after)


def test_a_page_without_change_is_the_same() -> None:
    side = {URLS[0]: Page("kept", TEXTS[1]), URLS[1]: Page("not_found")}
    found = compared(side, side)
    assert found["same"] == {(URLS[0],)}
    assert not any(found[name] for name in ("new", "gone", "moved", "changed"))


def test_a_short_text_is_no_proof_of_a_move() -> None:
    found = compared({URLS[0]: Page("kept", TEXTS[0])}, {URLS[1]: Page("kept", TEXTS[0])})
    assert found["moved"] == set()
    assert found["new"] == {(URLS[1],)}
