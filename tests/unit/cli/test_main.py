"""The commands, with a crawl that is only pretended."""

from __future__ import annotations

import importlib
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import click
import pytest

import lycosa
import lycosa.crawl.inspect
import lycosa.crawl.processes
import lycosa.testweb
from lycosa.cli.main import Lycosa, cli, main
from lycosa.cli.reference import reference
from lycosa.config import Job, read_job
from lycosa.crawl.directory import CrawlDirectory
from lycosa.crawl.inspect import audit, content
from lycosa.crawl.inspect.edits import Blocked
from lycosa.crawl.seeds import Planted
from lycosa.crawl.status.progress import Listener
from lycosa.errors import ConfigError, FormatError, LogError, LycosaError, StoreError
from lycosa.store.segments.removal import Forgotten
from unit.cli.screen.moments import BUSY, Ended

COMMANDS = cli.list_commands(click.Context(cli))
NO_CONTACT = "site owners must be able to reach you\n  add --contact mail@example.org"


class PretendedCrawl:
    """Stands in for `lycosa.crawl.processes.run` and `lycosa.crawl.inspect.edits`."""

    def __init__(self) -> None:
        self.ends: Ended | BaseException = Ended("exhausted", BUSY, True)
        self.job = Job()
        self.given: list[str] = []
        self.is_stopped = False

    def require_contact(self, job: Job) -> None:
        if not job.fetch.contact:
            raise ConfigError(NO_CONTACT)

    def require_languages(self, job: Job) -> None:
        """Refuse nothing."""

    def run_crawl(
        self,
        directory: CrawlDirectory,
        *,
        job: Job,
        listener: Listener,
    ) -> Ended:
        assert job == directory.job()
        self.job = job
        listener.refused_seed("mailto:a@b", "scheme")
        listener.progress(BUSY)
        if self.is_stopped:
            listener.stopping()
        if isinstance(self.ends, BaseException):
            raise self.ends
        return self.ends

    def add_seeds(self, directory: CrawlDirectory, seeds: list[str]) -> Planted:
        self.given = list(seeds)
        bad = {seed: "scheme" for seed in self.given if seed.startswith("mailto:")}
        return Planted(len(self.given) - len(bad), bad, {})

    def retry_failed(self, directory: CrawlDirectory) -> int:
        return 1

    def block_host(self, directory: CrawlDirectory, name: str, forget: bool = False) -> Blocked:
        self.given = [name]
        return Blocked(3000, Forgotten(40, 1, 1_500_000) if forget else None)


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> Iterator[PretendedCrawl]:
    crawl = PretendedCrawl()
    monkeypatch.setattr(lycosa.crawl.processes, "run", crawl, raising=False)
    monkeypatch.setattr(lycosa.crawl.inspect, "edits", crawl, raising=False)
    yield crawl


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mycrawl"


@pytest.fixture
def existing(path: Path) -> Path:
    job = Job.of(seeds=["https://example.org/"], fetch={"contact": "a@example.org"})
    CrawlDirectory.create(path, job)
    return path


def crawl(path: Path, *more: str) -> int:
    return main(["crawl", "https://example.org/", "-o", str(path), "--contact", "a@b.cl", *more])


Captured = pytest.CaptureFixture[str]


# -- help, versions, wrong words ---------------------------------------------------------


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "testweb"])
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_every_command_explains_itself(command: str, flag: str, capsys: Captured) -> None:
    assert main([command, flag]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Usage: lycosa {command} ")
    assert "--help" in out


def test_help_lists_every_command_with_a_whole_sentence(capsys: Captured) -> None:
    assert main(["--help"]) == 0
    lines = capsys.readouterr().out.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in lines] == COMMANDS
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)


