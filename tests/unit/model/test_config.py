from __future__ import annotations

import dataclasses
import math
import pickle
import tomllib
from datetime import UTC, date, datetime, time
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.errors import ConfigError
from lycosa.model.job import (
    SECTIONS,
    Job,
    addressing_in,
    example,
    parse_job,
    read_job,
    reference,
)
from lycosa.model.job.keys import Key, keys_of
from lycosa.model.job.requests import Limits, Politeness

ALL_KEYS = [(name, key) for name in SECTIONS for key in keys_of(SECTIONS[name]).values()]


def refusal(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_job(text)
    return str(caught.value)


def test_an_empty_file_is_a_job_with_all_defaults() -> None:
    job = parse_job("")
    assert job == Job() == Job.of()
    assert job.politeness.delay_seconds == 15.0
    assert job.frontier.partitions == 64
    assert job.fetch.content_types[0] == "text/html"


def test_values_of_the_file_arrive_in_their_sections() -> None:
    job = parse_job(
        'seeds = ["https://example.org/"]\n'
        "[limits]\npages = 5\nseconds = 3\n"
        '[[rules]]\naccept = "/a"\n[[rules]]\nreject = "/b"\n'
    )
    assert job.seeds == ("https://example.org/",)
    assert job.limits.pages == 5
    assert isinstance(job.limits.seconds, float)
    assert job.rules == ({"accept": "/a"}, {"reject": "/b"})


def test_an_unknown_key_names_the_likely_one_and_the_command_that_lists_all() -> None:
    assert refusal("[politeness]\ndelay_second = 3") == (
        "crawl.toml: [politeness] has no key `delay_second`\n"
        "  did you mean `delay_seconds`?  all keys: lycosa config politeness"
    )


def test_a_key_under_the_wrong_section_is_sent_to_the_right_one() -> None:
    assert "did you mean `delay_seconds` in [politeness]?" in refusal("[fetch]\ndelay_seconds = 3")
    assert "did you mean `pages` in [limits]?" in refusal("pages = 3")


def test_an_unknown_section_names_the_likely_one() -> None:
    assert refusal("[limit]\npages = 1") == (
        "crawl.toml: there is no section [limit]\n"
        "  did you mean [limits]?  all sections: lycosa config"
    )


def test_all_problems_are_reported_at_once() -> None:
    text = refusal("sedes = []\n[limits]\npages = -1\nbites = 2\n[log]\ndurability = 'disk'")
    assert [line for line in text.split("\n") if line.startswith("crawl.toml:")] == [
        "crawl.toml: the job has no key `sedes`",
        "crawl.toml: [limits] `pages` must be at least 0, not -1",
        "crawl.toml: [limits] has no key `bites`",
        "crawl.toml: [log] `durability` cannot be 'disk'",
    ]


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("[limits]\npages = 'ten'", "`pages` must be a whole number, not 'ten'"),
        ("[limits]\npages = true", "`pages` must be a whole number, not True"),
        ("[limits]\npages = 1.5", "`pages` must be a whole number, not 1.5"),
        ("[limits]\npages = 99999999999999999999", "`pages` must be at most"),
        ("[limits]\nuntil = 'a'", "`until` must be a list of texts"),
        ("[limits]\nuntil = ['regex:(']", "`until` holds a wrong expression"),
        ("[politeness]\ndelay_seconds = nan", "`delay_seconds` must be a finite number"),
        ("[politeness]\ndelay_seconds = inf", "`delay_seconds` must be a finite number"),
        ("[politeness]\ndelay_seconds = -0.1", "`delay_seconds` must be at least 0, not -0.1"),
        ("[politeness]\nstrikes = 0", "`strikes` must be at least 1"),
        ("[robots]\nlargest_bytes = 1000", "`largest_bytes` must be at least 512000"),
        ("[frontier]\npartitions = 0", "`partitions` must be at least 1, not 0"),
        ("[frontier]\npartitions = 4097", "`partitions` must be at most 4096, not 4097"),
        ("[frontier]\nscheduler = 'breadth'", "did you mean `breadth-first`?"),
        ("[frontier]\nscheduler = 'topwindow'", "did you mean `top-window`?"),
        ("[frontier]\nscore = 'size'", "known are: `default`, `links`, `depth`, `path`"),
        ("[frontier]\nwindow = 0", "`window` must be at least 1"),
        ("[politeness]\nburst_urls = 21", "`burst_urls` must be at most 20"),
        ("[politeness]\nburst_urls = 0", "`burst_urls` must be at least 1"),
        ("[frontier]\npartitioner = 'topic'", "known are: `domain`, `host-hash`"),
        ("[fetch]\nagent = 'lycosa/1.0'", "`agent` must be letters"),
        ("[fetch]\nagent = ''", "`agent` must be letters"),
        ("[fetch]\ncontact = \"a\\nb\"", "`contact` must be a mail address"),
        ("[fetch]\ncontent_types = []", "`content_types` must not be empty"),
        ("[fetch]\ncontent_types = ['html']", "`content_types` must hold `type/subtype`"),
        ("[fetch]\nprivate_networks = ['10.0.0.1/8']", "10.0.0.1/8 has host bits set"),
        ("[fetch]\nprivate_networks = ['inside']", "holds 'inside', which is not a network"),
        ("[fetch]\nloopback_origins = ['10.0.0.1:80']", "`localhost` or a loopback address"),
        ("[fetch]\nloopback_origins = ['localhost:0']", "is not a server on this machine"),
        ("[fetch]\nname_servers = ['ns.example']", "holds 'ns.example', which is not"),
        ("[fetch]\nname_servers = ['10.0.0.1:99999']", "which is not an IP address"),
        ("limits = 3", "`limits` is a section, not a value"),
        ("seeds = 'https://example.org/'", "`seeds` is not a list of URLs"),
        ("seeds = [' ']", "`seeds` is not a list of URLs"),
        ("[rules]\na = 1", "write `[[rules]]`, with two brackets"),
        ("seeds = [", "is not valid TOML"),
    ],
)  # fmt: skip
def test_an_impossible_value_is_refused_with_its_place(text: str, fragment: str) -> None:
    answer = refusal(text)
    assert answer.startswith("crawl.toml: ")
    assert fragment in answer


