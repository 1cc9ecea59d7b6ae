"""Keeps the digests of operator settings that this user has accepted.

The record is a text file in the user's state folder, one line a digest:

    DIGEST  2026-11-18T04:00:00Z  /home/ada/mycrawl

The state folder is `LYCOSA_STATE_DIR`, else `STATE_DIRECTORY` (set by systemd), else
`$XDG_STATE_HOME/lycosa` or `~/.local/state/lycosa`. Moment and path are for people; only the digest
is compared. `LYCOSA_TRUST` names more digests, for machines without a lasting home.

Always true:
  * a record that another user could have written does not count;
  * under `sudo` the record of root counts, not that of the user who called it.
"""

from __future__ import annotations

import os
import pwd
import re
import stat
import time
from pathlib import Path

from lycosa._support.tuples import NamedTuple

VARIABLE = "LYCOSA_TRUST"
DIGEST = re.compile(r"[0-9a-f]{32}")
_FILE = "trusted"
_LARGEST_BYTES = 16_000_000
_MOST_HERE = 200
"""Most digests that a process accepts without the record."""


class Accepted(NamedTuple):
    """A line of the record."""

    digest: str
    moment: str
    path: str


def state_folder() -> Path:
    """Return the folder in which Lycosa keeps what belongs to this user."""
    if told := os.environ.get("LYCOSA_STATE_DIR"):
        return Path(told).absolute()
    if told := os.environ.get("STATE_DIRECTORY"):
        return Path(told.split(":")[0])  # systemd names several with colons between them
    own_home = pwd.getpwuid(os.geteuid()).pw_dir if is_sudo() else ""
    if own_home:
        return Path(own_home, ".local", "state", "lycosa")
    state = os.environ.get("XDG_STATE_HOME", "")
    if Path(state).is_absolute():  # the specification: a relative path is to be ignored
        return Path(state, "lycosa")
    return Path.home() / ".local" / "state" / "lycosa"


def record_file() -> Path:
    """Return the path of the record."""
    return state_folder() / _FILE


def accepted() -> list[Accepted]:
    """Return the lines of the record; none if another user could have written them."""
    try:
        descriptor = os.open(record_file(), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return []
    with os.fdopen(descriptor, "rb") as file:
        if not _is_own(os.fstat(descriptor)) or not _is_own(record_file().parent.stat()):
            return []
        lines = file.read(_LARGEST_BYTES).decode("utf-8", "replace").splitlines()
    found = [line.split("  ", 2) for line in lines]
    return [Accepted(*words) for words in found if len(words) == 3 and DIGEST.fullmatch(words[0])]


def is_accepted(digest: str) -> bool:
    """Return whether the user has accepted a digest, in the record or by `LYCOSA_TRUST`."""
    if digest in re.split(r"[\s,]+", os.environ.get(VARIABLE, "")):
        return True
    return any(line.digest == digest for line in accepted())


def accept_here(digest: str) -> None:
    """Accept a digest for this process and those that it starts."""
    told = re.split(r"[\s,]+", os.environ.get(VARIABLE, ""))
    if digest not in told:
        # A program that makes thousands of crawls must not fill the environment.
        os.environ[VARIABLE] = " ".join([*told, digest][-_MOST_HERE:]).strip()


def accept(digest: str, path: Path) -> str:
    """Add a digest to the record; return the reason of a failure, or an empty text."""
    accept_here(digest)
    file = record_file()
    try:
        if any(line.digest == digest for line in accepted()):
            return ""
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_own(file.parent.stat()):
            return f"{file.parent} may be written by other users"
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        shown = str(path.absolute()).encode("unicode_escape").decode("ascii")
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        with os.fdopen(os.open(file, flags, 0o600), "ab") as opened:
            if not _is_own(os.fstat(opened.fileno())):
                return f"{file} may be written by other users"
            # A single short write to a file opened for appending is never torn by another process.
            opened.write(f"{digest}  {moment}  {shown}\n".encode())
            opened.flush()
            os.fsync(opened.fileno())
    except OSError as error:
        return f"{file}: {error.strerror}"
    return ""


def forget(digest: str) -> bool:
    """Remove a digest from the record; return whether it was there."""
    lines = accepted()
    kept = [line for line in lines if line.digest != digest]
    if len(kept) == len(lines):
        return False
    file = record_file()
    temporary = file.with_name(f"{_FILE}.{os.getpid()}.{os.urandom(4).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(temporary, flags, 0o600), "w") as opened:
        opened.writelines("  ".join(line) + "\n" for line in kept)
        opened.flush()
        os.fsync(opened.fileno())
    temporary.rename(file)
    return True


def _is_own(found: os.stat_result) -> bool:
    """Return whether a file or folder is this user's, and no other user may write to it."""
    is_usual = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
    return is_usual and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def is_sudo() -> bool:
    """Return whether `sudo` has started this process; it may have kept the caller's home."""
    return os.geteuid() == 0 and "SUDO_UID" in os.environ
