"""A log server is not an operator: what stands in a log runs nothing on a machine that joins."""

from __future__ import annotations

import dataclasses
import json
import re
from contextlib import closing
from pathlib import Path

import pytest

from crawls_on_servers import PAGES, POSTGRES, Web, address, web
from lycosa.model.job import Job, parse_job, read_job
from lycosa.runtime.directory import named_anew
from lycosa.runtime.shared_log.notes import JOB, job_among, note_job
from lycosa.storage.log.opening import open_log
from lycosa.storage.log.protocol import Log
from warm import lycosa

__all__ = ["address", "web"]

HOSTILE: dict[str, dict[str, object]] = {
    "notify": {"command": "touch {folder}/owned"},
    "login": {"headers": ["https://www.example.org X-Secret: ${{AWS_SECRET_ACCESS_KEY}}"]},
    "plugins": {"use": ["evil"]},
    "statistics": {"file": "{folder}/owned"},
    "render": {"mode": "always", "browser": "{folder}/evil"},
    "fetch": {"proxy": "http://192.0.2.1:3128", "allow_private": True},
    "store": {"place": "file://{folder}/owned"},
}
REFUSED = 9
"""The exit code for settings that were not accepted."""


def hostile(section: str, folder: Path, seed: str, name: str) -> str:
    """Return a job with one hostile section, as whoever can write to a log would note it."""
    lines = [f'seeds = ["{seed}"]', "[log]", f'name = "{name}"', "[frontier]", "partitions = 4"]
    if section != "fetch":
        lines += ["[fetch]", 'contact = "you@example.org"']
    lines.append(f"[{section}]")
    for key, value in HOSTILE[section].items():
        lines.append(f"{key} = {json.dumps(value)}".replace("{folder}", str(folder)))
    return "\n".join(lines).replace("{{", "{").replace("}}", "}") + "\n"


def begun(address: str) -> tuple[Log, str]:
    """Begin a log as a stranger does; return it with the name of the crawl."""
    name = named_anew(Job.of(log={"server": address})).log.name
    return open_log(address, 4, crawl=name), name


