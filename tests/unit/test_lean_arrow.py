"""Commands that load Arrow without numpy, and those that may not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from lycosa.lean_arrow import can_do_without_numpy

LOADED = """
import sys
from lycosa import lean_arrow
{before}
lean_arrow.load()
was_loaded = "numpy" in sys.modules
import pyarrow.compute, pyarrow.parquet
import numpy
print(was_loaded, pyarrow.array([1, 2]).to_pylist(), numpy.arange(3).tolist())
"""


@pytest.mark.parametrize(
    ("words", "can"),
    [
        (["crawl", "http://a.test/", "-o", "x"], True),
        (["crawl", "http://a.test/", "--set", "plugins=['mine.py']"], False),
        (["crawl", "--config", "job.toml"], False),
        (["crawl", "--config=job.toml"], False),
        (["resume", "x"], False),
        (["status", "x"], True),
        (["study", "x"], False),
        ([], False),
    ],
)
def test_only_what_cannot_need_it_does_without(words: list[str], can: bool) -> None:
    assert can_do_without_numpy(words) is can


@pytest.mark.parametrize(("before", "was_loaded"), [("", False), ("import numpy", True)])
def test_arrow_is_loaded_alone_and_numpy_can_be_loaded_later(before: str, was_loaded: bool) -> None:
    code = LOADED.format(before=before)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split(maxsplit=1) == [str(was_loaded), "[1, 2] [0, 1, 2]\n"]
