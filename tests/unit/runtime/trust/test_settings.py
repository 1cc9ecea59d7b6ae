"""Which keys are operator settings, and what their digest covers."""

from __future__ import annotations

from pathlib import Path

from lycosa.model.job import SECTIONS, Job, parse_job
from lycosa.model.job.keys import keys_of
from lycosa.runtime.trust.code import code_inside
from lycosa.runtime.trust.settings import (
    HARMLESS,
    digest_of,
    is_operator,
    operator_settings,
    without,
)

OPERATOR = [
    "fetch.allow_private",
    "fetch.ca_file",
    "fetch.hosts_file",
    "fetch.loopback_origins",
    "fetch.name_servers",
    "fetch.ports",
    "fetch.private_networks",
    "fetch.proxy",
    "log.name",
    "log.server",
    "login.check",
    "login.check_text",
    "login.cookie_file",
    "login.fields",
    "login.follow_logout",
    "login.headers",
    "login.most_logins",
    "login.page",
    "login.plain_fields",
    "login.secrets_file",
    "login.url",
    "notify.command",
    "notify.disk_bytes",
    "notify.on",
    "notify.stall_seconds",
    "notify.time_limit_seconds",
    "notify.webhook",
    "plugins.most_item_bytes",
    "plugins.most_items",
    "plugins.post",
    "plugins.post_again",
    "plugins.post_with_login",
    "plugins.settings",
    "plugins.use",
    "render.browser",
    "render.without_sandbox",
    "statistics.file",
    "store.place",
    "topics.model",
]


def test_the_operator_settings_are_these() -> None:
    """A new key is one until it is named in `HARMLESS`: decide, then change one of the lists."""
    found = [f"{s}.{k}" for s in SECTIONS for k in keys_of(SECTIONS[s]) if is_operator(s, k)]
    assert sorted(found) == OPERATOR


def test_every_harmless_key_exists() -> None:
    for section, keys in HARMLESS.items():
        assert keys == "*" or set(keys.split()) <= keys_of(SECTIONS[section]).keys(), section


def test_every_path_is_an_operator_setting() -> None:
    paths = [(s, k) for s in SECTIONS for k, key in keys_of(SECTIONS[s]).items() if key.is_path]
    assert paths
    assert all(is_operator(section, key) for section, key in paths)


def test_a_job_with_harmless_settings_has_none() -> None:
    job = Job.of(["http://a.test/"], limits={"pages": 5}, frontier={"scheduler": "profit"})
    assert operator_settings(job) == {}


def test_a_setting_with_its_default_is_not_one() -> None:
    assert operator_settings(parse_job('[notify]\ncommand = ""\n')) == {}


def test_a_changed_value_has_another_digest() -> None:
    one = operator_settings(Job.of(notify={"command": "true"}))
    other = operator_settings(Job.of(notify={"command": "false"}))
    more = operator_settings(Job.of(notify={"command": "true"}, fetch={"allow_private": True}))
    assert len({digest_of(one), digest_of(other), digest_of(more)}) == 3


def test_a_relative_path_is_another_text_than_the_absolute_one() -> None:
    one = operator_settings(parse_job('[statistics]\nfile = "figures.csv"\n'))
    other = operator_settings(parse_job('[statistics]\nfile = "/x/figures.csv"\n'))
    assert digest_of(one) != digest_of(other)


def test_a_list_of_seeds_elsewhere_is_one_and_the_own_list_is_not() -> None:
    assert operator_settings(parse_job('seeds = {file = "seeds.txt"}\n')) == {}
    assert operator_settings(parse_job('seeds = {file = "/etc/passwd"}\n')) == {
        "seeds.file": '"/etc/passwd"'
    }


def test_the_own_model_is_not_one_and_another_file_is() -> None:
    assert operator_settings(parse_job('[topics]\nmodel = "topics.model"\n')) == {}
    found = operator_settings(
        parse_job('[topics]\nmodel = "/x/topics.model"\ndigest = "0123456789abcdef"\n')
    )
    assert list(found) == ["topics.model"]


def test_what_is_left_out_has_its_default() -> None:
    job = Job.of(["http://a.test/"], notify={"command": "true"}, limits={"pages": 5})
    assert without(job, operator_settings(job)) == Job.of(["http://a.test/"], limits={"pages": 5})


def test_a_program_inside_the_directory_is_part_of_the_digest(tmp_path: Path) -> None:
    program = tmp_path / "hook.sh"
    program.write_text("echo one")
    job = Job.of(notify={"command": "sh hook.sh"})
    before = code_inside(job, tmp_path)
    program.write_text("echo two")
    after = code_inside(job, tmp_path)
    assert list(before) == list(after) == ["content of hook.sh"]
    assert before != after


def test_a_program_of_the_machine_is_not_hashed(tmp_path: Path) -> None:
    assert code_inside(Job.of(notify={"command": "/bin/true"}), tmp_path) == {}
