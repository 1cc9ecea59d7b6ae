"""The rule that decides is named, and the verdict is that of a crawl."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.crawl.scope import JobScope
from lycosa.model.job import Job
from lycosa.model.url import key_of
from lycosa.operate.checking.scope import ScopeChecker
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.log.memory import MemoryLog

RULES: list[dict[str, Any]] = [
    {"action": "accept", "suffix": ".cl"},
    {"action": "accept", "prefix": "http://a.test/x"},
    {"action": "reject", "regex": "b"},
    {"action": "reject", "max_query_parameters": 1},
    {"action": "transform", "sort_query": True},
    {"action": "transform", "drop_www": True},
    {"action": "transform", "remove_parameters": ["sid"]},
    {"action": "transform", "regex_replace": "http://z", "replacement": "mailto:z"},
]
HOSTS = st.sampled_from(["a.test", "www.a.test", "b.cl", "www.b.cl", "z"])
PATHS = st.sampled_from(["", "x", "xb", "?b=1&a=2", "?sid=1", "x?sid=1&c", "x?z=1&y=2"])
URLS = st.builds("http://{}/{}".format, HOSTS, PATHS)


@settings(deadline=None)
@given(st.lists(st.sampled_from(RULES), max_size=5), st.lists(HOSTS, max_size=2), URLS)
def test_the_verdict_is_that_of_a_crawl(
    rules: list[dict[str, Any]], hosts: list[str], url: str
) -> None:
    job = Job.of([f"http://{host}/" for host in hosts], rules)
    scope = JobScope(job, MemoryLog(1))
    for host in hosts:
        scope.join(key_of(f"http://{host}/"))
    verdict = scope.judge(key_of(url))
    checked = ScopeChecker(job).check(url)
    assert (checked.is_wanted, checked.reason) == (verdict.key is not None, verdict.reason)
    if verdict.key is not None:
        assert checked.key == verdict.key
    if checked.rule is not None and "transform" not in checked.reason:
        alone = ScopeChecker(Job.of(rules=[rules[checked.rule.number - 1]]))
        changed = checked.transforms[-1].url if checked.transforms else url
        assert changed is not None
        assert alone.check(changed).is_wanted == checked.is_wanted


def test_the_deciding_rule_is_named_by_its_place_and_its_text() -> None:
    checked = ScopeChecker(Job.of(rules=[RULES[5], RULES[2], RULES[0]])).check("http://www.c.cl/?x")
    assert checked.is_wanted
    assert checked.rule is not None
    assert (checked.rule.number, checked.rule.text) == (3, '{action = "accept", suffix = ".cl"}')
    assert [(rule.number, rule.url) for rule in checked.transforms] == [(1, "http://c.cl/?x")]
    assert (checked.canonical, checked.is_dynamic, checked.depth) == ("http://c.cl/?x", True, 10)


def test_without_rules_the_hosts_of_the_seeds_are_the_scope() -> None:
    checker = ScopeChecker(Job.of(["http://a.test/"]))
    assert (
        checker.check("http://a.test/x").why == "no rule decides, and it is on the host of a seed"
    )
    assert checker.check("http://b.test/").why.endswith("its host is not a host of a seed")
    assert not checker.check("http://b.test/").is_wanted


def test_with_depth_0_only_the_seeds_are_in() -> None:
    limits = {"depth_static": 0, "depth_dynamic": 1}
    checker = ScopeChecker(Job.of(["http://a.test/"], limits=limits))
    assert checker.check("http://a.test/").is_wanted
    assert checker.check("http://a.test/x").reason == "too-deep"
    assert checker.check("http://a.test/?x").is_wanted


def test_what_is_no_url_is_out_with_the_reason() -> None:
    checked = ScopeChecker(Job()).check("mailto:a@b")
    assert (checked.is_wanted, checked.reason, checked.canonical) == (False, "scheme", None)


def test_hosts_that_joined_a_crawl_are_known_and_nothing_is_written(tmp_path: Path) -> None:
    job = Job.of(["http://a.test/"], frontier={"partitions": 2})
    directory = CrawlDirectory.create(tmp_path / "c", job)
    assert not ScopeChecker.of_directory(directory).check("http://b.test/").is_wanted
    assert not directory.log_folder.exists()
    log = directory.log(job)
    scope = JobScope(job, log)
    scope.follow(key_of("http://a.test/"), key_of("http://b.test/"), is_seed=True)
    scope.write()
    before = log.notes("")
    assert ScopeChecker.of_directory(directory).check("http://b.test/x").is_wanted
    assert log.notes("") == before
    log.close()
