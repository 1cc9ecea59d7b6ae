"""Stores that all machines of a soak share, and that can be out of reach for all of them.

FolderStore    a shared folder, in whose place a file stands while it is down
S3Store        a SeaweedFS server behind a proxy, which breaks connections or swallows answers
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Protocol

from lycosa.storage.objects.opening import open_objects
from servers.processes import temporary_folder
from servers.proxy import PORT, Proxy
from servers.seaweed import BUCKET, SeaweedServer, environment
from servers.seaweed import PORT as S3_PORT
from soak.network import OWN_ADDRESS

_OWN_TMP = [
    *("unshare", "--mount", "sh", "-c"),
    *('mount -t tmpfs own /tmp && exec "$@"', "sh"),
]
"""SeaweedFS keeps sockets in /tmp that are named by port alone: servers of other runs have them."""


class Store(Protocol):
    """A store that can be out of reach for all machines."""

    @property
    def place(self) -> str:
        """Its URL, for the job."""

    @property
    def environment(self) -> dict[str, str]:
        """What machines need to know of it besides."""

    def go_down(self, chance: Random) -> None:
        """Answer no more."""

    def come_back(self) -> None:
        """Answer again, with everything that was there."""

    def contents(self, crawl: str, folder: Path) -> Path:
        """Return a folder with the objects of a crawl; `folder` is for copies of them."""


class FolderStore:
    """A shared folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._away = folder.with_suffix(".away")
        folder.mkdir()
        self.place = folder.as_uri()
        self.environment: dict[str, str] = {}

    def go_down(self, chance: Random) -> None:
        """Take the folder away."""
        self._folder.rename(self._away)
        self._folder.touch()

    def come_back(self) -> None:
        """Put it back."""
        self._folder.unlink()
        self._away.rename(self._folder)

    def contents(self, crawl: str, folder: Path) -> Path:
        """Return the folder itself."""
        return self._folder / crawl


class S3Store:
    """An S3 service, reached through a proxy."""

    def __init__(self, server: SeaweedServer) -> None:
        self._proxy = Proxy((server.address, S3_PORT), OWN_ADDRESS)
        self.place = f"s3://{BUCKET}/soak"
        self.environment = environment(f"http://{OWN_ADDRESS}:{PORT}")

    def go_down(self, chance: Random) -> None:
        """Break all connections, or let requests arrive and swallow the answers."""
        if chance.random() < 0.5:
            self._proxy.cut()
        else:
            self._proxy.lose_answers()

    def come_back(self) -> None:
        """Let everything through again."""
        self._proxy.heal()

    def contents(self, crawl: str, folder: Path) -> Path:
        """Copy the objects of a crawl."""
        objects = open_objects(self.place, crawl)
        for found in objects.list():
            target = folder / found.key
            target.parent.mkdir(parents=True, exist_ok=True)
            objects.download(found.key, target)
        objects.close()
        return folder


@contextmanager
def opened(kind: str, folder: Path) -> Iterator[Store]:
    """Run a store in an empty folder: `folder` or `s3`."""
    if kind == "folder":
        yield FolderStore(folder / "objects")
        return
    with temporary_folder(in_memory=True) as own:
        server = SeaweedServer(own, inside=_OWN_TMP)
        server.start()
        try:
            yield S3Store(server)
        finally:
            server.kill()
