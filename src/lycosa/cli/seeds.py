"""Seeds as people write them: arguments, and files with one a line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TextIO

import click

from lycosa.cli.messages import notice

_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?![0-9])")


def gather(arguments: Iterable[str], file: TextIO | None) -> list[str]:
    """Return all seeds, each with its scheme."""
    return [with_scheme(seed.strip()) for seed in (*arguments, *_lines(file)) if seed.strip()]


def has_scheme(text: str) -> bool:
    """Tell whether this is written as a URL is, not as a path or a bare host."""
    return _HAS_SCHEME.match(text) is not None


def with_scheme(seed: str) -> str:
    """Return the seed as a URL: `example.org` is taken as `https://example.org`, with a notice."""
    if has_scheme(seed):
        return seed
    url = f"https://{seed.removeprefix('//')}"
    notice(f"{seed}: taken as {url}")
    return url


def _lines(file: TextIO | None) -> list[str]:
    if file is None:
        return []
    try:
        lines = [line.strip() for line in file]
    except UnicodeDecodeError as error:
        raise click.BadParameter(
            f"{file.name}: byte {error.start} is not UTF-8; save the file as UTF-8",
            param_hint="--seeds",
        ) from None
    return [line for line in lines if line and not line.startswith("#")]
