"""The web with topics is crawled in virtual time, served over sockets, and has a command."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from integration.socket_client import get
from lycosa.model.job import Job
from lycosa.simulation.simulation import Simulation
from lycosa_testweb import request_for
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.topics.web import Shape, TopicWeb

pytestmark = pytest.mark.quick

SHAPE = Shape(pages=300, pages_per_host=20)


def test_a_crawl_in_virtual_time_keeps_every_page(tmp_path: Path) -> None:
    web = TopicWeb(SHAPE, 1)
    job = Job.of(seeds=web.seeds(), politeness={"delay_seconds": 1.0})
    simulation = Simulation(web, job, tmp_path, seed=1)
    result = simulation.run()
    assert not result.breaches
    assert sorted(simulation.kept_urls()) == sorted(web.all_pages())


def test_sockets_serve_the_same_pages() -> None:
    web = TopicWeb(SHAPE, 1)
    with SocketWeb(web, tls=False) as server:
        for url in web.seeds():
            status, _, body = get(server, url)
            expected = web.answer(request_for(web, url), 0.0)
            assert (status, body) == (expected.status, expected.body)


def test_the_command_serves_and_writes_the_topics(tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    command = [sys.executable, "-m", "lycosa_testweb", "--kind", "topics", "--no-tls"]
    command += ["--pages", "500", "--topics", "ants,bees", "--purity", "0.9", "--seed", "4"]
    with subprocess.Popen(
        [*command, "--labels", str(labels)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        seeds = []
        for line in process.stdout:
            if line.strip() == "ready":
                break
            word, _, rest = line.strip().partition(" ")
            if word == "seed":
                seeds.append(rest)
        os.kill(process.pid, signal.SIGTERM)
    web = TopicWeb(Shape(("ants", "bees"), pages=500, purity=0.9), 4)
    assert seeds == web.seeds()
    with labels.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["url"]: row["topic"] for row in rows} == {
        url: web.topic_of(url) for url in web.all_pages()
    }


def test_the_command_refuses_a_web_that_cannot_be() -> None:
    command = [sys.executable, "-m", "lycosa_testweb", "--kind", "topics", "--pages", "9"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode not in (0, 1)
    assert "too few" in done.stderr
