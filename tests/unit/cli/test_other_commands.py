"""`add`, `retry`, `block`, `cat`, `audit`, `config`, `completion` and `testweb`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

import lycosa_testweb
from lycosa.cli.main import main
from lycosa.model.job import Job, read_job
from lycosa.operate.inspect import audit, content
from unit.cli.pretended import Captured, PretendedCrawl


def test_add_tells_what_was_added(
    existing: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    assert main(["add", str(existing), "a.example", "mailto:x@a.example"]) == 0
    assert pretended.given == ["https://a.example", "mailto:x@a.example"]
    printed = capsys.readouterr()
    assert printed.out == f"1 seed added to {existing}\n"
    assert "mailto:x@a.example: not a usable seed: unknown scheme `mailto`" in printed.err
    assert main(["add", str(existing), "mailto:x@a.example"]) == 1
    assert main(["add", str(existing)]) == 2


def test_retry_and_block_tell_what_they_did(
    existing: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    assert main(["retry", str(existing)]) == 0
    assert main(["block", str(existing), "a.example"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1 URL back in the queue",
        f"  continue: lycosa resume {existing}",
        "a.example is blocked; 3,000 URLs taken out of the queue",
    ]


def test_block_tells_what_was_forgotten(
    existing: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    assert main(["block", str(existing), "a.example", "--forget"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "a.example is blocked; 3,000 URLs taken out of the queue",
        "40 exchanges and 1 row deleted; 1.5 MB of the disk given back",
    ]


class Content(NamedTuple):
    headers: bytes
    body: bytes
    text: str


@pytest.mark.parametrize(
    ("flags", "printed"),
    [
        ([], b"\xff\x00<p>\x1b[31mhello"),
        (["--body"], b"\xff\x00<p>\x1b[31mhello"),
        (["--headers"], b"HTTP/1.1 200 OK\r\n\r\n"),
        (["--text"], "grüße\n".encode()),
    ],
)
def test_cat_prints_the_bytes_as_they_are(
    flags: list[str],
    printed: bytes,
    existing: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    found = Content(b"HTTP/1.1 200 OK\r\n\r\n", b"\xff\x00<p>\x1b[31mhello", "grüße")
    monkeypatch.setattr(content, "content_of", lambda directory, url: found)
    assert main(["cat", str(existing), "https://example.org/", *flags]) == 0
    assert capfdbinary.readouterr().out == printed


def test_on_a_terminal_cat_obeys_no_page(
    existing: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    found = Content(b"", "a\x1b]0;owned\x07b\tc\u202ed\n".encode(), "")
    monkeypatch.setattr(content, "content_of", lambda directory, url: found)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["cat", str(existing), "https://example.org/"]) == 0
    assert capsys.readouterr().out == "a⟨U+001B⟩]0;owned⟨U+0007⟩b\tc⟨U+202E⟩d\n\n"


@pytest.mark.parametrize("breaches", [[], ["two requests to a.example within 3 s"]])
def test_audit_ends_with_its_verdict(
    breaches: list[str], existing: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    found = audit.Audit(1200, breaches, ["one at a time"])
    monkeypatch.setattr(audit, "audit", lambda directory: found)
    assert main(["audit", str(existing)]) == len(breaches)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1,200 requests checked against these rules:"
    assert lines[-1] == ("1 breach" if breaches else "clean")
    assert main(["audit", str(existing), "--json"]) == len(breaches)
    assert json.loads(capsys.readouterr().out) == {
        "directory": str(existing),
        "requests": 1200,
        "is_clean": not breaches,
        "rules": ["one at a time"],
        "breaches": breaches,
        "not_judged": [],
        "links_owed": 0,
        "links_given_up": 0,
    }


def test_config_shows_sections_keys_and_an_example(capsys: Captured) -> None:
    assert main(["config"]) == 0
    assert "[politeness]" in capsys.readouterr().out
    assert main(["config", "limits"]) == 0
    assert "host_pages = 25_000" in capsys.readouterr().out
    assert main(["config", "limits", "--json"]) == 0
    keys = json.loads(capsys.readouterr().out)["limits"]
    assert set(keys["pages"]) == {"default", "unit", "choices", "doc"}
    assert main(["config", "--example"]) == 0
    assert "[[rules]]" in capsys.readouterr().out


def test_the_example_is_a_job(tmp_path: Path, capsys: Captured) -> None:
    assert main(["config", "--example"]) == 0
    (tmp_path / "crawl.toml").write_text(capsys.readouterr().out)
    assert read_job(tmp_path / "crawl.toml") == Job(seeds=("https://example.org/",))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_completion(shell: str, capsys: Captured) -> None:
    assert main(["completion", shell]) == 0
    assert "_LYCOSA_COMPLETE" in capsys.readouterr().out


def test_testweb_is_handed_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[list[str]] = []

    def serve(arguments: list[str]) -> int:
        given.append(arguments)
        return 1

    monkeypatch.setattr(lycosa_testweb, "command", SimpleNamespace(main=serve), raising=False)
    assert main(["testweb", "--kind", "tree", "--help", "-x"]) == 1
    assert given == [["--kind", "tree", "--help", "-x"]]


def test_the_exit_code_of_testweb_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(arguments: list[str]) -> int:
        raise SystemExit(2)

    monkeypatch.setattr(lycosa_testweb, "command", SimpleNamespace(main=refuse), raising=False)
    assert main(["testweb", "--no-such-flag"]) == 2
