"""A crawl stays where its seeds are, goes where they move, and keeps to the rules of its job."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lycosa.crawl.scope import JobScope
from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.model.url import key_of, parse_rules
from lycosa.storage.log.memory import MemoryLog
from unit.crawl.drawn_web import DrawnWeb, crawl, kept, linking, moved

SEED = "http://site.test/"
HOME = "https://www.site.test/"


def job_of(*rules: Mapping[str, object]) -> Job:
    return Job.of([SEED], rules, robots={"sitemaps": False})


def test_where_a_seed_redirects_to_joins_the_scope(tmp_path: Path) -> None:
    """From http to https and on to www, as most sites do."""
    web = DrawnWeb(
        {
            SEED: moved("https://site.test/"),
            "https://site.test/": moved(HOME),
            HOME: linking(f"{HOME}second.html"),
            f"{HOME}second.html": linking(),
        }
    )
    found = crawl(web, job_of(), tmp_path)
    assert kept(found) == {HOME, f"{HOME}second.html"}
    assert found[SEED] is found["https://site.test/"] is Outcome.REDIRECTED


def test_where_an_ordinary_page_redirects_to_does_not_join_the_scope(tmp_path: Path) -> None:
    web = DrawnWeb(
        {
            SEED: linking("/gone.html", "/third.html"),
            f"{SEED}gone.html": moved("http://other.test/"),
            f"{SEED}third.html": linking("http://other.test/page.html"),
            "http://other.test/": linking(),
            "http://other.test/page.html": linking(),
        }
    )
    found = crawl(web, job_of(), tmp_path)
    assert kept(found) == {SEED, f"{SEED}third.html"}
    assert found[f"{SEED}gone.html"] is Outcome.REDIRECTED
    assert {"http://other.test/", "http://other.test/page.html"}.isdisjoint(found)


def test_a_seed_that_moves_within_its_host_leads_on(tmp_path: Path) -> None:
    web = DrawnWeb(
        {
            SEED: moved("/start"),
            f"{SEED}start": moved("http://new.test/"),
            "http://new.test/": linking(),
        }
    )
    assert kept(crawl(web, job_of(), tmp_path)) == {"http://new.test/"}


def test_the_subdomains_of_a_seed_are_other_hosts(tmp_path: Path) -> None:
    web = DrawnWeb({SEED: linking("http://sub.site.test/"), "http://sub.site.test/": linking()})
    assert set(crawl(web, job_of(), tmp_path)) == {SEED}


def test_an_accepted_suffix_lets_its_hosts_in_and_no_others(tmp_path: Path) -> None:
    web = DrawnWeb(
        {
            SEED: linking("http://sub.site.test/", "http://other.test/"),
            "http://sub.site.test/": linking(),
            "http://other.test/": linking(),
        }
    )
    job = job_of({"action": "accept", "suffix": "site.test"})
    assert set(crawl(web, job, tmp_path)) == {SEED, "http://sub.site.test/"}


def test_what_is_rejected_first_is_not_accepted_later(tmp_path: Path) -> None:
    web = DrawnWeb(
        {
            SEED: linking("/calendar/1", "/open.html"),
            f"{SEED}calendar/1": linking(),
            f"{SEED}open.html": linking(),
        }
    )
    rules = [
        {"action": "reject", "regex": "/calendar/"},
        {"action": "accept", "suffix": "site.test"},
    ]
    assert set(crawl(web, job_of(*rules), tmp_path)) == {SEED, f"{SEED}open.html"}


def test_a_rule_that_only_rejects_leaves_the_crawl_on_its_seeds(tmp_path: Path) -> None:
    web = DrawnWeb(
        {
            SEED: linking("/calendar/1", "/open.html", "http://other.test/"),
            f"{SEED}open.html": linking(),
            f"{SEED}calendar/1": linking(),
            "http://other.test/": linking(),
        }
    )
    job = job_of({"action": "reject", "prefix": f"{SEED}calendar/"})
    assert set(crawl(web, job, tmp_path)) == {SEED, f"{SEED}open.html"}


def test_a_redirect_of_a_seed_does_not_lead_past_a_rule(tmp_path: Path) -> None:
    web = DrawnWeb({SEED: moved("http://other.test/"), "http://other.test/": linking()})
    job = job_of({"action": "reject", "suffix": "other.test"})
    assert set(crawl(web, job, tmp_path)) == {SEED}


def test_a_scope_that_has_grown_is_remembered_by_the_log() -> None:
    job, log = Job.of([SEED]), MemoryLog(4)
    scope = JobScope(job, log)
    scope.join(key_of(SEED))
    scope.follow(key_of(SEED), key_of("https://site.test/"), is_seed=True)
    scope.write()
    again = JobScope(job, log)
    again.follow(key_of("https://site.test/"), key_of(HOME), is_seed=False)
    again.write()
    for url in (SEED, "https://site.test/x", f"{HOME}y"):
        assert JobScope(job, log).judge(key_of(url)).key == key_of(url)
    assert JobScope(job, log).judge(key_of("http://other.test/")).key is None


def test_only_seeds_and_their_redirects_widen_the_scope() -> None:
    job, log = Job.of([SEED]), MemoryLog(4)
    scope = JobScope(job, log)
    scope.join(key_of(SEED))
    scope.follow(key_of(f"{SEED}page.html"), key_of("http://other.test/"), is_seed=False)
    assert scope.judge(key_of("http://other.test/")).key is None


def test_what_one_worker_lets_in_the_others_let_in() -> None:
    log, job = MemoryLog(1), Job.of([SEED])
    one = JobScope(job, log)
    one.join(key_of(SEED))
    one.write()
    other = JobScope(job, log)
    one.follow(key_of(SEED), key_of(HOME), is_seed=True)
    one.write()
    assert other.judge(key_of(HOME)).key is None
    other.look_again()
    assert other.judge(key_of(HOME)).key == key_of(HOME)
    # Also where the page that moved was another worker's.
    other.follow(key_of(HOME), key_of("http://third.test/"), is_seed=False)
    assert other.judge(key_of("http://third.test/")).key is not None


def test_what_begins_as_the_first_rule_accepts_needs_no_verdict() -> None:
    beginnings = ["http://site.test/a/", "http://site.test:22/"]
    scope = JobScope(job_of({"action": "accept", "prefix": beginnings}), MemoryLog(1))
    assert list(scope.accepted_beginnings) == [key_of("http://site.test/a/")]
    before = scope.size
    scope.adopt(parse_rules([{"action": "reject", "prefix": ["http://site.test/a/b"]}]))
    assert scope.rejects_more and scope.size > before
    assert list(scope.accepted_beginnings) == []
    scope.adopt([])
    assert list(scope.accepted_beginnings) == [key_of("http://site.test/a/")]
