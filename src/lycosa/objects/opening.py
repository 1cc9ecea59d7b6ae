"""Opens the store of objects that a URL names: a folder, or a bucket of an S3 store."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lycosa.errors import ConfigError
from lycosa.objects import folder
from lycosa.objects.protocol import Objects


def open_objects(place: str, crawl: str) -> Objects:
    """Open the objects of one crawl; its name is that of the job (`[log] name`)."""
    if not re.fullmatch(r"[a-z0-9_]{1,50}", crawl):
        raise ConfigError(
            f"{place}: a crawl in a store needs a name of a-z, 0-9 and _, not {crawl!r}\n"
            "  see which there are: lycosa fetch STORE --list"
        )
    return folder.FolderObjects(_folder_of(place) / crawl)


def crawls_in(place: str) -> list[str]:
    """Return the names of the crawls that a place holds."""
    return folder.crawls_in(_folder_of(place))


def _folder_of(place: str) -> Path:
    address = urlsplit(place)
    if address.scheme != "file" or address.netloc or not address.path.startswith("/"):
        raise ConfigError(
            f"{place}: no store of objects is there\n"
            "  write s3://BUCKET/PREFIX, or file:///FOLDER with a folder that all machines share"
        )
    path = Path(unquote(address.path))
    if not path.is_dir():
        raise ConfigError(
            f"{place}: there is no such folder\n"
            f"  mount it, if machines share it; or make it: mkdir -p {path}"
        )
    return path
