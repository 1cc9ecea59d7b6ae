"""Make figures by name; `python -m benchmarks.figures --help` tells how."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from benchmarks.figures.page import PAGE, PICTURES, Block, measured, write
from benchmarks.figures.registry import BY_NAME, FIGURES, Figure
from benchmarks.figures.run import Run
from benchmarks.machine import commit


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the figures that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figures", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="figures; all if none is named")
    parser.add_argument("--list", action="store_true", help="print the names, and make nothing")
    parser.add_argument("--small", action="store_true", help="in seconds, and write nothing")
    asked = parser.parse_args(arguments)
    if asked.list:
        print(listed())
        return 0
    unknown = [name for name in asked.names if name not in BY_NAME]
    if unknown:
        print("\n".join(map(_unknown, unknown)), file=sys.stderr)
        return 2
    with own_addresses():
        for name in asked.names or BY_NAME:
            make(BY_NAME[name], is_small=asked.small)
    return 0


@contextmanager
def own_addresses() -> Iterator[None]:
    """Share no addresses with other crawls of this machine.

    Processes of a user ask an address one after the other. Other crawls on loopback would lend
    their pauses to these: a figure once waited for ever.
    """
    with tempfile.TemporaryDirectory(prefix="lycosa-figures-") as folder:
        before = os.environ.get("LYCOSA_RUNTIME_DIR")
        os.environ["LYCOSA_RUNTIME_DIR"] = folder
        try:
            yield
        finally:
            os.environ.pop("LYCOSA_RUNTIME_DIR")
            if before is not None:
                os.environ["LYCOSA_RUNTIME_DIR"] = before


def listed() -> str:
    """Return a line for each figure."""
    return "\n".join(f"{one.name:16} {one.takes:>6}  {one.shows}" for one in FIGURES)


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, BY_NAME, 1)
    guess = f"did you mean `{near[0]}`?  " if near else ""
    return f"there is no figure `{name}`\n  {guess}all: {', '.join(BY_NAME)}"


def make(figure: Figure, *, is_small: bool) -> None:
    """Make one figure, print its tables, and put them into the page unless it is a small one."""
    load, began, state = os.getloadavg()[0], time.monotonic(), commit()
    print(f"{figure.name}: {figure.shows}; about {figure.takes}", file=sys.stderr, flush=True)
    made = figure.make(Run(partial(_say, figure.name, began), is_small))
    for name, table in made.tables.items():
        print(f"\n{table}\n", flush=True)
        if not is_small:
            write(PAGE, Block(name, figure.name, f"{table}\n\n{measured(state, load)}"))
    if not is_small:
        for name, picture in made.pictures.items():
            (PICTURES / f"{name}.svg").write_text(picture, encoding="utf-8")


def _say(name: str, began: float, text: str) -> None:
    print(f"{name}, {time.monotonic() - began:.0f} s: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
