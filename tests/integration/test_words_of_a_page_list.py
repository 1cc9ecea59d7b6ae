"""Words are found in a copy as in a list that is read whole: the same rows, in every order."""

from __future__ import annotations

import datetime
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from lycosa.analysis.page_list import copied_rows, copy, listing
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.layout import Name, make_folders, sealed_path
from lycosa.storage.tables.rows import SCHEMAS
from page_lists import Row, all_rows, list_of

LETTERS = (
    "aAéÉßẞİıſΣσς\N{KELVIN SIGN}kǅ0123%_'\"\\ \N{NO-BREAK SPACE}中文é\N{COMBINING ACUTE ACCENT}🙂"
)
TEXTS = st.text(LETTERS, max_size=8)
FETCHES = st.lists(
    st.tuples(TEXTS, TEXTS, st.integers(0, 9), st.sampled_from(["kept", "timeout"])),
    min_size=15,
    max_size=40,
)
MOMENT = datetime.datetime(2026, 11, 19, tzinfo=datetime.UTC)


def written(folder: Path, fetches: list[tuple[str, str, int, str]]) -> None:
    """Write a crawl with these fetches: path, title, second and outcome; half in each segment."""
    shutil.rmtree(folder, ignore_errors=True)
    CrawlDirectory.create(folder, Job.of(seeds=["http://a.example/"]))
    make_folders(folder)
    rows: list[Row] = []
    for number, (path, title, second, outcome) in enumerate(fetches):
        host = f"h{number % 3}.example"
        row: dict[str, Any] = dict.fromkeys(SCHEMAS["pages"].names)
        row |= {"url_id": number * 7919 % 61, "fetch_id": number, "host": host, "title": title}
        row |= {"url": f"http://{host}/{path}/{number}", "outcome": outcome, "distance": 0}
        row |= {"fetched_at": MOMENT + datetime.timedelta(seconds=second), "size_bytes": second}
        rows.append(row)
    for segment, half in enumerate((rows[::2], rows[1::2]), 1):
        table = pa.Table.from_pylist(half, SCHEMAS["pages"])
        pq.write_table(table, sealed_path(folder, "pages", Name(segment, 0)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("words") / "site"


ORDERS = [("fetched", True), ("fetched", False), ("url", True), ("url", False), ("size", True)]


@settings(max_examples=6, deadline=None, phases=[Phase.reuse, Phase.generate])
@given(
    fetches=FETCHES, texts=st.lists(TEXTS, min_size=1, max_size=2), share=st.sampled_from((2, 9))
)
def test_a_copy_finds_what_is_found_in_a_list_that_is_read_whole(
    folder: Path, fetches: list[tuple[str, str, int, str]], texts: list[str], share: int
) -> None:
    written(folder, fetches)
    own = [word for path, title, *_ in fetches[:1] for word in f"{path} {title}".split()]
    questions = [
        {"text": text, "outcome": outcome, "sort": sort, "is_descending": is_descending, "limit": 5}
        for text, outcome in [(text, "") for text in (*texts, *own, "http")] + [("1", "kept")]
        for sort, is_descending in ORDERS
    ]
    whole = list_of(folder)
    wanted = [all_rows(whole, **asked) for asked in questions]
    whole.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(listing, "SMALL_TABLE_BYTES", 0)
        patch.setattr(copy, "LATEST_SHARE", share)
        patch.setattr(copied_rows, "_STRETCH_ROWS", 3)
        patch.setattr(copied_rows, "_GROUP_ROWS", 8)
        patch.setattr(copied_rows, "_LEAST_FIRST_ROWS", 4)
        copy.make_copy(CrawlDirectory(folder), [], lambda progress: None)
        copied = list_of(folder)
        for asked, rows in zip(questions, wanted, strict=True):
            assert all_rows(copied, **asked) == rows, asked
        copied.close()