def test_a_first_back_off_longer_than_the_longest_is_refused() -> None:
    text = refusal("[politeness]\nbackoff_first_seconds = 90\nbackoff_most_seconds = 60")
    assert "`backoff_first_seconds` (90) is longer than `backoff_most_seconds` (60)" in text


def test_fewer_phases_than_partitions_are_refused() -> None:
    text = refusal("[frontier]\npartitions = 16\nphases = 15")
    assert "has fewer `phases` (15) than `partitions` (16)" in text
    assert "raise `phases` to 16" in text
    parse_job("[frontier]\npartitions = 16\nphases = 16")
    parse_job("[frontier]\npartitions = 16\nphases = 0")


def test_cycles_without_a_policy_and_a_policy_beside_seconds_are_refused() -> None:
    for line in ("cycles = 2", "continuous = true"):
        assert 'choose a policy: policy = "profit"' in refusal(f"[revisit]\n{line}")
    text = refusal('[revisit]\npolicy = "fresh"\nseconds = 60')
    assert "has `seconds` (60) and the policy `fresh`" in text
    parse_job('[revisit]\npolicy = "fresh"\ncycles = 9')
    parse_job('[revisit]\npolicy = "fresh"\ncontinuous = true')


def test_a_number_of_cycles_and_cycles_without_end_are_refused_together() -> None:
    text = refusal('[revisit]\npolicy = "fresh"\ncycles = 9\ncontinuous = true')
    assert text.startswith("crawl.toml: [revisit] has `cycles` (9) and is `continuous`")
    assert "keep `cycles` to stop after that many, or `continuous` to crawl" in text
    with pytest.raises(ConfigError, match="no last cycle"):
        Job.of(revisit={"policy": "profit", "cycles": 2, "continuous": True})


def test_jobs_made_in_code_are_checked_like_files() -> None:
    with pytest.raises(ConfigError, match=r"job: \[limits\] `pages` must be at least 0"):
        Job.of(limits={"pages": -1})
    with pytest.raises(ConfigError, match=r"there is no section \[limit\]"):
        Job.of(limit={"pages": 1})


def test_a_file_that_is_missing_or_not_text_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        read_job(tmp_path / "none.toml")
    (tmp_path / "crawl.toml").write_bytes(b"seeds = ['\xff']")
    with pytest.raises(ConfigError, match="byte 10 is not UTF-8"):
        read_job(tmp_path / "crawl.toml")


