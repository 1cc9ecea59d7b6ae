from __future__ import annotations

import string
import zlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publicsuffixlist import PSLFILE, PublicSuffixList

from lycosa.errors import ConfigError, LogError
from lycosa.frontier import partitioners
from lycosa.frontier.partitioners import (
    PARTITIONERS,
    URL_PARTITIONERS,
    DomainPartitioner,
    Partitioner,
    by_host,
    make_partitioner,
    reversed_domain_of,
)
from lycosa.frontier.partitioners.suffixes import (
    MOST_BYTES,
    Suffixes,
    holds_list,
    installed,
    unpacked,
)
from lycosa.model.job import PARTITIONERS as PARTITIONERS_OF_THE_JOB
from lycosa.model.job import SPLITTING_PARTITIONERS

MAKERS: dict[str, Callable[[int], Partitioner]] = {**PARTITIONERS, **URL_PARTITIONERS}


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("org.example", "org.example"),
        ("org.example.www", "org.example"),
        ("org.example.b.a", "org.example"),
        ("uk.co.bbc.www", "uk.co.bbc"),
        ("ck.www", "ck.www"),
        ("uk.co", "uk.co"),
        ("com", "com"),
        ("localhost", "localhost"),
        ("internal.corp.host", "internal.corp"),
        ("io.github.someone", "io.github"),
        ("io.github.other.www", "io.github"),
        ("jp.xn--fsq.www", "jp.xn--fsq"),
        ("xn--p1ai.example.www", "xn--p1ai.example"),
        ("xn--99999999.example.www", "xn--99999999.example"),
        ("xn--\xe4.example.www", "xn--\xe4.example"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("org.Example.www", "org.Example"),
        ("org..example", "org..example"),
    ],
)
def test_the_registrable_domain_of_a_host(host: str, domain: str) -> None:
    assert reversed_domain_of(host) == domain


def test_the_suffixes_are_those_that_the_package_reads_from_its_list() -> None:
    theirs = PublicSuffixList(only_icann=True)
    suffixes = [line.split()[0] for line in Path(PSLFILE).read_text().splitlines() if line.strip()]
    names = [f"b.a.{suffix.lstrip('!*.')}" for suffix in suffixes if suffix != "//"]
    names += [name.encode("idna").decode() for name in names if not name.isascii()]
    assert len(names) > 9_000
    for name in names:
        labels = name.split(".")[::-1]
        domain = theirs.privatesuffix(name)
        wanted = ".".join(domain.split(".")[::-1]) if domain else ".".join(labels)
        assert reversed_domain_of(".".join(labels)) == wanted


def test_the_hosts_of_a_domain_share_a_partition() -> None:
    partition_of = DomainPartitioner(4096).partition_of
    keys = ["org.example:/", "org.example.www:s/a?b", "org.example.a.b:s8443/x:y/z"]
    assert len({partition_of(key) for key in keys}) == 1
    assert partition_of("org.example2:/") != partition_of("org.example:/")


def test_the_schemes_and_ports_of_a_host_share_a_partition() -> None:
    for partition_of in (DomainPartitioner(4096).partition_of, by_host(4096).partition_of):
        assert partition_of("[::1]:81/x") == partition_of("[::1]:s/")
        assert partition_of("127.0.0.1:/") == partition_of("127.0.0.1:s8080/a:b")
        assert partition_of("127.0.0.1:/") != partition_of("127.0.0.2:/")


def test_host_hash_cuts_finer_than_domain() -> None:
    keys = [f"org.example.host{number}:/" for number in range(100)]
    assert len({DomainPartitioner(64).partition_of(key) for key in keys}) == 1
    assert len({by_host(64).partition_of(key) for key in keys}) > 32


def test_partitions_are_what_they_always_were() -> None:
    """Logs are written by these numbers: a change would lose every URL of old crawls."""
    keys = ["org.example.www:s/", "uk.co.bbc.news:/a", "127.0.0.1:/", "[::1]:81/x"]
    found = {name: [make(64).partition_of(key) for key in keys] for name, make in MAKERS.items()}
    assert found == {
        "domain": [52, 17, 12, 30],
        "host-hash": [41, 63, 12, 30],
        "host-even-sum": [22, 25, 60, 43],
        "host-odd-sum": [31, 7, 57, 50],
        "url-hash": [29, 56, 26, 17],
        "url-sum": [47, 8, 60, 63],
    }


def test_tarantula_sums_every_other_character_of_the_host() -> None:
    """Equations 1 and 2, with characters counted from 1 and the host as people write it."""
    key, host = "org.example.www:s/path?query", "www.example.org"
    even = sum(ord(host[n]) for n in range(1, len(host), 2))
    odd = sum(ord(host[n]) for n in range(0, len(host), 2))
    assert even + odd == sum(map(ord, host))
    assert make_partitioner("host-even-sum", 1000).partition_of(key) == even % 1000
    assert make_partitioner("host-odd-sum", 1000).partition_of(key) == odd % 1000


def test_kspider_sums_the_characters_of_the_url() -> None:
    """KSpider, figure 2: the URL as it is sent, not its key."""
    partition = URL_PARTITIONERS["url-sum"](5).partition_of("org.example.www:s8443/a?b")
    assert partition == sum(map(ord, "https://www.example.org:8443/a?b")) % 5


@pytest.mark.parametrize("name", URL_PARTITIONERS)
def test_the_pages_of_one_host_lie_in_all_partitions(name: str) -> None:
    partitioner = URL_PARTITIONERS[name](16)
    keys = [f"org.example:s/page/{number}" for number in range(1000)]
    assert {partitioner.partition_of(key) for key in keys} == set(range(16))


