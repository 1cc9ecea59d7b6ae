from __future__ import annotations

import pytest

from lycosa.crawl.access import fetch_of
from lycosa.crawl.scope import REFUSED_PORT, JobScope
from lycosa.errors import ConfigError
from lycosa.fetch.ports import REFUSED, PortGuard
from lycosa.model.job import Job
from lycosa.model.url import key_of
from lycosa.storage.log.memory import MemoryLog


def verdict(url: str, *seeds: str, **fetch: object) -> str | None:
    """Return the reason for which a job that accepts the whole web refuses a URL."""
    job = Job.of(seeds=seeds, fetch=fetch)
    found = JobScope(job, MemoryLog(1), stays_on_seeds=False).judge(key_of(url))
    return found.reason if found.key is None else None


@pytest.mark.parametrize("port", [6379, 11211, 22, 25, 5432, 27017, 9200, 6000, 10080, 445])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_link_to_a_port_of_another_service_is_refused(port: int, scheme: str) -> None:
    url = f"{scheme}://a.test:{port}/x"
    assert verdict(url, "http://a.test/") == REFUSED_PORT
    assert verdict(url, "http://a.test/", ports=[str(port)]) is None


@pytest.mark.parametrize(
    "place", ["a.test", "a.test:8080", "a.test:81", "127.0.0.1", "[::1]:8000", "a.test:32768"]
)
def test_other_ports_are_asked(place: str) -> None:
    assert verdict(f"http://{place}/1", "http://a.test/") is None


def test_a_seed_in_the_job_names_its_origin_and_no_other() -> None:
    seed = "http://a.test:6379/"
    assert verdict("http://a.test:6379/x", seed) is None
    assert verdict("https://a.test:6379/x", seed) == REFUSED_PORT
    assert verdict("http://b.test:6379/x", seed) == REFUSED_PORT
    guard = PortGuard(fetch_of(Job.of(seeds=[seed])).ports)
    assert not guard.refuses("http://a.test:6379", 6379)
    assert guard.refuses("http://b.test:6379", 6379)


def test_seeds_of_a_list_name_no_port() -> None:
    seeds = [f"http://a.test:6379/{number}" for number in range(2_000)]
    assert PortGuard(fetch_of(Job.of(seeds=seeds)).ports).refuses("http://a.test:6379", 6379)


def test_ports_that_systems_choose_for_programs_are_never_refused() -> None:
    assert max(REFUSED) < 32_768
    assert not REFUSED & {80, 443, 8000, 8080, 8443}


def test_a_port_is_a_number() -> None:
    with pytest.raises(ConfigError, match="`ports` must hold numbers of ports"):
        Job.of(fetch={"ports": ["redis"]})
