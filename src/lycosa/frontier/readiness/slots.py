"""Address slots: the processes of one user on one machine ask an address one after the other.

A file has a slot for every hash of an address. A process takes the slot before a request: a lock,
which the kernel frees when the process dies, however it dies, and a moment that is written into the
slot. While the slot is held the moment says *in use*; the process that releases it writes
the moment from which the address may be asked again. A slot that is in use and not locked was held
by a process that died: the pause begins when that is noticed. So it does where a slot names a
moment that no process can have meant.

A process that asks an address without a pause takes its slot again as soon as it has released it.
Then it *keeps* the lock between the two (`let_go` with `keeps`), until it says that it does not go
on (`let_others_in`). A process that finds a slot locked writes when that was: while others wait, a
lock is not kept, so each of their attempts has the chance that it would have had.

Always true:
  * a slot is held by one process at a time, and only after the pause that its last holder owed;
  * a killed process leaves nothing to clean up, also where it kept a lock: its moment was written;
  * a lock is kept only without a pause, while no other process waits, and for `BUSY_SECONDS` at
    most: one of an earlier release does not write that it waits.

Two addresses that share a slot are merely asked one after the other. Moments are those
of the machine's monotonic clock, which all processes share; the file is named after the boot,
because the next one begins at zero.

Cost: taking and releasing a slot are two system calls: 4 µs in a loop, 26 to 33 µs when the caches
hold other things, as they do in a crawl (decision 114). The kernel keeps the locks of a file in a
list, so the locks are spread over several files; still, a slot is taken right before a request, not
when a host is merely ready.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import struct
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from xxhash import xxh64_intdigest

from lycosa.errors import LogError
from lycosa.frontier.readiness.addresses import Slots

SLOTS = 65_536
LOCK_FILES = 64
IN_USE = -1.0
BUSY_SECONDS = 0.02
ELSEWHERE_SECONDS = 10.0
"""How soon a slot that another process holds is tried again at the earliest."""
LONGEST_SECONDS = 86_400.0
"""No process owes an address a longer pause; a slot that says so was damaged."""
WAITING_SECONDS = 0.5
"""For so long after it found a slot locked a process counts as waiting: it tries again sooner."""

_MOMENT_BYTES = 8
# struct flock of Linux: type, whence, start, length, process (0: the lock is the open file's,
# so that closing another descriptor of the same file does not let go of it).
_LOCK = struct.Struct("@hhqqi4x")


class AddressSlots(Slots):
    """The slots of this user on this machine, as one process sees them."""

    def __init__(
        self, folder: Path | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        folder = folder or runtime_folder()
        self._clock = clock
        self.path = folder / f"addresses-{_boot()}"
        self._locks: list[int] = []
        try:
            # The moments, then when a process last found each slot locked.
            self._content = _mapped(self.path, 2 * SLOTS * _MOMENT_BYTES)
            for number in range(LOCK_FILES):
                self._locks.append(_opened(folder / f"{self.path.name}.{number}"))
        except OSError as error:
            self._close_locks()
            raise _unusable(self.path, error) from error
        self._moments = memoryview(self._content).cast("d")
        self._held: dict[int, float] = {}
        """Slots in use, and since when they are locked."""
        self._kept: dict[int, float] = {}
        self._elsewhere: tuple[str, float] = ("", 0.0)
        """The address that another process held when it was last asked for here, and when."""

    @property
    def kept(self) -> dict[int, float]:
        """Slots that are locked and not in use, and since when they are locked."""
        return self._kept

    def take(self, address: str, pause_seconds: float) -> float:
        """Take the slot of an address and return 0, or in how many seconds to try again.

        `pause_seconds` is the pause assumed for a process that died while it held the slot, or
        whose moment cannot be believed.
        """
        slot, lock, unlock = _slot_of(address)
        since = self._kept.pop(slot, None)
        is_ours = since is not None or (slot not in self._held and self._ask(slot, lock))
        now = self._clock()
        if not is_ours:
            self._moments[SLOTS + slot] = now
            if slot not in self._held:
                self._elsewhere = (address, now)
            return max(BUSY_SECONDS, min(pause_seconds, 0.25))
        moment = self._moments[slot]
        # Else a crawl would stand still until then; of bytes that are not a number neither holds.
        is_credible = moment <= now or moment - now <= max(LONGEST_SECONDS, pause_seconds)
        if moment == IN_USE or not is_credible:
            moment = self._moments[slot] = now + pause_seconds
        if moment > now:
            self._ask(slot, unlock)
            self._elsewhere = (address, now)  # we do not come before a pause of our own is over
            return moment - now
        self._held[slot] = now if since is None else since
        self._moments[slot] = IN_USE
        return 0.0

    @property
    def asked_elsewhere(self) -> str:
        """The address that another process is asking; "" for none within the last seconds."""
        address, moment = self._elsewhere
        return address if self._clock() - moment < ELSEWHERE_SECONDS else ""

    def let_go(self, address: str, pause_seconds: float, keeps: bool = False) -> None:
        """Release a slot; the address rests for `pause_seconds`.

        With `keeps` the lock may stay ours until the address is taken again or others are let in.
        """
        slot, _, unlock = _slot_of(address)
        since, now = self._held.pop(slot), self._clock()
        self._moments[slot] = now + pause_seconds
        if (
            keeps
            and not pause_seconds
            and now - since < BUSY_SECONDS
            and now - self._moments[SLOTS + slot] > WAITING_SECONDS
        ):
            self._kept[slot] = since
        else:
            self._ask(slot, unlock)

    def let_others_in(self) -> None:
        """Unlock the slots that were kept and are not in use."""
        for slot in self._kept:
            self._ask(slot, _request(fcntl.F_UNLCK, slot))
        self._kept.clear()

    def close(self) -> None:
        """Close the files. Slots still held are left as after a kill: their pause begins."""
        self._moments.release()
        self._content.close()
        self._close_locks()

    def _close_locks(self) -> None:
        for lock in self._locks:
            os.close(lock)

    def _ask(self, slot: int, request: bytes) -> bool:
        try:
            fcntl.fcntl(self._locks[slot % LOCK_FILES], fcntl.F_OFD_SETLK, request)
        except (BlockingIOError, PermissionError):
            return False
        return True


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def _mapped(path: Path, size: int) -> mmap.mmap:
    file = _opened(path)
    try:
        if os.fstat(file).st_size < size:
            os.ftruncate(file, size)
        return mmap.mmap(file, size)
    finally:
        os.close(file)


def slot_of(address: str) -> int:
    """Return the slot that an address falls into, the same in every process."""
    return int(xxh64_intdigest(address.encode())) % SLOTS


@lru_cache(maxsize=4096)
def _slot_of(address: str) -> tuple[int, bytes, bytes]:
    """Return a slot, and how the kernel is asked to lock it and to unlock it."""
    slot = slot_of(address)
    return slot, _request(fcntl.F_WRLCK, slot), _request(fcntl.F_UNLCK, slot)


def _request(kind: int, slot: int) -> bytes:
    return _LOCK.pack(kind, os.SEEK_SET, slot, 1, 0)


def runtime_folder() -> Path:
    """Return the folder that all processes of this user on this machine share; it is made."""
    if named := os.environ.get("LYCOSA_RUNTIME_DIR"):
        folder = Path(named)
    elif runtime := os.environ.get("XDG_RUNTIME_DIR"):
        folder = Path(runtime) / "lycosa"
    else:
        folder = _temporary_folder() / f"lycosa-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        owner = folder.stat().st_uid
    except OSError as error:
        raise _unusable(folder, error) from error
    if owner != os.getuid():
        raise LogError(
            f"{folder}: belongs to another user, so that addresses cannot be shared through it\n"
            "  name a folder of your own: LYCOSA_RUNTIME_DIR"
        )
    return folder


def _temporary_folder() -> Path:
    """Return the folder for temporary files; `tempfile` is loaded only where it is not /tmp."""
    is_named = "tempfile" in sys.modules or any(
        os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP")
    )
    if not is_named and os.access("/tmp", os.W_OK | os.X_OK):
        return Path("/tmp")
    import tempfile

    return Path(tempfile.gettempdir())


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def _unusable(path: Path, error: OSError) -> LogError:
    return LogError(
        f"{path}: cannot be used: {error.strerror}\n"
        "  the processes of a machine tell each other there whom they ask;"
        " name another folder: LYCOSA_RUNTIME_DIR"
    )
