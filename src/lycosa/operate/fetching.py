"""Copies a crawl from a store into a crawl directory, segment by segment.

The copy is an ordinary crawl directory: `study`, `sql`, `report`, `index`, `sparql`, `export` and
`cat` work there. A log on a server is asked if a command needs it; a log in a file stays where the
crawl was.

Always true:
  * a file under its final name has the length and SHA-256 of the manifest;
  * a segment is complete when its index exists, which is renamed last; a copy that was killed at
    any moment can therefore be continued, and a repeated one copies only new segments;
  * a segment that was given up is left out.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from lycosa._support import beneath
from lycosa._support.amounts import size_text
from lycosa.errors import ConfigError, FormatError, ObjectsUnavailable, StoreError
from lycosa.model.job import MODEL_FILE, SeedList, parse_job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.uploads.family import sealed_names
from lycosa.runtime.uploads.sent import Sent
from lycosa.runtime.uploads.uploads import JOB_KEY, SEEDS_KEY
from lycosa.storage.archive.files import sync_file, sync_folder, temporary
from lycosa.storage.archive.layout import CDX, is_store_file
from lycosa.storage.archive.quarantine import move_aside
from lycosa.storage.objects.manifests import MANIFESTS, Content, Manifest, read_manifest
from lycosa.storage.objects.opening import crawls_in, open_objects
from lycosa.storage.objects.protocol import Objects
from lycosa.storage.segments.digests import digest

PATIENCE_SECONDS = 60.0
"""Seconds for which one call is tried again."""
FIRST_PAUSE_SECONDS, MOST_PAUSE_SECONDS = 0.2, 5.0
FILES_AT_ONCE = 4
PART_BYTES = 8 << 20

T = TypeVar("T")


class Copied(NamedTuple):
    """Result of a call."""

    name: str
    """Name of the crawl."""
    segments: int = 0
    """Segments copied by this call."""
    bytes: int = 0
    here: int = 0
    """Segments copied before."""
    lost: tuple[int, ...] = ()
    """Segments that were given up."""
    damaged: tuple[str, ...] = ()
    """Objects whose bytes differ from their manifest; their segments are not here."""
    mended: tuple[str, ...] = ()
    """Files that were here with other bytes: moved to `damaged/` and copied again."""


def choose_crawl(place: str, name: str = "") -> str:
    """Return the name of the wanted crawl, by its beginning, or of the only one."""
    names = tried(lambda: crawls_in(place))
    wanted = [one for one in names if one.startswith(name)]
    if len(wanted) == 1:
        return wanted[0]
    if not names:
        raise ConfigError(
            f"{place}: contains no crawl\n  check the URL: use the --store of the crawl"
        )
    what = f"{len(wanted):,} crawls" if wanted else "no crawl"
    which = f" whose name begins with {name}" if name else ""
    raise ConfigError(
        f"{place}: holds {what}{which}; name one by its beginning:"
        f" lycosa fetch {place} DIR NAME" + "".join(f"\n  {one}" for one in names)
    )


def fetch_crawl(
    place: str, name: str, path: Path, tell: Callable[[Copied, int], None] = lambda *_: None
) -> Copied:
    """Copy new segments of the store; call `tell` with the result so far and the total number."""
    objects = open_objects(place, name)
    try:
        directory = _prepare(objects, place, name, path)
        with directory.locked():
            return _Copy(objects, name, directory, _memory(directory, place, name)).run(tell)
    finally:
        objects.close()


def _prepare(objects: Objects, place: str, name: str, path: Path) -> CrawlDirectory:
    """Make the directory with the job, unless it exists."""
    directory = CrawlDirectory(path)
    directory.survey()
    if directory.job_file.exists():
        there = directory.written_job().log.name
        if there != name:
            raise ConfigError(
                f"{path}: holds another crawl ({there or 'without a name'}), not {name}\n"
                "  choose another folder"
            )
        if not directory.is_copy:
            raise ConfigError(
                f"{path}: is the crawl's own directory, not a copy\n  choose another folder"
            )
        return directory
    text = tried(lambda: objects.read(JOB_KEY))
    if text is None:
        raise ConfigError(
            f"{place}: there is no crawl {name}\n  list the crawls: lycosa fetch {place} --list"
        )
    job = parse_job(text.decode(), f"{objects.place}/{JOB_KEY}", is_begun=True)
    if path.exists() and (not path.is_dir() or any(_foreign(path))):
        raise ConfigError(f"{path}: exists and is not a copy of a crawl\n  choose a new folder")
    with _disk_told(path):
        path.mkdir(parents=True, exist_ok=True)
        # This file marks the copy: without a log no crawl may write into it.
        _memory(directory, place, name).begin()
        if job.log.server:
            directory.log_folder.mkdir(exist_ok=True)
        if isinstance(job.seeds, SeedList):
            temporary(directory.seeds_file).unlink(missing_ok=True)
            directory.seeds_file.unlink(missing_ok=True)
            tried(lambda: objects.download(SEEDS_KEY, directory.seeds_file))
        if job.topics.model:  # crawls copied before models were copied have none
            temporary(directory.model_file).unlink(missing_ok=True)
            directory.model_file.unlink(missing_ok=True)
            tried(lambda: objects.download(MODEL_FILE, directory.model_file))
        new = temporary(directory.job_file)
        beneath.write_bytes(new, text)
        new.rename(directory.job_file)
    return directory


def _foreign(path: Path) -> Iterator[Path]:
    ours = {"fetched", "crawl.toml.tmp", "seeds.txt", "seeds.txt.tmp", "log"}
    ours |= {MODEL_FILE, f"{MODEL_FILE}.tmp"}
    return (entry for entry in path.iterdir() if entry.name not in ours)


class _Copy:
    def __init__(self, objects: Objects, name: str, directory: CrawlDirectory, known: Sent) -> None:
        self._objects = objects
        self._folder = directory.path
        self._known = known
        self._done = Copied(name)
        self._mended: list[str] = []

    def run(self, tell: Callable[[Copied, int], None]) -> Copied:
        indexed = {name.segment for name in sealed_names(self._folder)}
        numbers = sorted(tried(lambda: _segments(self._objects)))
        here = {number for number in numbers if number in self._known and number in indexed}
        self._done = self._done._replace(here=len(here))
        tell(self._done, len(numbers))
        with ThreadPoolExecutor(FILES_AT_ONCE) as pool, _disk_told(self._folder):
            for number in numbers:
                if number not in here:
                    self._copy(number, pool)
                    tell(self._done, len(numbers))
        return self._done

    def _copy(self, number: int, pool: ThreadPoolExecutor) -> None:
        done = self._done
        manifest = tried(lambda: read_manifest(self._objects, number))
        if manifest is None:
            return
        if manifest.lost:
            self._done = done._replace(lost=(*done.lost, number))
            return
        files = {self._target(key): content for key, content in manifest.files.items()}
        results = pool.map(lambda one: self._get(*one), files.items())
        damaged = [str(path.relative_to(self._folder)) for path in results if path is not None]
        if damaged:
            self._done = done._replace(damaged=(*done.damaged, *damaged))
            return
        self._put_in_place(manifest)
        self._known.add(number)
        size = sum(content.bytes for content in files.values())
        self._done = done._replace(
            segments=done.segments + 1, bytes=done.bytes + size, mended=tuple(self._mended)
        )

    def _target(self, key: str) -> Path:
        if not is_store_file(key):
            raise FormatError(
                f"{self._objects.place}: a manifest names {key!r}, which is not a file of a"
                " segment\n  another program has written the manifest: do not copy this crawl"
            )
        return self._folder / key

    def _get(self, path: Path, content: Content) -> Path | None:
        """Copy one file here under its temporary name; return it if its object is damaged."""
        path.parent.mkdir(exist_ok=True)
        if path.exists():
            if _is(path, content):
                return None
            self._mended.append(str(path.relative_to(self._folder)))
            move_aside(self._folder, [path])
        new, key = temporary(path), str(path.relative_to(self._folder))
        for _ in range(2):  # try twice: the rest of a killed copy may be damaged
            self._complete(key, new, content.bytes)
            if _is(new, content):
                sync_file(new)
                return None
            has_begun = new.stat().st_size > 0
            move_aside(self._folder, [new]) if has_begun else new.unlink()
        return path

    def _complete(self, key: str, new: Path, size_bytes: int) -> None:
        """Append the missing part of a file, piece by piece; a damaged object may end too early."""
        with beneath.open_file(new, "ab") as file:
            while (start := file.tell()) < size_bytes:
                length = min(PART_BYTES, size_bytes - start)
                part = tried(partial(self._objects.read, key, start, length))
                if not part:
                    return
                file.write(part)

    def _put_in_place(self, manifest: Manifest) -> None:
        """Give all files of a segment their names, the index last."""
        keys = sorted(manifest.files, key=lambda key: key.startswith(f"{CDX}/"))
        for key in keys:
            path = self._folder / key
            if temporary(path).exists():
                temporary(path).rename(path)
        for part in {(self._folder / key).parent for key in keys}:
            sync_folder(part)


def _memory(directory: CrawlDirectory, place: str, name: str) -> Sent:
    """Return the segments of the store that are here, as far as the directory remembers."""
    return Sent(directory.copy_mark, f"{place} {name}")


def _segments(objects: Objects) -> list[int]:
    keys = (found.key.removeprefix(MANIFESTS) for found in objects.list(MANIFESTS.rstrip("/")))
    numbers = (key.removesuffix(".json") for key in keys)
    return [int(number) for number in numbers if number.isdecimal()]


def _is(path: Path, content: Content) -> bool:
    return path.stat().st_size == content.bytes and digest(path) == content.sha256


def tried(call: Callable[[], T]) -> T:
    """Repeat the call while the store does not answer, for a minute."""
    end, pause = time.monotonic() + PATIENCE_SECONDS, FIRST_PAUSE_SECONDS
    while True:
        try:
            return call()
        except ObjectsUnavailable as problem:
            if time.monotonic() + pause > end:
                raise ObjectsUnavailable(
                    f"{problem}\n  repeat the command: it continues where this one has ended"
                ) from None
        time.sleep(pause)
        pause = min(MOST_PAUSE_SECONDS, 2 * pause)


@contextmanager
def _disk_told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise StoreError(
                f"{path}: cannot be written: {error.strerror or error}\n"
                "  check who owns the folder, and the disk"
            ) from error
        import shutil

        free = size_text(shutil.disk_usage(path).free)
        raise StoreError(
            f"{path}: the disk has no room ({free} are free)\n"
            "  make room and repeat the command: it continues where this one has ended"
        ) from error
