"""The examples of the README and of the pages: what is in them, and somebody who types them.

What a block is says the word behind its three backticks:

    sh, python, sql, sparql   an example: a test types it
    toml                      a job, or a part of one: a test reads it
    yaml                      a file of another program: a test reads it
    text, or no word          what the example above it prints, or a file; nothing to type
    console                   a session, its commands behind `$`: shown, and not typed, because
                              it needs a second terminal, a key, or another machine

`…` in a shown output stands for whatever is there: alone on a line for any lines, within one for
any text. So pages can show times and process numbers.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self

from warm import lycosa

ROOT = Path(__file__).parents[1]
TYPED = ("sh", "python", "sql", "sparql")
READ = ("toml", "yaml")
SHOWN = ("text", "console", "")
GENERATED = ("docs/reference/api.md", "docs/reference/commands.md")
"""Made from the code, and held against it by tests of their own."""

FENCE = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`([\w./-]+\.(?:rq|toml|py))`:\s*$")
TO_FILE = re.compile(r"(.*?)(?: > ([\w./-]+))?\s*\Z", re.DOTALL)
SHELL_WORDS = re.compile(r"[|;&<>$`(){}*~]")

RUNNER = """\
import json, sys
names = {"__name__": "__main__"}
for line in sys.stdin:
    try:
        exec(json.loads(line), names)
    finally:
        print("\\0", flush=True)
"""
"""Runs blocks in one namespace, and marks where the output of each ends."""


class Command(NamedTuple):
    """A `lycosa` command that needs no shell."""

    words: list[str]
    file: str
    """The file that its output goes to, as `> file` says; empty if it is shown."""

    def printed(self, output: str, folder: Path) -> str:
        """Return what is shown of an output, or write it to its file."""
        if not self.file:
            return output
        (folder / self.file).write_text(output, encoding="utf-8")
        return ""


class Block(NamedTuple):
    """A block of a page."""

    language: str
    script: str
    shown: str | None
    """What the page says that it prints; None where it says nothing."""
    line: int
    file: str
    """The file that it is put into: the sentence before it ends in the name, `like.this`:"""


def pages() -> list[str]:
    """Return the pages that people read, by their paths in the repository."""
    found = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    names = sorted(str(path.relative_to(ROOT)) for path in found)
    return [name for name in names if not name.startswith("docs/decisions/0")]


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page in order, those that show an output with what they are of."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found: list[Block] = []
    end = 0
    for match in FENCE.finditer(text):
        language, script = match[2], match[3]
        if language == "text" and found and not text[end : match.start()].strip():
            found[-1] = found[-1]._replace(shown=script)
        else:
            line = text.count("\n", 0, match.start()) + 1
            named = FILE.search(text[end : match.start()])
            found.append(Block(language, script, None, line, named[1] if named else ""))
        end = match.end()
    return found


def fits(printed: str, shown: str) -> bool:
    """Whether an output is the one that is shown, where `…` stands for anything."""
    lines = [
        "(?s:.*)" if line == "…\n" else re.escape(line).replace("…", "[^\n]*")
        for line in shown.splitlines(keepends=True)
    ]
    pattern = "".join(lines)
    return re.fullmatch(pattern, printed) is not None


class TypedPython:
    """A Python that runs scripts one after the other; it starts with the first."""

    def __init__(self, folder: Path, python: str) -> None:
        self._folder = folder
        self._command = [python, "-W", "error", "-c", RUNNER]
        self.process: subprocess.Popen[str] | None = None

    def runs(self, script: str) -> str:
        """Run a script; returns what it prints."""
        if self.process is None:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(
                self._command, cwd=self._folder, stdin=pipe, stdout=pipe, text=True
            )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(script) + "\n")
        self.process.stdin.flush()
        said = ""
        while not said.endswith("\0\n"):
            line = self.process.stdout.readline()
            assert line, f"it failed:\n{script}"
            said += line
        return said[:-2]

    def leave(self, *, is_failed: bool) -> None:
        """Wait until it has ended; kill it where something failed or it does not end."""
        if self.process is None:
            return
        if is_failed:
            self.process.kill()
        with self.process:
            try:
                self.process.communicate(timeout=60)
            finally:
                self.process.kill()
        assert is_failed or self.process.returncode == 0


class Reader:
    """Somebody who types the blocks of a page in one folder, one after the other."""

    def __init__(self, folder: Path, extra: list[str], told: Callable[[str], str]) -> None:
        self._folder = folder
        self._extra = extra
        """What is behind the words of every `lycosa crawl`."""
        self._told = told
        """What becomes of a program before it runs."""
        self._python = TypedPython(folder, sys.executable)
        self._programs = folder.parent / f"{folder.name}-bin"
        self._programs.mkdir()
        program = self._programs / "lycosa"
        command = shlex.join([sys.executable, "-m", "lycosa"])
        program.write_text(
            f'#!/bin/sh\n[ "$1" = crawl ] && exec {command} "$@" {shlex.join(extra)}\n'
            f'exec {command} "$@"\n'
        )
        program.chmod(0o755)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        self._python.leave(is_failed=failure is not None)

    def types(self, block: Block) -> str:
        """Type a block; returns what is printed, without spaces at the ends of lines."""
        if block.language == "python":
            return self._python.runs(self._told(block.script))
        if commands := plain_commands(block.script):
            printed = "".join(map(self._runs, commands))
        else:
            printed = self._runs_shell(block.script)
        return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())

    def _runs(self, command: Command) -> str:
        words = command.words
        extra = self._extra if words[0] == "crawl" else []
        done = lycosa(*words, *extra, cwd=self._folder)
        assert done.returncode == 0, f"lycosa {shlex.join(words)}\n{done.stdout}\n{done.stderr}"
        return command.printed(done.stdout, self._folder)

    def _runs_shell(self, script: str) -> str:
        path = f"{self._programs}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=self._folder,
            env=os.environ | {"COLUMNS": "100", "PATH": path},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def plain_commands(script: str) -> list[Command]:
    """Return the `lycosa` commands of a script; none if it needs a shell."""
    commands = []
    for whole in unquoted_lines(script):
        line, file = TO_FILE.findall(whole)[0]
        words = shlex.split(line, comments=True)
        if not words:
            continue
        if words[0] != "lycosa" or SHELL_WORDS.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", line)):
            return []
        commands.append(Command(words[1:], file))
    return commands


def unquoted_lines(script: str) -> list[str]:
    """Cut a script at line ends that stand neither in quotes nor behind a backslash."""
    lines, begun = [], ""
    for line in script.replace("\\\n", " ").splitlines(keepends=True):
        begun += line
        if begun.count("'") % 2 == 0 and begun.count('"') % 2 == 0:
            lines.append(begun)
            begun = ""
    return [*lines, begun] if begun else lines