def test_a_job_file_is_read_under_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(Job.of(limits={"pages": 7}).to_toml(), encoding="utf-8")
    assert read_job(path).limits.pages == 7
    path.write_text("x = 1")
    with pytest.raises(ConfigError, match=r"mine\.toml: the job has no key `x`"):
        read_job(path)


def test_every_key_is_in_the_reference_and_in_the_example() -> None:
    tables = tomllib.loads(example())
    page = reference()
    for section, key in ALL_KEYS:
        assert f"| `{key.name}` |" in reference(section)
        assert reference(section) in page
        assert key.name in tables[section]
        assert key.doc.endswith(".")


def test_the_example_is_a_job_with_all_defaults() -> None:
    assert parse_job(example()) == Job(seeds=("https://example.org/",))


def test_every_default_passes_its_own_check() -> None:
    tables: dict[str, Any] = {name: dataclasses.asdict(SECTIONS[name]()) for name in SECTIONS}
    assert Job.of(**tables) == Job()


def test_a_relative_path_begins_at_the_folder_of_the_job_file(tmp_path: Path) -> None:
    (tmp_path / "crawl.toml").write_text("[fetch]\nhosts_file = 'web/hosts'\nca_file = '/a.pem'\n")
    job = read_job(tmp_path / "crawl.toml")
    assert job.fetch.hosts_file == str(tmp_path / "web" / "hosts")
    assert job.fetch.ca_file == "/a.pem"
    (tmp_path / "crawl.toml").write_text(job.to_toml())
    assert read_job(tmp_path / "crawl.toml") == job


def test_the_user_agent_names_the_contact() -> None:
    assert Job().fetch.user_agent == "lycosa"
    job = Job.of(fetch={"agent": "spinne", "contact": "me@example.org"})
    assert job.fetch.user_agent == "spinne (me@example.org)"


def test_the_digest_tells_jobs_apart_and_nothing_else() -> None:
    assert Job.of().digest() == parse_job("[limits]\npages = 0").digest()
    assert Job.of().digest() != Job.of(limits={"pages": 1}).digest()
    assert Job.of(revisit={"seconds": -0.0}).digest() == Job.of().digest()
    limits = {"depth_static": 3, "depth_dynamic": 2, "host_pages": 0}
    assert Job.of(limits=limits).digest()[33:] == "-3.2.0"
    assert len(Job.of().digest()) == 33 + len("-15.10.25000")


@pytest.mark.parametrize(
    ("fetch", "is_same"),
    [
        ({"retries": 9}, True),
        ({"name_servers": ["127.0.0.1"]}, False),
        ({"hosts_file": "hosts"}, False),
        ({"proxy": "http://127.0.0.1:3128"}, False),
        ({"allow_private": True}, False),
        ({"private_networks": ["10.0.0.0/8"]}, False),
        ({"loopback_origins": ["localhost:80"]}, False),
    ],
)
def test_the_end_of_a_digest_is_of_the_settings_that_addresses_depend_on(
    fetch: dict[str, object], is_same: bool
) -> None:
    ends = [addressing_in(job.digest()) for job in (Job.of(), Job.of(fetch=fetch))]
    assert (ends[0] == ends[1]) is is_same


