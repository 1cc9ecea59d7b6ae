"""Wall and processor time by test file, with `--times`: what `make test-times` prints.

Processor time is that of all processes under the one that runs the tests, so that of commands and
servers that a test starts. What a fixture of a module or a session costs counts for the first test.
Wall time is noise on a busy machine; the sum over files is larger than what a parallel run takes.
"""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_TICKS = os.sysconf("SC_CLK_TCK")
_USED, _SLOW = "processor seconds", "slow"


def processor_seconds(root: int) -> float:
    """Return what a process, those under it and those it has waited for have used."""
    used: dict[int, int] = {}
    children: dict[int, list[int]] = defaultdict(list)
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue  # it has ended
        # The name of the program stands in brackets and may contain anything.
        fields = text[text.rindex(")") + 2 :].split()
        pid = int(path.parent.name)
        used[pid] = sum(map(int, fields[11:15]))
        children[int(fields[1])].append(pid)
    ticks, waiting = 0, [root]
    while waiting:
        pid = waiting.pop()
        ticks += used.get(pid, 0)
        waiting += children[pid]
    return ticks / _TICKS


@dataclass
class FileTimes:
    """What the tests of a file have taken."""

    wall: float = 0.0
    processor: float = 0.0
    tests: int = 0
    slow: int = 0


class Times:
    """The plugin: measures where tests run, sums up and prints where reports arrive."""

    def __init__(self) -> None:
        self._files: dict[str, FileTimes] = defaultdict(FileTimes)
        self._used = processor_seconds(os.getpid())

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        if call.when == "teardown":
            used = processor_seconds(os.getpid())
            item.user_properties.append((_USED, used - self._used))
            item.user_properties.append((_SLOW, item.get_closest_marker("slow") is not None))
            self._used = used

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        times = self._files[report.nodeid.partition("::")[0]]
        times.wall += report.duration
        if report.when == "teardown":
            properties: dict[str, Any] = dict(report.user_properties)
            times.tests += 1
            times.slow += properties.get(_SLOW, False)
            times.processor += properties.get(_USED, 0.0)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        total = FileTimes()
        for times in self._files.values():
            for name, value in vars(times).items():
                setattr(total, name, getattr(total, name) + value)
        by_wall = sorted(self._files.items(), key=lambda named: -named[1].wall)
        terminalreporter.write_line("    wall     cpu  tests   slow  file")
        for name, times in [*by_wall, ("all", total)]:
            terminalreporter.write_line(
                f"{times.wall:8.1f}{times.processor:8.1f}{times.tests:7}{times.slow:7}  {name}"
            )
