"""A crawl with a store: everything sealed gets there, also after kills and while it is down."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from lycosa.model.job import read_job
from lycosa.runtime.uploads.family import family, sealed_names
from lycosa.storage.objects.manifests import read_manifest
from lycosa.storage.objects.opening import open_objects
from tree_web import tree_web
from warm import lycosa

PAGES = 40
"""Of one host: a tree of four levels with three children a page."""


class Web(NamedTuple):
    hosts_file: str
    seed: str

    def flags(self, store: str, delay: str = "1ms") -> list[str]:
        hosts = f"fetch.hosts_file={self.hosts_file}"
        more = ["--set", "store.seal_seconds=1", "--set", "frontier.partitions=4", "--workers", "1"]
        pauses = ["--delay", delay, "--ip-delay", "1ms"]
        return ["--store", store, "--allow-private", "--set", hosts, *pauses, *more, "--json"]


@pytest.fixture(scope="module", autouse=True)
def own_addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Wait for no other crawl of this machine that asks the same loopback address."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LYCOSA_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        yield


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with tree_web(tmp_path_factory.mktemp("web"), 4, 3, 1) as (hosts_file, seeds):
        yield Web(hosts_file, seeds[0])


def check_store(path: Path) -> int:
    """Compare a directory with its store, byte for byte; return the number of segments."""
    job = read_job(path / "crawl.toml")
    objects = open_objects(job.store.place, job.log.name)
    names = sealed_names(path)
    expected = {"crawl.toml"}
    for name in names:
        manifest = read_manifest(objects, name.segment)
        assert manifest is not None, name
        files = family(path, name)
        assert manifest.files.keys() == files.keys()
        expected |= {*files, f"manifests/{name.segment}.json"}
        for key, file in files.items():
            content = objects.read(key)
            assert content == file.read_bytes()
            assert manifest.files[key].sha256 == hashlib.sha256(content or b"").hexdigest()
    assert {one.key for one in objects.list()} == expected
    return len(names)


def test_everything_is_in_the_store_when_a_crawl_ends(
    web: Web, s3_store: str, tmp_path: Path
) -> None:
    path = tmp_path / "mycrawl"
    done = lycosa("crawl", web.seed, "-o", path, *web.flags(s3_store, "50ms"))
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["pages"], summary["unsent_bytes"]) == (PAGES, 0)
    assert check_store(path) >= 2
    status = json.loads(lycosa("status", path, "--json").stdout)
    assert (status["unsent_segments"], status["unsent_bytes"]) == (0, 0)
    assert status["store"].startswith(s3_store)
    assert "everything is there" in lycosa("status", path).stdout


def start(*words: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lycosa", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_manifests(store: Path, count: int, child: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60
    while len(list(store.glob("*/manifests/*.json"))) < count:
        assert child.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)


def test_what_a_killed_crawl_left_is_uploaded_by_the_next_run(web: Web, tmp_path: Path) -> None:
    path, store = tmp_path / "mycrawl", tmp_path / "store"
    store.mkdir()
    with start("crawl", web.seed, "-o", path, *web.flags(store.as_uri(), "100ms")) as child:
        wait_for_manifests(store, 1, child)
        child.send_signal(signal.SIGKILL)
    done = lycosa("resume", path, "--json", "--delay", "1ms")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pages"] == PAGES
    assert check_store(path) >= 3


def test_a_store_that_goes_away_stops_no_crawl(web: Web, tmp_path: Path) -> None:
    path, store, away = tmp_path / "mycrawl", tmp_path / "store", tmp_path / "away"
    store.mkdir()
    with start("crawl", web.seed, "-o", path, *web.flags(store.as_uri(), "50ms")) as child:
        wait_for_manifests(store, 1, child)
        crawl = next(store.iterdir())
        crawl.rename(away)
        assert child.stderr is not None
        for line in child.stderr:
            if "uploading" in line and json.loads(line)["problem"]:
                break
        os.kill(child.pid, signal.SIGINT)  # the end waits; this leaves it to the next resume
        output = child.stdout.read() if child.stdout else ""
        rest = child.stderr.read()
    assert child.returncode == 0, rest
    summary = json.loads(output)
    assert (summary["reason"], summary["pages"]) == ("exhausted", PAGES)
    assert summary["unsent_bytes"] > 0
    status = json.loads(lycosa("status", path, "--json").stdout)
    assert status["unsent_segments"] >= 1
    assert "not there yet; copy: lycosa resume" in " ".join(lycosa("status", path).stdout.split())
    assert "uploads wait" in (path / "lycosa.log").read_text()

    away.rename(crawl)
    assert lycosa("resume", path, "--quiet").returncode == 0
    check_store(path)
    assert json.loads(lycosa("status", path, "--json").stdout)["unsent_bytes"] == 0


def test_a_store_that_cannot_be_used_is_told_before_the_crawl(web: Web, tmp_path: Path) -> None:
    path, missing = tmp_path / "mycrawl", tmp_path / "not mounted"
    done = lycosa("crawl", web.seed, "-o", path, *web.flags(missing.as_uri()))
    assert done.returncode == 2
    assert "mkdir -p" in done.stderr
    missing.mkdir()
    done = lycosa("crawl", web.seed, "-o", path, *web.flags(missing.as_uri()))
    assert done.returncode == 0, done.stderr
    check_store(path)


def test_a_crawl_gets_a_store_later(web: Web, tmp_path: Path) -> None:
    path, store = tmp_path / "mycrawl", tmp_path / "store"
    flags = web.flags("")[2:]
    assert lycosa("crawl", web.seed, "-o", path, *flags).returncode == 0
    store.mkdir()
    place = f"store.place={store.as_uri()}"
    done = lycosa("resume", path, "--quiet", "--set", place)
    assert done.returncode == 0, done.stderr
    check_store(path)


def test_several_workers_share_one_uploader(web: Web, tmp_path: Path) -> None:
    path, store = tmp_path / "mycrawl", tmp_path / "store"
    store.mkdir()
    flags = web.flags(store.as_uri(), "20ms")
    flags[flags.index("--workers") + 1] = "2"
    done = lycosa("crawl", web.seed, "-o", path, *flags)
    assert done.returncode == 0, done.stderr
    check_store(path)


def test_a_secret_in_the_url_is_refused(tmp_path: Path) -> None:
    store = "s3://KEY:SECRET@bucket/x"
    words = ["--contact", "a@example.org", "--store", store]
    done = lycosa("crawl", "https://example.org/", "-o", tmp_path / "mycrawl", *words)
    assert done.returncode == 2
    assert "AWS_ACCESS_KEY_ID" in done.stderr
    assert "SECRET@" not in done.stderr
    assert not (tmp_path / "mycrawl").exists()