def without_contradictions(tables: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    """Leave out of a job what cannot be together."""
    revisit = tables["revisit"]
    gone = ["cycles", "continuous"] if revisit.get("policy", "off") == "off" else ["seconds"]
    gone += ["cycles"] if revisit.get("continuous") else []
    kept = {name: value for name, value in revisit.items() if name not in gone}
    store = {name: value for name, value in tables["store"].items() if name != "durable"}
    return tables | {"revisit": kept, "store": tables["store"] if store.get("place") else store}


def values_of(section: str, key: Key) -> st.SearchStrategy[object]:
    most = min(key.most, 2**62)
    if key.choices:
        return st.sampled_from(key.choices)
    if key.name == "until":
        return st.lists(st.text().map(lambda text: "u" + text), max_size=3)
    if key.name == "private_networks":
        return st.lists(st.ip_addresses().map(ip_network).map(str), max_size=3)
    if key.name == "loopback_origins":
        # With anything in it, it would contradict keys that are drawn as well.
        return st.just([])
    if key.name == "name_servers":
        return st.lists(st.ip_addresses().map(str) | st.just("[::1]:5353"), max_size=3)
    if key.name == "settings":
        return st.just({})
    if (section, key.name) == ("login", "fields"):
        return st.lists(st.from_regex(r"[a-z]+=\$\{[A-Z]+\}", fullmatch=True), max_size=3)
    if section == "login" and key.name in ("page", "check", "check_text"):
        return st.just("")  # they go with `url`
    if key.name == "proxy":
        return st.sampled_from(["", "http://a.test:3128", "socks5h://me:${WORD}@a.test:1080"])
    if isinstance(key.default, tuple):
        return st.lists(st.from_regex(key.pattern, fullmatch=True), min_size=1, max_size=3)
    if isinstance(key.default, str):
        return st.from_regex(key.pattern, fullmatch=True)
    if isinstance(key.default, bool):
        return st.booleans()
    if key.name == "phases":
        return st.integers(4096, int(most))
    if isinstance(key.default, int):
        return st.integers(math.ceil(key.least), int(most))
    if key.name == "backoff_first_seconds":
        return st.floats(0, 100)
    if key.name == "backoff_most_seconds":
        return st.floats(100, 1000)
    whole = st.integers(math.ceil(key.least), int(min(most, 3600)))
    return st.floats(key.least, min(most, 1e10)) | whole


leaves = (
    st.text(max_size=8)
    | st.integers()
    | st.floats(allow_nan=False)
    | st.booleans()
    | st.datetimes(timezones=st.none() | st.just(UTC))
    | st.dates()
    | st.times()
)
rule_tables = st.dictionaries(
    st.text(max_size=8),
    st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        ),
        max_leaves=6,
    ),
    max_size=3,
)
sections = st.fixed_dictionaries(
    {
        name: st.fixed_dictionaries(
            {},
            optional={key.name: values_of(name, key) for key in keys_of(SECTIONS[name]).values()},
        )
        for name in SECTIONS
    }
).map(without_contradictions)
seeds = st.lists(st.text(min_size=1).filter(str.strip), max_size=3)


@settings(suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no fault of ours
@given(seeds=seeds, rules=st.lists(rule_tables, max_size=3), tables=sections)
def test_a_job_written_down_is_read_back_the_same(
    seeds: list[str],
    rules: list[dict[str, object]],
    tables: dict[str, dict[str, object]],
) -> None:
    job = Job.of(seeds=seeds, rules=rules, **tables)
    again = parse_job(job.to_toml())
    assert again == job
    assert again.digest() == job.digest()


def test_rules_keep_dates_and_inner_tables() -> None:
    rule: dict[str, object] = {
        "on": date(2024, 2, 29),
        "at": datetime(2024, 2, 29, 1, 2, 3, 4, UTC),
        "daily": time(1, 2, 3),
        "a key": {"deep": [{"x": 1}, {"y": [True, -0.5]}]},
    }
    assert parse_job(Job.of(rules=[rule]).to_toml()).rules == (rule,)


@given(st.text())
def test_any_text_is_a_job_or_a_config_error(text: str) -> None:
    try:
        parse_job(text)
    except ConfigError as error:
        assert str(error).startswith("crawl.toml: ")


def test_a_switch_is_true_or_false_and_nothing_else() -> None:
    assert not Job.of(robots={"sitemaps": False}).robots.sitemaps
    wrong: list[object] = [1, 0, "yes", None, []]
    for value in wrong:
        with pytest.raises(ConfigError, match="must be true or false"):
            Job.of(extract={"requisites": value})


def test_a_section_is_a_frozen_record() -> None:
    limits = Limits(5, seconds=2.0)
    assert (limits.pages, limits.seconds, limits.bytes) == (5, 2.0, Limits.bytes)
    assert dataclasses.replace(limits, pages=0, seconds=0.0) == Limits()
    assert hash(dataclasses.replace(limits)) == hash(limits)
    assert limits != Limits() and limits != Politeness()
    assert pickle.loads(pickle.dumps(limits)) == limits
    assert repr(limits).startswith("Limits(pages=5, bytes=0, seconds=2.0, ")
    with pytest.raises(dataclasses.FrozenInstanceError, match="pages"):
        limits.pages = 6  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError, match="pages"):
        del limits.pages


@pytest.mark.parametrize("named", [{"page": 5}, {"pages": 5, "page": 5}])
def test_a_section_is_not_made_of_what_it_does_not_know(named: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="page"):
        Limits(**named)
    with pytest.raises(TypeError, match="pages"):
        Limits(5, pages=5)  # type: ignore[misc]
    with pytest.raises(TypeError, match="too many"):
        Limits(*range(100))
