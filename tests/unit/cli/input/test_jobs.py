from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.cli.input.jobs import FLAG_KEYS, build_job, flag_rules, read_setting
from lycosa.cli.input.seeds import gather, with_scheme
from lycosa.errors import ConfigError
from lycosa.model.job import SECTIONS, Job
from lycosa.model.job.keys import keys_of
from lycosa.model.url import Scope, key_of, parse_rules


def test_every_flag_sets_keys_that_exist() -> None:
    for keys in FLAG_KEYS.values():
        for section, key in keys:
            assert key in keys_of(SECTIONS[section])


def test_without_flags_the_job_stays_as_it_is() -> None:
    base = Job.of(
        seeds=["https://example.org/"],
        rules=[{"action": "reject", "suffix": ".cl"}],
        limits={"pages": 7},
    )
    assert build_job(base, {}) == base
    assert build_job(base, dict.fromkeys(FLAG_KEYS)) == base


@pytest.mark.parametrize(
    ("flags", "section", "key", "value"),
    [
        ({"max_pages": 5}, "limits", "pages", 5),
        ({"max_bytes": 5_000_000}, "limits", "bytes", 5_000_000),
        ({"time": 7200.0}, "limits", "seconds", 7200.0),
        ({"depth": 3}, "limits", "depth_static", 3),
        ({"depth": 3}, "limits", "depth_dynamic", 3),
        ({"only_seeds": True}, "limits", "depth_static", 0),
        ({"only_seeds": True, "depth": 4}, "limits", "depth_dynamic", 0),
        ({"delay": 30.0}, "politeness", "delay_seconds", 30.0),
        ({"delay": 30.0}, "politeness", "large_site_delay_seconds", 30.0),
        ({"ip_delay": 0.0}, "politeness", "ip_delay_seconds", 0.0),
        ({"contact": "me@example.org"}, "fetch", "contact", "me@example.org"),
        ({"connections": 9}, "fetch", "connections", 9),
        ({"workers": 3}, "crawl", "workers", 3),
        ({"bandwidth": 2_000_000}, "fetch", "bytes_per_second", 2_000_000),
        ({"allow_private": True}, "fetch", "allow_private", True),
        ({"scheduler": "diverse"}, "frontier", "scheduler", "diverse"),
        ({"requisites": True}, "extract", "requisites", True),
        ({"language": ("de", "en")}, "extract", "languages", ("de", "en")),
        ({"language": ()}, "extract", "languages", ()),
        ({"settings": ["limits.bytes=10MB"]}, "limits", "bytes", 10_000_000),
        ({"settings": ["limits.seconds = 2h"]}, "limits", "seconds", 7200.0),
        ({"settings": ["fetch.agent=spinne"]}, "fetch", "agent", "spinne"),
        ({"settings": ['fetch.agent="spinne"']}, "fetch", "agent", "spinne"),
        ({"settings": ["fetch.contact=https://a.example/x=1"]}, "fetch", "contact", None),
        ({"settings": ["fetch.cookies=true"]}, "fetch", "cookies", True),
        ({"settings": ["fetch.content_types=text/html, text/css"]}, "fetch", "content_types", None),
        ({"settings": ['limits.until="https://example.org/"']}, "limits", "until", None),
    ],
)
def test_flags_set_keys(flags: dict[str, Any], section: str, key: str, value: object) -> None:
    written = {
        "contact": "https://a.example/x=1",
        "content_types": ("text/html", "text/css"),
        "until": ("https://example.org/",),
    }
    expected = written[key] if value is None else value
    assert getattr(getattr(build_job(Job(), flags), section), key) == expected


def test_whoever_asks_for_cycles_gets_a_policy_and_keeps_one_that_is_there() -> None:
    assert build_job(Job(), {"cycles": 3}).revisit.policy == "profit"
    assert build_job(Job(), {"cycles": 3}).revisit.cycles == 3
    assert build_job(Job(), {"continuous": True}).revisit.continuous
    fresh = Job.of(revisit={"policy": "fresh"})
    assert build_job(fresh, {"cycles": 3}).revisit.policy == "fresh"
    assert build_job(Job(), {"cycles": 2, "settings": ["revisit.policy=uniform"]}).revisit == (
        Job.of(revisit={"policy": "uniform", "cycles": 2}).revisit
    )
    assert build_job(Job(), {}).revisit.policy == "off"


def test_a_number_of_cycles_and_cycles_without_end_are_refused_together() -> None:
    with pytest.raises(ConfigError) as caught:
        build_job(Job(), {"cycles": 2, "continuous": True})
    assert str(caught.value).startswith("--cycles 2 --continuous: ")
    assert "keep --cycles to stop after that many, or --continuous to crawl" in str(caught.value)
    with pytest.raises(ConfigError, match="keep `cycles`"):
        build_job(Job(), {"continuous": True, "settings": ["revisit.cycles=3"]})


