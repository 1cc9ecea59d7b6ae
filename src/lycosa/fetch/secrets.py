"""Secrets that a job names as `${NAME}`: from a file that others cannot read, or the environment.

Always true: an error text says the name of a secret, never its value.
"""

from __future__ import annotations

import dataclasses
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from lycosa.errors import ConfigError
from lycosa.model.job import Fetch
from lycosa.model.job.login import SECRET


def filled(text: str, secrets: Mapping[str, str], where: str) -> str:
    """Return a text with its secrets; `where` is the section and the key that names them."""

    def found(match: re.Match[str]) -> str:
        name = match[1]
        value = secrets.get(name, os.environ.get(name))
        if not value:
            raise ConfigError(
                f"{where} needs the secret {name}, which is not there\n"
                f"  set it in the environment: read -rs {name}; export {name}\n"
                "  or name a file with it: [login] secrets_file"
            )
        if not value.isprintable():
            raise ConfigError(f"{where}: the secret {name} has control characters in it")
        return value

    return SECRET.sub(found, text)


def with_secrets(fetch: Fetch, secrets_file: str) -> Fetch:
    """Return the section for a transport: with the password of the proxy in its URL."""
    if "${" not in fetch.proxy:
        return fetch
    secrets = secrets_of(secrets_file)

    def encoded(match: re.Match[str]) -> str:
        return quote(filled(match[0], secrets, "[fetch] proxy"), safe="")

    return dataclasses.replace(fetch, proxy=SECRET.sub(encoded, fetch.proxy))


def secrets_of(file: str) -> dict[str, str]:
    """Return the secrets of a file with lines `NAME=value`; of no file, none."""
    found: dict[str, str] = {}
    for line in private_lines(file, "secrets_file") if file else ():
        name, equals, value = line.partition("=")
        if equals and not name.lstrip().startswith("#"):
            found[name.strip()] = value.strip()
    return found


def private_lines(file: str, what: str) -> Iterator[str]:
    """Yield the lines of a file of [login]; raises `ConfigError` if others can read it."""
    path = Path(file)
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            raise ConfigError(
                f"{path}: others can read this file ([login] {what})\n  type: chmod 600 {path}"
            )
        yield from path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ConfigError(f"{path}: [login] {what} cannot be read: {told}") from None
