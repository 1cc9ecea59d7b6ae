"""The file of a crawl's job, and the check that it is whole.

`crawl.toml` and its copy `log/crawl.toml` are on disk, with their names, before the log exists: no
power cut leaves a crawl without its rules and limits. Both end with a marker line (`END`), because
TOML has no end marker: a job that was cut after any line is a valid job with other settings.

A file without that line is an older one, or was written by a person. It is damaged if it has no key
at all, if it is the beginning of its copy and breaks off within a line, or if only the copy has the
line.
"""

from __future__ import annotations

import os
from pathlib import Path

from lycosa._support import beneath
from lycosa.errors import ConfigError, LycosaError
from lycosa.storage.archive.files import sync_file, sync_folder

END = b"# end of the job\n"


def write_job_file(path: Path, content: bytes) -> None:
    """Write a job, so that a kill or a power cut leaves the old file or the new one."""
    # Several clients may copy the job at once, so each writes a file of its own before the rename.
    temporary = path.with_suffix(f".{os.urandom(4).hex()}.writing")
    beneath.write_bytes(temporary, content)
    sync_file(temporary)
    temporary.rename(path)
    sync_folder(path.parent)


def refuse_damaged(path: Path, copy: Path, shown: str) -> None:
    """Refuse a job file that is empty or cut; one that a person has edited is not."""
    if problem := damage_of(path, copy):
        remedy = (
            "there is no copy of it: write it again (lycosa config job > crawl.toml)"
            if not copy.exists() or damage_of(copy, path)
            else f"restore the copy of the last run: lycosa verify {shown} --repair"
        )
        raise ConfigError(f"{path}: {problem}\n  {remedy}")


def refuse_other_rule(rule: int, copy: Path, shown: str) -> None:
    """Refuse another rule for pages of a list than the crawl has begun with.

    The kinds of links are recorded by that rule, and distances rest on them: with two rules in a
    crawl, its depths would be those of no rule.
    """
    content = _read(copy)
    if content is None:  # the crawl has not begun
        return
    begun = rule_in(content)
    if rule != begun:
        raise ConfigError(
            f"{shown}: the crawl has begun with [extract] pagination = {begun}, and its depths rest"
            f" on that rule\n  set it to {begun} again, or begin another crawl with"
            f" --set extract.pagination={rule}"
        )


def rule_in(content: bytes) -> int:
    """Return the rule that a job file names, without parsing it; 0 in one of before the rule."""
    # No expression: compiling one costs a start more calls than all of this.
    _, _, rest = content.partition(b"\npagination")
    number = rest.partition(b"\n")[0].partition(b"#")[0].strip(b"= \t\r")
    return int(number) if number.isdigit() else 0


def damage_of(path: Path, other: Path) -> str:
    """Return the damage of a job file, or ""; `other` is its copy, or its original."""
    content = _read(path)
    if content is None or content.endswith(END):
        return ""
    lines = (line.strip() for line in content.splitlines())
    if b"\0" in content or not any(line and not line.startswith(b"#") for line in lines):
        return "is damaged: it has no settings, as a power cut may leave it"
    before = _read(other) or b""
    is_beginning = before.startswith(content) and len(content) < len(before)
    if is_beginning and (before.endswith(END) or not content.endswith(b"\n")):
        return (
            f"is damaged: it is cut off after {len(content):,} of {len(before):,} bytes (if you"
            f" cut it yourself, end it with the line `{END.decode().strip()}`)"
        )
    return ""


def _read(path: Path) -> bytes | None:
    """Return the content of a file; None if it cannot be read, which its reader reports."""
    try:
        return beneath.read_bytes(path)
    except (OSError, LycosaError):
        return None