@pytest.mark.parametrize("section", HOSTILE)
@pytest.mark.parametrize("address", [POSTGRES], indirect=True)
def test_a_hostile_job_in_a_log_runs_nothing_on_a_machine_that_joins(
    section: str, address: str, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("LYCOSA_STATE_DIR", str(tmp_path / "state"))
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/owned\n", encoding="ascii")
    evil.chmod(0o755)
    log, name = begun(address)
    with closing(log):
        log.note("planted", b"")
        log.note("begun", b"2026-11-18T00:00:00+00:00")
        log.note(JOB, hostile(section, tmp_path, web.seeds[0], name).encode())
    done = lycosa("join", address, name, "-o", tmp_path / "mine", "--quiet")
    assert done.returncode == REFUSED, done.stderr
    for key in HOSTILE[section]:
        if (section, key) != ("render", "mode"):
            assert f"    {section}.{key} = " in done.stderr
    assert re.search(r"--trust [0-9a-f]{32}\n", done.stderr)
    assert not (tmp_path / "owned").exists()
    assert not (tmp_path / "mine").exists()
    crew = lycosa("join", address, name, "-o", tmp_path / "mine", "--quiet", "--workers", "2")
    assert crew.returncode == REFUSED, crew.stderr
    assert not (tmp_path / "owned").exists()
    assert not (tmp_path / "mine").exists()


@pytest.fixture
def mine(web: Web, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A crawl that was begun on another machine, whose user has another record."""
    monkeypatch.setenv("LYCOSA_STATE_DIR", str(tmp_path / "state-1"))
    flags = [flag for flag in web.flags if flag not in ("--quiet", "--json")]
    done = lycosa("crawl", web.seeds[0], "-o", tmp_path / "1", "--log", address, *flags)
    assert done.returncode == 0, done.stderr
    (tmp_path / "said").write_text(done.stderr)
    monkeypatch.setenv("LYCOSA_STATE_DIR", str(tmp_path / "state-2"))
    return tmp_path / "1"


def test_the_first_machine_prints_the_digest_by_which_others_join(
    mine: Path, web: Web, address: str, tmp_path: Path
) -> None:
    name = read_job(mine / "crawl.toml").log.name
    refused = lycosa("join", address, name, "-o", tmp_path / "2", "--quiet")
    assert refused.returncode == REFUSED
    assert "    fetch.allow_private = true\n    fetch.hosts_file = " in refused.stderr
    assert not (tmp_path / "2").exists()
    (digest,) = set(re.findall(r"--trust ([0-9a-f]{32})", refused.stderr))
    assert f"--trust {digest}" in (tmp_path / "said").read_text()
    wrong = lycosa("join", address, name, "-o", tmp_path / "2", "--trust", "0" * 32, "--quiet")
    assert wrong.returncode == REFUSED
    joined = lycosa("join", address, name, "-o", tmp_path / "2", "--trust", digest)
    assert joined.returncode == 0, joined.stderr
    assert f"joining {name}" in joined.stderr
    assert json.loads(lycosa("status", tmp_path / "2", "--json").stdout)["pages"] == PAGES
    again = lycosa("resume", tmp_path / "2", "--quiet")
    assert again.returncode == 0, again.stderr


def test_settings_that_were_typed_count_and_what_differs_is_shown(
    mine: Path, web: Web, address: str, tmp_path: Path
) -> None:
    name = read_job(mine / "crawl.toml").log.name
    own = tmp_path / "hosts"
    own.write_text(Path(web.hosts_file).read_text())
    typed = ["--set", f"fetch.hosts_file={own}", "--set", "fetch.allow_private=true"]
    joined = lycosa("join", address, name, "-o", tmp_path / "2", *typed)
    assert joined.returncode == 0, joined.stderr
    assert f'here fetch.hosts_file = "{own}"; the log has "{web.hosts_file}"' in joined.stderr
    assert read_job(tmp_path / "2" / "crawl.toml").fetch.hosts_file == str(own)
    said = (tmp_path / "2" / "lycosa.log").read_text()
    assert "this machine follows its own settings: fetch.hosts_file" in said
    with closing(open_log(address, 4, crawl=name)) as log:
        noted = job_among(log.notes(JOB))
    assert noted is not None
    assert noted.fetch.hosts_file == web.hosts_file  # those of the machine that began


def test_a_later_job_changes_nothing_of_a_member_that_has_joined(
    mine: Path, address: str, tmp_path: Path
) -> None:
    job = read_job(mine / "crawl.toml")
    name = job.log.name
    typed = [
        "--set",
        f"fetch.hosts_file={job.fetch.hosts_file}",
        "--set",
        "fetch.allow_private=true",
    ]
    first = lycosa("join", address, name, "-o", tmp_path / "2", "--quiet", *typed)
    assert first.returncode == 0, first.stderr
    evil = dataclasses.replace(
        job, notify=dataclasses.replace(job.notify, command=f"touch {tmp_path}/owned")
    )
    with closing(open_log(address, 4, crawl=name)) as log:
        note_job(log, evil)
    again = lycosa("join", address, name, "-o", tmp_path / "2")
    assert again.returncode == 0, again.stderr
    assert f'notify.command = not set; the log has "touch {tmp_path}/owned"' in again.stderr
    assert not read_job(tmp_path / "2" / "crawl.toml").notify.command
    assert not (tmp_path / "owned").exists()
    third = lycosa("join", address, name, "-o", tmp_path / "3", "--quiet", *typed)
    assert third.returncode == REFUSED
    assert "    notify.command = " in third.stderr
    declined = [*typed, "--set", "notify.command="]
    third = lycosa("join", address, name, "-o", tmp_path / "3", "--quiet", *declined)
    assert third.returncode == 0, third.stderr
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("address", [POSTGRES], indirect=True)
def test_a_job_without_operator_settings_is_joined_by_address_alone(
    address: str, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LYCOSA_STATE_DIR", str(tmp_path / "state"))
    log, name = begun(address)
    text = 'seeds = ["https://www.example.org/"]\n[fetch]\ncontact = "you@example.org"\n'
    text += f'[log]\nname = "{name}"\n[frontier]\npartitions = 4\n[limits]\npages = 1\n'
    with closing(log):
        assert parse_job(text).fetch.contact
        log.note("planted", b"")
        log.note("partitioner", b"")
        log.note(JOB, text.encode())
        log.note("run-1", b"")
        log.note("end-1", b"stopped")
    done = lycosa("join", address, name, "-o", tmp_path / "mine", "--list")
    assert "stopped" in done.stdout
    done = lycosa("join", address, name, "-o", tmp_path / "mine")
    assert done.returncode != REFUSED, done.stderr
    assert "trust" not in done.stderr


@pytest.mark.parametrize("address", [POSTGRES], indirect=True)
def test_a_key_of_the_job_is_not_set_by_one_machine(
    mine: Path, address: str, tmp_path: Path
) -> None:
    name = read_job(mine / "crawl.toml").log.name
    more = ["--set", "politeness.delay_seconds=9"]
    done = lycosa("join", address, name, "-o", tmp_path / "2", *more)
    assert done.returncode == 2
    assert "belongs to the job, which all machines share" in done.stderr
