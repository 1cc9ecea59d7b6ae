"""The program as a whole: help, wrong words, the page of commands, its end."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import click
import pytest
from tools.commands_reference import reference

import lycosa
import lycosa.operate.inspect
import lycosa.runtime.processes
from lycosa.cli.main import Lycosa, cli, main
from lycosa.errors import LycosaError
from unit.cli.pretended import Captured, PretendedCrawl

COMMANDS = cli.list_commands(click.Context(cli))


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "testweb"])
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_every_command_explains_itself(command: str, flag: str, capsys: Captured) -> None:
    assert main([command, flag]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Usage: lycosa {command} ")
    assert "--help" in out


def test_help_lists_every_command_with_a_whole_sentence(capsys: Captured) -> None:
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out.partition("\nCrawl (")[2].splitlines()[1:]
    lines = [line for line in listed if line.startswith("  ")]
    assert [line.split()[0] for line in lines] == COMMANDS
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)


def test_every_command_stands_under_one_purpose() -> None:
    loaded = [name for names in Lycosa.modules.values() for name in names]
    assert sorted(COMMANDS) == sorted(loaded)
    assert len(set(COMMANDS)) == len(COMMANDS)


def test_the_example_of_a_purpose_is_one_of_its_commands() -> None:
    for purpose in Lycosa.purposes:
        assert purpose.example.split()[0] == "lycosa"
        assert purpose.example.split()[1] in purpose.names, purpose.title


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
        (["crawl", "-o", "x"], "give a SEED, or a file of them with --seeds"),
        (["crawl", "a.example", "-o", "x", "--max-bytes", "3x"], "10MB or 1.5GiB"),
        (["crawl", "a.example", "-o", "x", "--time", "soon"], "30s, 1h30m or 2d"),
        (["crawl", "a.example", "-o", "x", "--depth", "-1"], "for '--depth': -1"),
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


REGENERATE = (
    """.venv/bin/python -c "from tools.commands_reference import reference; """
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
        " ('pyarrow.compute', 'lycosa.cli.check', 'lycosa_testweb.servers.server')))"
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