def test_the_version_is_told(capsys: Captured) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"lycosa {lycosa.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "guess"),
    [
        (["crawl", "--max-page", "3", "-o", "x"], "--max-pages"),
        (["crawl", "--exlude", "x", "-o", "x"], "--exclude"),
        (["resume", "x", "--dealy", "3"], "--delay"),
        (["crwal"], "Did you mean 'crawl'?"),
        (["staus", "x"], "Did you mean 'status'?"),
    ],
)
def test_a_wrong_word_gets_a_guess(arguments: list[str], guess: str, capsys: Captured) -> None:
    assert main(arguments) == 2
    assert guess in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["crawl", "https://example.org/"], "with -o DIR"),
        (["crawl", "-o", "x"], "give a SEED, or a file of them with --seeds"),
        (["crawl", "a.example", "-o", "x", "--max-bytes", "3x"], "10MB or 1.5GiB"),
        (["crawl", "a.example", "-o", "x", "--time", "soon"], "30s, 1h30m or 2d"),
        (["crawl", "a.example", "-o", "x", "--depth", "-1"], "must be at least 0, not -1"),
        (["crawl", "a.example", "-o", "x", "--set", "limits.page=1"], "did you mean `pages`"),
        (["crawl", "a.example", "-o", "x", "--config", "no.toml"], "no.toml: cannot be read"),
        (["crawl", "a.example", "-o", "x"], "add --contact"),
        (["status", "nowhere"], "there is no crawl here"),
        (["config", "fecth"], "did you mean [fetch]?"),
    ],
)
def test_a_mistake_is_told_with_its_remedy_and_nothing_is_made(
    arguments: list[str],
    text: str,
    pretended: PretendedCrawl,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert text in printed.err
    assert "Traceback" not in printed.err
    assert not printed.out
    assert not list(tmp_path.iterdir())


# -- crawl and resume --------------------------------------------------------------------


def test_a_crawl_writes_its_job_and_tells_its_end(
    path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    assert crawl(path, "--max-pages", "5", "--exclude", ".cl", "--delay", "2s") == 0
    job = read_job(path / "crawl.toml")
    assert job == pretended.job
    assert (job.seeds, job.limits.pages) == (("https://example.org/",), 5)
    assert job.rules == ({"action": "reject", "suffix": ".cl"},)
    printed = capsys.readouterr()
    assert "Complete: no URL" in printed.out
    assert f"lycosa status {path}" in printed.out
    assert "mailto:a@b: not a usable seed: unknown scheme `mailto`" in printed.err
    assert "event=progress" in printed.err


def test_seeds_come_from_files_too(
    path: Path, tmp_path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    (tmp_path / "seeds.txt").write_text("# two\nhttp://a.example/\n\nb.example\n")
    assert crawl(path, "--seeds", str(tmp_path / "seeds.txt")) == 0
    seeds = ("https://example.org/", "http://a.example/", "https://b.example")
    assert pretended.job.seeds == seeds
    assert "b.example: read as https://b.example" in capsys.readouterr().err


def test_a_seed_file_in_another_encoding_is_refused(
    path: Path, tmp_path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    (tmp_path / "seeds.txt").write_bytes("http://münchen.example/".encode("latin-1"))
    assert crawl(path, "--seeds", str(tmp_path / "seeds.txt")) == 2
    assert "not UTF-8" in capsys.readouterr().err


def test_flags_are_stronger_than_the_file(
    path: Path, tmp_path: Path, pretended: PretendedCrawl
) -> None:
    file = tmp_path / "job.toml"
    file.write_text(Job.of(seeds=["http://a.example/"], limits={"pages": 9, "bytes": 8}).to_toml())
    assert crawl(path, "--config", str(file), "--max-pages", "7") == 0
    assert (pretended.job.limits.pages, pretended.job.limits.bytes) == (7, 8)
    assert pretended.job.seeds == ("http://a.example/", "https://example.org/")


def test_the_summary_is_json_where_that_is_asked_for(
    path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    assert crawl(path, "--json") == 0
    printed = capsys.readouterr()
    data = json.loads(printed.out)
    assert (data["reason"], data["is_complete"], data["pages"]) == ("exhausted", True, 1234)
    assert any(json.loads(x)["pages"] == 1234 for x in printed.err.splitlines() if x[0] == "{")


@pytest.mark.parametrize(
    ("ends", "code"),
    [
        (Ended("exhausted", BUSY, True), 0),
        (Ended("pages", BUSY, False), 0),
        (Ended("free disk", BUSY, False), 0),
        (Ended("stopped", BUSY, False), 130),
        (KeyboardInterrupt(), 130),
        (LycosaError("wrong"), 1),
        (ConfigError("wrong"), 2),
        (FormatError("wrong"), 3),
        (LogError("wrong"), 4),
        (StoreError("wrong"), 5),
        (RuntimeError("wrong"), 70),
    ],
)
def test_the_exit_code_says_how_it_ended(
    ends: Any, code: int, path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    pretended.ends = ends
    assert crawl(path, "--quiet") == code
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err
    if isinstance(ends, LycosaError):
        assert printed.err.splitlines()[-1] == "wrong"


def test_ctrl_c_is_answered_with_how_to_go_on(
    path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    pretended.is_stopped = True
    pretended.ends = Ended("stopped", BUSY, False)
    assert crawl(path) == 130
    printed = capsys.readouterr()
    hint = f"stopping cleanly (Ctrl-C again stops at once); continue: lycosa resume {path}"
    assert hint in printed.err
    assert f"lycosa resume {path}" in printed.out


def test_a_second_ctrl_c_is_answered_too(
    path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    pretended.ends = KeyboardInterrupt()
    assert crawl(path) == 130
    assert "stopped at once; committed pages are safe" in capsys.readouterr().err


def test_our_own_mistake_leaves_its_traceback_in_the_log_file(
    path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    pretended.ends = RuntimeError("the sky fell")
    assert crawl(path) == 70
    err = capsys.readouterr().err
    assert "this is a bug in lycosa: RuntimeError: the sky fell" in err
    assert f"the details are in {path / 'lycosa.log'}" in err
    assert "please report it" in err
    assert "Traceback" in (path / "lycosa.log").read_text()


def test_with_debug_the_traceback_is_on_the_screen(
    path: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    pretended.ends = RuntimeError("the sky fell")
    arguments = ["crawl", "https://example.org/", "-o", str(path), "--contact", "a@b.cl"]
    assert main(["--debug", *arguments]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_the_log_file_tells_of_the_run(path: Path, pretended: PretendedCrawl) -> None:
    assert crawl(path) == 0
    text = (path / "lycosa.log").read_text()
    for part in ("begins: job ", "seed mailto:a@b refused: scheme", "ends: Complete", "pages=1234"):
        assert part in text
    assert not logging.getLogger("lycosa").handlers


def test_a_folder_with_a_crawl_is_not_used_again(
    existing: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    assert crawl(existing) == 2
    assert f"go on with it: lycosa resume {existing}" in capsys.readouterr().err


def test_resume_changes_the_job_for_good(existing: Path, pretended: PretendedCrawl) -> None:
    before = read_job(existing / "crawl.toml")
    assert main(["resume", str(existing), "--max-pages", "9", "--set", "fetch.retries=1"]) == 0
    after = read_job(existing / "crawl.toml")
    assert (after.limits.pages, after.fetch.retries) == (9, 1)
    assert (after.seeds, after.fetch.contact) == (before.seeds, before.fetch.contact)
    assert pretended.job == after


def test_a_crawl_that_runs_cannot_be_resumed_or_changed(
    existing: Path, pretended: PretendedCrawl, capsys: Captured
) -> None:
    before = read_job(existing / "crawl.toml")
    with CrawlDirectory.open(existing).locked():
        assert main(["resume", str(existing), "--max-pages", "9"]) == 4
    assert "is crawling it" in capsys.readouterr().err
    assert read_job(existing / "crawl.toml") == before


# -- the other commands ------------------------------------------------------------------


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
    found = SimpleNamespace(
        requests=1200,
        breaches=breaches,
        is_clean=not breaches,
        rules=["one at a time"],
        not_judged=(),
    )
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

    monkeypatch.setattr(lycosa.testweb, "command", SimpleNamespace(main=serve), raising=False)
    assert main(["testweb", "--kind", "tree", "--help", "-x"]) == 1
    assert given == [["--kind", "tree", "--help", "-x"]]


def test_the_exit_code_of_testweb_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(arguments: list[str]) -> int:
        raise SystemExit(2)

    monkeypatch.setattr(lycosa.testweb, "command", SimpleNamespace(main=refuse), raising=False)
    assert main(["testweb", "--no-such-flag"]) == 2


# -- the page in the docs ----------------------------------------------------------------

REGENERATE = (
    """.venv/bin/python -c "from lycosa.cli.reference import reference; """
    """print(reference(), end='')" > docs/reference/commands.md"""
)


def test_the_commands_page_is_what_help_says() -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "commands.md"
    if page.read_text(encoding="utf-8") != reference():
        pytest.fail(f"docs/reference/commands.md is out of date; run\n  {REGENERATE}")


def test_the_commands_page_has_every_exit_code() -> None:
    errors: list[type[LycosaError]] = [LycosaError, *LycosaError.__subclasses__()]
    for code in {error.exit_code for error in errors} | {0, 70, 130}:
        assert f"| {code} | " in reference()


def test_every_command_stands_where_the_program_looks_for_it() -> None:
    for module, names in Lycosa.modules.items():
        commands = importlib.import_module(module).COMMANDS
        assert tuple(command.name for command in commands) == names


def test_a_command_imports_only_what_it_needs() -> None:
    script = (
        "import sys; from lycosa.cli.main import main; main(['crawl', '--help']);"
        "sys.exit(any(name in sys.modules for name in"
        " ('pyarrow.compute', 'lycosa.cli.commands.check', 'lycosa.testweb.servers.server')))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 0


def ended(script: str) -> subprocess.CompletedProcess[str]:
    beginning = "import atexit, sys, threading, time; from lycosa.cli.main import program\n"
    words = [sys.executable, "-c", beginning + script]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)


def test_the_program_ends_with_the_code_of_its_command_and_has_said_everything() -> None:
    done = ended("sys.argv[1:] = ['--version']; program()")
    assert (done.returncode, done.stdout.split()[0]) == (0, "lycosa")
    done = ended("sys.argv[1:] = ['crawl', '--nonsense']; program()")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--nonsense" in done.stderr


def test_the_program_does_what_is_to_be_done_at_the_end() -> None:
    done = ended("atexit.register(print, 'tidied'); sys.argv[1:] = ['--version']; program()")
    assert done.stdout.splitlines()[1:] == ["tidied"]


def test_the_program_waits_for_its_threads() -> None:
    thread = "threading.Thread(target=lambda: (time.sleep(0.2), print('done'))).start();"
    done = ended(f"{thread} sys.argv[1:] = ['--version']; program()")
    assert (done.returncode, done.stdout.splitlines()[1:]) == (0, ["done"])


def test_the_program_ends_when_nobody_reads_it() -> None:
    words = [sys.executable, "-m", "lycosa", "config"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) in (0, 120)
