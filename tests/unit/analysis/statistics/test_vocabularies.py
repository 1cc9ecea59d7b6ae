"""Structured data is counted as of the last visit, and each segment is read once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lycosa.analysis.study.build import study
from lycosa.errors import StoreError
from lycosa.model.records import Outcome
from lycosa.storage.archive.layout import TRIPLES
from unit.analysis.statistics.spoiled import spoil
from unit.analysis.study.drawn_crawl import BEGAN, Fetch, rows, write

A, B, C = (f"test.a:/{name}" for name in "abc")
OTHER = "test.b:/"
SCHEMA, OPEN_GRAPH = "http://schema.org/", "http://ogp.me/ns#"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def said(*triples: tuple[str, str, str]) -> bytes:
    return "".join(f"{subject} <{name}> {value} .\n" for subject, name, value in triples).encode()


BOOK = said(
    ("_:f12abj0", TYPE, f"<{SCHEMA}Book>"),
    ("_:f12abj0", f"{SCHEMA}name", '"A > B <and> C"@en'),
    ("_:f12abj1", f"{SCHEMA}name", '"a line\\nand one more"'),
    ("<http://a.test/>", f"{OPEN_GRAPH}title", '"t"'),
    ("<http://a.test/>", f"{SCHEMA}url", "<http://a.test/#x>"),
)


def vocabularies(folder: Path) -> dict[tuple[str, str | None], tuple[int, int, int]]:
    return {
        (row["vocabulary"], row["kind"]): (row["pages"], row["triples"], row["sites"])
        for row in rows(folder, "vocabularies")
    }


def test_vocabularies_classes_and_properties_are_counted(tmp_path: Path) -> None:
    person = said(
        ("_:f99m0", TYPE, f"<{SCHEMA}Person>"),
        ("_:f99m1", TYPE, f"<{SCHEMA}Person>"),
        ("_:f99r2", TYPE, '"no class"'),
    )
    write(tmp_path, [Fetch(A, triples=BOOK), Fetch(OTHER, triples=person), Fetch(B)])
    study(tmp_path)
    assert vocabularies(tmp_path) == {
        (SCHEMA, "json-ld"): (1, 3, 1),
        (SCHEMA, None): (1, 1, 1),
        (SCHEMA, "microdata"): (1, 2, 1),
        (OPEN_GRAPH, "meta"): (1, 1, 1),
        (TYPE.partition("#")[0] + "#", "rdfa"): (1, 1, 1),
    }
    assert rows(tmp_path, "classes") == [
        {"class": f"{SCHEMA}Person", "pages": 1, "uses": 2, "sites": 1},
        {"class": f"{SCHEMA}Book", "pages": 1, "uses": 1, "sites": 1},
    ]
    properties = {r["property"]: (r["pages"], r["uses"]) for r in rows(tmp_path, "properties")}
    assert properties == {
        TYPE: (2, 4),
        f"{SCHEMA}name": (1, 2),
        f"{SCHEMA}url": (1, 1),
        f"{OPEN_GRAPH}title": (1, 1),
    }


def test_a_page_says_what_it_said_at_its_last_visit(tmp_path: Path) -> None:
    old, new = (said(("<http://a.test/x>", f"http://{name}.test/p", '"x"')) for name in ("o", "n"))
    write(tmp_path, [Fetch(A, triples=old), Fetch(B, triples=old), Fetch(C, triples=old)])
    gone = Fetch(B, outcome=Outcome.NOT_FOUND, status=404, triples=b"")
    failed = Fetch(C, outcome=Outcome.SERVER_ERROR, status=500, triples=None)
    write(tmp_path, [Fetch(A, triples=new), gone, failed], BEGAN + 1000, is_sealed=False)
    study(tmp_path)
    assert vocabularies(tmp_path) == {
        ("http://n.test/", None): (1, 1, 1),
        ("http://o.test/", None): (1, 1, 1),
    }


def test_a_crawl_without_structured_data_has_empty_tables(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A)])
    study(tmp_path)
    assert [rows(tmp_path, name) for name in ("vocabularies", "classes", "properties")] == [[]] * 3


def test_the_quads_of_a_sealed_segment_are_read_once(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, triples=BOOK)])
    study(tmp_path)
    before = vocabularies(tmp_path)
    (quads,) = (tmp_path / TRIPLES).iterdir()
    spoil(quads)
    study(tmp_path, rebuild=True)
    assert vocabularies(tmp_path) == before
    os.utime(quads)
    with pytest.raises(StoreError, match=r"cannot be read(.|\n)*--repair"):
        study(tmp_path, rebuild=True)
