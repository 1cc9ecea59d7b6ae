"""Hashes programs and plugins that lie inside a crawl directory.

A setting that names a program says nothing about what the program does. A program of the machine is
the user's own. A program inside the directory came with the directory, so its content is part of
the digest, and a changed program is a changed setting.

Not here: programs that such a program starts, and libraries that it loads.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lycosa.model.job import Job

_CODE = frozenset((".py", ".pyc", ".so"))


def code_inside(job: Job, folder: Path) -> dict[str, str]:
    """Return the hash of every file of code that the job names and that lies in the folder."""
    root = folder.resolve()
    found: dict[str, str] = {}
    for path in _named(job, root):
        with suppress(OSError, ValueError):
            whole = path.resolve()
            if whole.is_file() and whole.is_relative_to(root):
                content = hashlib.blake2b(whole.read_bytes(), digest_size=16).hexdigest()
                found[f"content of {whole.relative_to(root)}"] = content
    return found


def _named(job: Job, root: Path) -> Iterator[Path]:
    try:
        words = shlex.split(job.notify.command)
    except ValueError:
        words = job.notify.command.split()
    if job.render.browser:
        words.append(job.render.browser)
    for word in words:
        # An interpreter may be told its script as `--file=hook.py`.
        for part in (word, word.rpartition("=")[2]):
            yield root / part
            yield Path(part).absolute()
    for name in job.plugins.use:
        yield from _plugin_files(name, root)


def _plugin_files(name: str, root: Path) -> Iterator[Path]:
    """Yield the files of an installed plugin if its package lies in the folder."""
    from importlib.machinery import PathFinder
    from importlib.metadata import entry_points

    for point in entry_points(group="lycosa.plugins", name=name):
        # Only the top package is looked up: finding an inner module would run the outer one.
        spec = PathFinder.find_spec(point.module.partition(".")[0])
        if spec is None:
            continue
        for place in spec.submodule_search_locations or ():
            if Path(place).resolve().is_relative_to(root):
                yield from (path for path in Path(place).rglob("*") if path.suffix in _CODE)
        if spec.origin:
            yield Path(spec.origin)
