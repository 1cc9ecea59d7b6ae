"""Labels: the topics of pages by a person's judgement, in a file.

A line for each page: its URL, or its path in a folder, then its topics, the most important first.

    https://example.org/ants<TAB>biology,ecology        any file, with tabs
    https://example.org/ants,biology,ecology            a file named .csv

A page of none of the topics is labelled `other`. A first line that begins with `url` or `path` is a
heading, and `#` begins a comment. Where the heading is `topic` and `url`, the topic stands first in
every line, as in pools.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from lycosa._support import beneath
from lycosa.analysis.topics.names import fault_of
from lycosa.errors import ConfigError
from lycosa.storage.archive.files import temporary

Labels = dict[str, tuple[str, ...]]
"""Topics by the address of a page."""
_HEADINGS = ("url", "path", "page", "file")
_AS_IN_POOLS = ["topic", "url"]


def read_labels(path: Path) -> Labels:
    """Read a file of labels; raise a `ConfigError` that names the wrong line."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(
            f"{path}: there is no such file\n  make it: lycosa topics label DIR --labels {path}"
        ) from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        place = error.object[: error.start].count(b"\n") + 1
        raise ConfigError(f"{path}:{place}: is not in UTF-8\n  save the file as UTF-8") from None
    found: Labels = {}
    lines: dict[str, int] = {}
    is_turned = False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        address, *topics = _cells(path, number, line)
        if number == 1 and (address in _HEADINGS or [address, *topics[:1]] == _AS_IN_POOLS):
            is_turned = address == "topic"
            continue
        if is_turned:
            address, topics = (topics or [""])[0], [address]
        labelled = _checked(path, number, address, topics)
        if found.setdefault(address, labelled) != labelled:
            raise ConfigError(
                f"{path}:{number}: {address} has other topics in line {lines[address]}\n"
                "  keep one of the two lines, with all topics of the page"
            )
        lines.setdefault(address, number)
    return found


def write_labels(path: Path, labels: Labels) -> None:
    """Rewrite a file of labels; a kill leaves the old one or the new one."""
    buffer = io.StringIO()
    if path.suffix == ".csv":
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerows([address, *topics] for address, topics in labels.items())
    else:
        for address, topics in labels.items():
            buffer.write(f"{address}\t{','.join(topics)}\n")
    try:
        beneath.write_text(temporary(path), buffer.getvalue())
        temporary(path).replace(path)
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be written: {error.strerror}\n  choose another file with --labels"
        ) from None


def _cells(path: Path, number: int, line: str) -> list[str]:
    if path.suffix != ".csv":
        address, *rest = line.split("\t")
        return [address.strip(), *re.split(r"\s*[,\t]\s*", ",".join(rest).strip())]
    try:
        return [cell.strip() for cell in next(csv.reader([line], strict=True))]
    except csv.Error as error:
        raise ConfigError(f"{path}:{number}: is not CSV: {error}\n  correct that line") from None


def _checked(path: Path, number: int, address: str, topics: list[str]) -> tuple[str, ...]:
    while topics and not topics[-1]:
        topics.pop()
    if not topics:
        between = "a comma" if path.suffix == ".csv" else "a tab"
        raise ConfigError(
            f"{path}:{number}: {address or 'the line'} has no topic\n"
            f"  write the topic after {between}; a page of no topic is `other`"
        )
    for topic in topics:
        if fault := fault_of(topic):
            raise ConfigError(f"{path}:{number}: {fault}")
    return tuple(dict.fromkeys(topics))
