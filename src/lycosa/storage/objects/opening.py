"""Opens the store of objects that a URL names: a folder, or a bucket of an S3 service.

The package that speaks S3 is an extra (`pip install '.[s3]'`), loaded when a URL asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lycosa.errors import ConfigError
from lycosa.model.job.store import place_problem
from lycosa.storage.objects import folder
from lycosa.storage.objects.protocol import Objects


def open_objects(place: str, crawl: str) -> Objects:
    """Open the objects of one crawl; its name is that of the job (`[log] name`)."""
    if not re.fullmatch(r"[a-z0-9_]{1,50}", crawl):
        raise ConfigError(
            f"{place}: a crawl in a store needs a name of a-z, 0-9 and _, not {crawl!r}\n"
            "  list the crawls: lycosa fetch STORE --list"
        )
    if _is_folder(place):
        return folder.FolderObjects(_folder_of(place) / crawl)
    with _missing_package_told(place):
        from lycosa.storage.objects import s3
    bucket, prefix = _bucket_of(place)
    return s3.S3Objects(bucket, f"{prefix}/{crawl}" if prefix else crawl)


def crawls_in(place: str) -> list[str]:
    """Return the names of the crawls that a place holds."""
    if _is_folder(place):
        return folder.crawls_in(_folder_of(place))
    with _missing_package_told(place):
        from lycosa.storage.objects import s3
    return s3.crawls_in(*_bucket_of(place))


def _is_folder(place: str) -> bool:
    if problem := place_problem(place):
        raise ConfigError(problem)
    return place.startswith("file:")


def _bucket_of(place: str) -> tuple[str, str]:
    address = urlsplit(place)
    return address.netloc, unquote(address.path).strip("/")


def _folder_of(place: str) -> Path:
    path = Path(unquote(urlsplit(place).path))
    if not path.is_dir():
        raise ConfigError(
            f"{place}: there is no such folder\n"
            f"  mount it, if machines share it; or make it: mkdir -p {path}"
        )
    return path


@contextmanager
def _missing_package_told(place: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as missing:
        raise ConfigError(
            f"{place}: a store in a bucket needs the package {missing.name}\n"
            "  install, in the clone of Lycosa: pip install '.[s3]'"
        ) from None
