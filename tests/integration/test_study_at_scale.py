"""DuckDB and Spark over a crawl in a store say what `lycosa study` says of the same crawl."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest

from lycosa.analysis.study.build import study
from lycosa.model.job import read_job
from lycosa.storage.objects.opening import open_objects
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs.graph import GraphWeb
from warm import lycosa

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "examples" / "study-at-scale"
LOCK = ROOT / "requirements" / "spark.lock"
ENVIRONMENT = ROOT / ".cache" / "spark-venv"
HOSTS, PAGES = 6, 10
SEEDS = [f"http://www.d{host}.test/0" for host in range(HOSTS)]
FAR = 1e-6
"""The programs stop when the error of all values together is below this."""


def drawn_web() -> GraphWeb:
    """Return hosts that link to each other, with redirects, and a list of pages on each."""
    chance = Random(3)
    urls = [[f"http://www.d{host}.test/{page}" for page in range(PAGES)] for host in range(HOSTS)]
    every = [url for some in urls for url in some]
    edges = {
        url: [*chance.sample(some, 3), *chance.sample(every, chance.choice((0, 1, 2)))]
        for some in urls
        for url in some
    }
    moved = [some[page] for some in urls for page in (7, 8)]
    redirects = {url: chance.choice([one for one in every if one not in moved]) for url in moved}
    redirects[moved[0]] = moved[1]
    following = {some[page]: some[page + 1] for some in urls for page in range(1, 6)}
    return GraphWeb(edges, redirects, following=following, latency=0.0)


def crawl(path: Path, store: str) -> None:
    """Crawl with a store; half of the pages first, so that there are several segments."""
    with SocketWeb(drawn_web(), tls=False) as server:
        flags = ["--allow-private", "--set", f"fetch.hosts_file={server.hosts_file}"]
        flags += ["--delay", "1ms", "--ip-delay", "1ms", "--workers", "1", "--json"]
        first = lycosa("crawl", *SEEDS, "-o", path, "--store", store, "--max-pages", "25", *flags)
        assert first.returncode == 0, first.stderr
        done = lycosa("resume", path, "--max-pages", "1000", "--json")
        assert done.returncode == 0, done.stderr


def leave_behind(path: Path) -> str:
    """Put into the store what a lost machine and a half upload leave; return the crawl's URL."""
    job = read_job(path / "crawl.toml")
    objects = open_objects(job.store.place, job.log.name)
    some = next((path / "pages").glob("*.parquet"))
    objects.put("pages/half-9-00099.parquet", some)
    objects.put("pages/lost-9-00098.parquet", some)
    lost = {"segment": "lost-9-00098", "lost": True, "by": "lycosa cluster forget"}
    assert objects.create("manifests/lost-9-00098.json", json.dumps(lost).encode())
    return objects.place


class Found(NamedTuple):
    """What is compared."""

    sites: dict[str, tuple[int, int, int]]
    ranks: dict[str, float]

    def first(self) -> list[str]:
        return sorted(self.ranks, key=lambda url: (-self.ranks[url], url))[:10]


def studied(path: Path) -> Found:
    study(path)
    tables = path / "index" / "study"
    sites = pq.read_table(tables / "sites.parquet").to_pylist()
    ranks = pq.read_table(tables / "ranks.parquet").to_pylist()
    return Found(
        {row["site"]: (row["fetches"], row["pages"], row["bytes"]) for row in sites},
        {row["url"]: row["pagerank"] for row in ranks},
    )


def written(sites: Path, ranks: Path) -> Found:
    rows: list[dict[str, Any]] = pq.read_table(sites).to_pylist()
    return Found(
        {row["site"]: (row["fetches"], row["pages"], row["size_bytes"]) for row in rows},
        {row["url"]: row["rank"] for row in pq.read_table(ranks).to_pylist()},
    )


def check(found: Found, wanted: Found) -> None:
    assert set(wanted.ranks) == drawn_web().pages_within(SEEDS, 15)
    assert found.sites == wanted.sites
    assert found.ranks == pytest.approx(wanted.ranks, abs=FAR)
    assert found.first() == wanted.first()


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "s3":
        place: str = request.getfixturevalue("s3_store")
        return place
    (tmp_path / "store").mkdir()
    return (tmp_path / "store").as_uri()


def test_duckdb_counts_sites_and_ranks_pages_in_the_store(store: str, tmp_path: Path) -> None:
    path, out = tmp_path / "mycrawl", tmp_path / "out"
    crawl(path, store)
    place = leave_behind(path)
    program = [sys.executable, str(PROGRAMS / "rank_with_duckdb.py"), place, str(out)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    check(written(out / "sites.parquet", out / "ranks.parquet"), studied(path))


@pytest.fixture
def python_with_spark() -> Iterator[Path]:
    """Return a Python with Spark, installed as it was locked; done once for each lock file."""
    wanted = hashlib.sha256(LOCK.read_bytes() + sys.version.encode()).hexdigest()
    stamp, python = ENVIRONMENT / "installed", ENVIRONMENT / "bin" / "python"
    ENVIRONMENT.parent.mkdir(exist_ok=True)
    (ENVIRONMENT.parent / ".gitignore").write_text("*\n")
    with (ENVIRONMENT.parent / "spark-venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            shutil.rmtree(ENVIRONMENT, ignore_errors=True)
            venv.create(ENVIRONMENT, symlinks=True)
            pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
            flags = ["--disable-pip-version-check", "--require-hashes", "--no-compile"]
            subprocess.run([*pip, *flags, "-r", str(LOCK)], check=True)
            stamp.write_text(wanted)
        yield python


@pytest.mark.soak
def test_spark_counts_sites_and_ranks_pages_in_the_store(
    python_with_spark: Path, tmp_path: Path
) -> None:
    path, out = tmp_path / "mycrawl", tmp_path / "out"
    (tmp_path / "store").mkdir()
    crawl(path, (tmp_path / "store").as_uri())
    place = leave_behind(path)
    arguments = "--master local[1] --conf spark.ui.enabled=false pyspark-shell"
    surroundings = os.environ | {
        "PYSPARK_SUBMIT_ARGS": arguments,
        "SPARK_LOCAL_DIRS": str(tmp_path),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    program = [str(python_with_spark), str(PROGRAMS / "rank_with_spark.py"), place, str(out)]
    done = subprocess.run(program, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    check(written(out / "sites", out / "ranks"), studied(path))