@pytest.mark.parametrize("name", [*PARTITIONERS, *URL_PARTITIONERS])
def test_a_partitioner_that_splits_hosts_says_so(name: str) -> None:
    partitioner = MAKERS[name](64)
    keys = [f"org.example:{port}/{page}" for port in ("", "s", "81") for page in range(20)]
    is_split = len({partitioner.partition_of(key) for key in keys}) > 1
    assert is_split == partitioner.splits_hosts == (name in URL_PARTITIONERS)


def test_kspider_sums_the_characters_of_the_host() -> None:
    """KSpider, figure 4: the row of a URL."""
    partitioner = URL_PARTITIONERS["url-sum"](5).in_phases(6)
    assert partitioner.set_of("org.example.www") == sum(map(ord, "www.example.org")) % 6


@pytest.mark.parametrize("name", URL_PARTITIONERS)
def test_the_pages_of_one_host_are_in_one_host_set(name: str) -> None:
    partitioner = URL_PARTITIONERS[name](16).in_phases(40)
    sites = ["org.example:", "org.example:s", "org.example:8080"]
    assert len({partitioner.partition_of_site(site) for site in sites}) == 1
    hosts = [f"org.example.host{number}" for number in range(1000)]
    assert {partitioner.set_of(host) for host in hosts} == set(range(40))
    assert {partitioner.home_of(host_set) for host_set in range(40)} == set(range(16))


@pytest.mark.parametrize("name", URL_PARTITIONERS)
def test_another_number_of_phases_is_another_partitioner(name: str) -> None:
    identities = {make_partitioner(name, 64, phases).identity for phases in (0, 64, 65)}
    assert len(identities) == 2


def test_no_two_partitioners_have_one_identity() -> None:
    identities = {make(number).identity for make in MAKERS.values() for number in (8, 16)}
    assert len(identities) == 2 * len(MAKERS)


@pytest.mark.parametrize("name", ["domain", "host-hash"])
def test_domains_are_spread_evenly(name: str) -> None:
    partition_of = make_partitioner(name, 64).partition_of
    counts = [0] * 64
    for number in range(10_000):
        counts[partition_of(f"com.site-{number}.www:s/")] += 1
    expected = 10_000 / 64
    chi_square = sum((count - expected) ** 2 / expected for count in counts)
    # 63 degrees of freedom: mean 63, standard deviation 11.2; this is five of them away.
    assert chi_square < 63 + 5 * 11.2


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitioners, "MOST_CACHED_HOSTS", 10)
    partitioner = by_host(64)
    keys = [f"org.host{number}:/" for number in range(25)]
    first = [partitioner.partition_of(key) for key in keys]
    assert len(partitioner._known) <= 10
    assert [partitioner.partition_of(key) for key in keys] == first


def test_the_job_knows_the_partitioners_that_exist() -> None:
    assert (*PARTITIONERS, *URL_PARTITIONERS) == PARTITIONERS_OF_THE_JOB
    assert tuple(URL_PARTITIONERS) == SPLITTING_PARTITIONERS
    with pytest.raises(ConfigError, match="choose one of: domain, host-hash"):
        make_partitioner("topic", 64)


labels = st.text(string.ascii_lowercase + string.digits + "-", min_size=1, max_size=8)
hosts = st.lists(labels, min_size=1, max_size=5).map(".".join)


@given(hosts, st.integers(1, 4096))
def test_every_host_has_a_partition_and_its_domain_has_the_same(host: str, partitions: int) -> None:
    partitioner = DomainPartitioner(partitions)
    partition = partitioner.partition_of(host + ":s/path")
    assert 0 <= partition < partitions
    domain = reversed_domain_of(host)
    assert host == domain or host.startswith(domain + ".")
    assert partitioner.partition_of(domain + ":/") == partition


def test_the_identity_is_the_content_of_the_list() -> None:
    partitioner = DomainPartitioner(8)
    kept = DomainPartitioner(8, unpacked(installed().packed()))
    assert kept.identity == partitioner.identity
    assert kept.is_noted(partitioner.identity.encode())
    longer = Suffixes(installed().listed + b"brand.new\n")
    assert DomainPartitioner(8, longer).identity != partitioner.identity
    assert not DomainPartitioner(8, longer).is_noted(partitioner.identity.encode())


def test_notes_of_earlier_releases_name_the_release_of_the_package() -> None:
    def noted(release: str, partitions: int = 8) -> bytes:
        return f"domain by publicsuffixlist {release} over {partitions} partitions".encode()

    found, kept = DomainPartitioner(8), DomainPartitioner(8, installed())
    assert found.is_noted(noted(version("publicsuffixlist")))
    assert not found.is_noted(noted("1.0.0.20200101"))
    assert kept.is_noted(noted("1.0.0.20200101"))  # it took the list from that release
    assert not kept.is_noted(noted("1.0.0.20200101", partitions=4))
    assert not kept.is_noted(None)


@given(st.binary(max_size=300))
def test_bytes_that_hold_no_list_are_refused(note: bytes) -> None:
    assert not holds_list(note)
    with pytest.raises(LogError, match="list of public suffixes cannot be read"):
        unpacked(note)


def test_a_list_longer_than_any_real_one_is_refused() -> None:
    assert not holds_list(zlib.compress(b"a\n" * MOST_BYTES))
    assert holds_list(zlib.compress(b"a\n" * (MOST_BYTES // 4)))
