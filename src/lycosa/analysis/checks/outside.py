"""Requests linked pages out of scope, to see whether they exist (`--check-outside`).

The answers are the table `outside_answers`, in `index/tables/`, where the checks find them. It is
written every few answers, so that a run that was interrupted goes on where it was. A URL that was
answered within the last day is not requested again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa.analysis.checks.check import named
from lycosa.analysis.study.results import Results
from lycosa.analysis.study.tables import all_rows, connected
from lycosa.model.job import Job
from lycosa.model.url import key_of
from lycosa.model.url.scope import OUT_OF_SCOPE
from lycosa.operate.checking.heads import ask_heads
from lycosa.storage.archive.files import sync_file, temporary
from lycosa.storage.tables.derived import derived_path
from lycosa.storage.tables.rows import OUTCOME_NAMES, signed, url_id

ANSWERS = "outside_answers"
ANSWERS_SCHEMA = pa.schema(
    [
        ("url_id", pa.int64()),
        ("url", pa.string()),
        ("outcome", pa.string()),
        ("status", pa.int16()),
        ("end_url", pa.string()),
        ("checked_at", pa.timestamp("us", tz="UTC")),
    ]
)
_FRESH_SECONDS = 86_400.0
_WRITTEN_EACH = 50
_NO_PAGES = ("hint", "identifier", "post", "ping", "mention", "data")
"""Kinds of links whose targets are not pages or files."""

_LINKED = f"""
    select distinct target_url from links
    where reason = '{OUT_OF_SCOPE}' and kind not in {named(_NO_PAGES)}
    order by target_url
"""

OnAnswer = Callable[[int, int], None]
"""Called with the number of URLs requested so far, and the number of all URLs."""


def ask_outside(
    folder: Path, job: Job, on_wait: Callable[[str, float], None], on_answer: OnAnswer
) -> int:
    """Request all link targets out of scope; return their number."""
    results = Results(folder)
    with results.locked(), connected(all_rows(folder, ("links",)), results.folder) as connection:
        linked = [url for (url,) in connection.execute(_LINKED).fetchall()]
    known = {row["url"]: row for row in _known(folder) if row["url"] in set(linked)}
    since = datetime.fromtimestamp(time.time() - _FRESH_SECONDS, UTC)
    wanted = [url for url in linked if url not in known or known[url]["checked_at"] < since]
    done = 0
    try:
        for asked in ask_heads(job, wanted, on_wait) if wanted else ():
            known[asked.url] = {
                "url_id": signed(url_id(key_of(asked.url))),
                "url": asked.url,
                "outcome": OUTCOME_NAMES[asked.outcome],
                "status": asked.status,
                "end_url": asked.end_url,
                "checked_at": datetime.fromtimestamp(asked.moment, UTC),
            }
            done += 1
            on_answer(done, len(wanted))
            if done % _WRITTEN_EACH == 0:
                _write(folder, list(known.values()))
    finally:
        _write(folder, list(known.values()))
    return done


def outside_signature(folder: Path) -> dict[str, Any]:
    """Return the facts by which a study notices that the answers have changed."""
    try:
        state = derived_path(folder, ANSWERS).stat()
    except FileNotFoundError:
        return {}
    return {ANSWERS: [state.st_size, state.st_mtime_ns]}


def _known(folder: Path) -> list[dict[str, Any]]:
    path = derived_path(folder, ANSWERS)
    found: list[dict[str, Any]] = (
        pq.read_table(beneath.checked(path)).to_pylist() if path.exists() else []
    )
    return found


def _write(folder: Path, rows: list[dict[str, Any]]) -> None:
    path = derived_path(folder, ANSWERS)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = beneath.new_place(temporary(path))
    pq.write_table(pa.Table.from_pylist(rows, ANSWERS_SCHEMA), new, compression="zstd")
    sync_file(temporary(path))
    temporary(path).rename(path)