def test_a_crawl_is_resumed_with_a_number_of_cycles_or_without_end_as_the_flag_says() -> None:
    ten = build_job(Job(), {"cycles": 10})
    endless = build_job(ten, {"continuous": True})
    assert (endless.revisit.cycles, endless.revisit.continuous) == (1, True)
    five = build_job(endless, {"cycles": 5})
    assert (five.revisit.cycles, five.revisit.continuous) == (5, False)
    assert build_job(endless, {}) == endless


def test_networks_are_added_to_those_that_are_allowed_already() -> None:
    base = Job.of(fetch={"private_networks": ["10.1.0.0/16"]})
    job = build_job(base, {"allow_network": ("10.2.0.0/16", "10.1.0.0/16")})
    assert job.fetch.private_networks == ("10.1.0.0/16", "10.2.0.0/16")
    assert not job.fetch.allow_private
    with pytest.raises(ConfigError, match="not a network"):
        build_job(base, {"allow_network": ("10.2.0.0/99",)})


def test_set_is_stronger_than_a_flag_and_a_flag_than_the_file() -> None:
    base = Job.of(limits={"pages": 1, "bytes": 1})
    job = build_job(base, {"max_pages": 2, "max_bytes": 2, "settings": ["limits.pages=3"]})
    assert (job.limits.pages, job.limits.bytes) == (3, 2)


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ("limits.page=3", "did you mean `pages`"),
        ("limit.pages=3", r"did you mean \[limits\]"),
        ("pages=3", "SECTION.KEY=VALUE"),
        ("limits.pages=many", "must be a whole number"),
        ("limits.seconds=soon", "must be a number"),
    ],
)
def test_a_wrong_setting_says_what_was_probably_meant(setting: str, text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        build_job(Job(), {"settings": [setting]})


@given(st.text())
def test_any_setting_is_read_or_refused(text: str) -> None:
    try:
        section, key, _ = read_setting(text)
    except ConfigError:
        return
    assert section and key


def accepts(includes: list[str], excludes: list[str], url: str) -> bool:
    scope = Scope(parse_rules(flag_rules(includes, excludes)))
    return scope.judge(key_of(url)).key is not None


def test_a_pattern_is_a_domain_a_beginning_or_an_expression() -> None:
    assert flag_rules([".cl", "https://example.org/docs/"], ["regex:/print$"]) == [
        {"action": "reject", "regex": "/print$"},
        {"action": "accept", "suffix": ".cl"},
        {"action": "accept", "prefix": "https://example.org/docs/"},
    ]


def test_what_is_excluded_stays_out_whatever_is_included() -> None:
    includes, excludes = ["example.org"], ["https://example.org/private/"]
    assert accepts(includes, excludes, "https://www.example.org/a")
    assert not accepts(includes, excludes, "https://example.org/private/a")
    assert not accepts(includes, excludes, "https://example.com/")


def test_flag_rules_stand_above_those_of_the_file() -> None:
    base = Job.of(rules=[{"action": "accept", "suffix": ".org"}])
    job = build_job(base, {"exclude": ["example.org"]})
    assert [rule["action"] for rule in job.rules] == ["reject", "accept"]


@pytest.mark.parametrize("pattern", ["regex:(", "example.org/docs", "*.example.org"])
def test_a_pattern_that_cannot_be_meant_names_its_flag(pattern: str) -> None:
    with pytest.raises(ConfigError, match=r"^--exclude: "):
        build_job(Job(), {"exclude": [pattern]})


@pytest.mark.parametrize(
    ("seed", "url"),
    [
        ("example.org", "https://example.org"),
        ("example.org/a:b", "https://example.org/a:b"),
        ("example.org:8080/x", "https://example.org:8080/x"),
        ("localhost:8080/x", "http://localhost:8080/x"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("[::1]/", "http://[::1]/"),
        ("//example.org/", "https://example.org/"),
    ],
)
def test_a_seed_without_a_scheme_gets_one_with_a_notice(
    seed: str, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert with_scheme(seed) == url
    assert capsys.readouterr().err == f"{seed}: read as {url}\n"


@pytest.mark.parametrize("seed", ["http://a.example/", "https://a.example", "mailto:a@b.example"])
def test_a_seed_with_a_scheme_is_left_alone(seed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert with_scheme(seed) == seed
    assert not capsys.readouterr().err


def test_blank_lines_and_comments_of_a_seed_file_are_skipped() -> None:
    file = io.StringIO("# seeds\n\n  http://a.example/ \nhttp://b.example/#part\n")
    assert list(gather(["http://c.example/"], file)) == [
        "http://c.example/",
        "http://a.example/",
        "http://b.example/#part",
    ]
