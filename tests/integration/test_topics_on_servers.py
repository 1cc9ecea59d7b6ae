"""A crawl by topic whose log is in a server: whoever joins gets the model from there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lycosa.extract.topics.training import Example, train
from lycosa.features.topics.of_job import read_model
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.shared_log.joining import choose, crawls_in, make_directory
from lycosa.runtime.shared_log.notes import MODEL_PART_BYTES, note_job
from servers.fixtures import SharedNats, SharedPostgres


@pytest.fixture(
    params=[pytest.param("postgres", marks=pytest.mark.needs("postgresql")), "nats_servers"]
)
def server(request: pytest.FixtureRequest) -> SharedPostgres | SharedNats:
    found: SharedPostgres | SharedNats = request.getfixturevalue(request.param)
    return found


def model_of_noise(path: Path) -> None:
    """A model whose file does not compress to less than two messages."""
    words = [os.urandom(6).hex() for _ in range(60_000)]
    examples = [
        Example("", " ".join(words[n : n + 200]).encode(), (f"t{n % 7}",))
        for n in range(0, len(words), 100)
    ]
    train(examples).write(path)


def test_a_machine_that_joins_has_the_model(
    server: SharedPostgres | SharedNats, tmp_path: Path
) -> None:
    model = tmp_path / "given.model"
    model_of_noise(model)
    assert model.stat().st_size > MODEL_PART_BYTES
    job = Job.of(
        seeds=["http://a.test/"],
        topics={"model": str(model), "policy": "each"},
        frontier={"scheduler": "topics", "partitions": 4},
        log={"server": server.url},
    )
    first = CrawlDirectory.create(tmp_path / "first", job)
    own = first.job()
    assert own.topics.model == str(tmp_path / "first" / "topics.model")
    assert 'model = "topics.model"' in first.job_file.read_text(encoding="utf-8")
    log = first.log(own)
    note_job(log, own)
    log.close()
    found = choose(server.url, own.log.name, crawls_in(server.url))
    second = make_directory(tmp_path / "second", server.url, found).job()
    assert second.topics.model == str(tmp_path / "second" / "topics.model")
    assert second.digest() == own.digest()
    assert read_model(second.topics).digest == read_model(own.topics).digest == own.topics.digest


def test_another_model_than_the_crawl_began_with_is_refused(tmp_path: Path) -> None:
    model = tmp_path / "given.model"
    train([Example("", b"some words", ("one",)), Example("", b"others", ("two",))]).write(model)
    job = Job.of(
        seeds=["http://127.0.0.1:9/"],
        topics={"model": str(model)},
        fetch={"contact": "https://example.org/"},
    )
    directory = CrawlDirectory.create(tmp_path / "crawl", job)
    train([Example("", b"some words", ("three",)), Example("", b"others", ("two",))]).write(
        directory.model_file
    )
    command = [sys.executable, "-m", "lycosa", "resume", str(directory.path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "another model than the crawl began with" in done.stderr
    assert "lycosa topics apply" in done.stderr
