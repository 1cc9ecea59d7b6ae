"""Commands that load Arrow without numpy, and those that may not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lycosa._support.lean_arrow import can_do_without_numpy, has_no_plugins
from lycosa.model.job import parse_job

POOL = "ARROW_DEFAULT_MEMORY_POOL"
LOADED = """
import sys
from lycosa._support import lean_arrow
{before}
lean_arrow.load(with_numpy=False)
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
        (["revisit", "--quiet", "x"], False),
        (["status", "x"], True),
        (["study", "x"], False),
        ([], False),
    ],
)
def test_only_what_cannot_need_it_does_without(words: list[str], can: bool) -> None:
    assert can_do_without_numpy(words) is can


def test_a_crawl_that_goes_on_does_without_if_its_job_has_no_plugins(tmp_path: Path) -> None:
    seeds = 'seeds = ["http://a.test/"]\n'
    for text, has_none in ((seeds, True), (f'{seeds}[plugins]\nuse = ["mine"]\n', False)):
        (tmp_path / "crawl.toml").write_text(parse_job(text).to_toml())
        assert has_no_plugins(str(tmp_path)) is has_none
        for command in ("resume", "revisit"):
            assert can_do_without_numpy([command, "--quiet", str(tmp_path)]) is has_none
    (tmp_path / "crawl.toml").write_text(parse_job(seeds).to_toml())
    words = ["resume", str(tmp_path), "--set", 'plugins.use=["mine"]']
    assert not can_do_without_numpy(words)
    assert not has_no_plugins(str(tmp_path / "elsewhere"))


@pytest.mark.parametrize(("before", "was_loaded"), [("", False), ("import numpy", True)])
def test_arrow_is_loaded_alone_and_numpy_can_be_loaded_later(before: str, was_loaded: bool) -> None:
    code = LOADED.format(before=before)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split(maxsplit=1) == [str(was_loaded), "[1, 2] [0, 1, 2]\n"]


CHOSEN = """
import os
from lycosa._support import lean_arrow
lean_arrow.load(with_numpy=True)
import pyarrow
print(pyarrow.default_memory_pool().backend_name, os.environ.get("ARROW_DEFAULT_MEMORY_POOL"))
"""


@pytest.mark.parametrize(("named", "says"), [(None, "system None"), ("mimalloc", "mimalloc")])
def test_arrow_allocates_by_the_c_library_unless_the_user_says_otherwise(
    named: str | None, says: str
) -> None:
    environment = {name: value for name, value in os.environ.items() if name != POOL}
    if named:
        environment[POOL] = named
    done = subprocess.run(
        [sys.executable, "-c", CHOSEN], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(says)
