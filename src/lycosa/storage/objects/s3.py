"""A store in a bucket of an S3 service: Amazon's, or a server that speaks its protocol.

The service's address and the access keys come from the environment, as every S3 client has them:
AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION; on
Amazon's machines also from the role of the machine.

An object is there when its last part is. Large files go in parts, each a request with a deadline of
its own; parts of an upload that was never completed are not an object, and a lifecycle rule of the
bucket removes them. `create` is a PUT with `If-None-Match: *`. A service that ignores this header
would let two machines write one manifest, so the first creation is tried twice: the second PUT has
to be refused, or the service is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)
from obstore.store import S3Store

from lycosa.errors import ObjectsUnavailable, StoreError
from lycosa.storage.objects.folder import new_file
from lycosa.storage.objects.protocol import Found, check_key

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig

PART_BYTES = 8 << 20
PARTS_AT_ONCE = 3
REQUEST_SECONDS = 60.0
"""Time limit of a request with its body of at most `PART_BYTES`: 140 kB a second are enough."""

_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")


class S3Objects:
    """The objects of one crawl, below a prefix of a bucket."""

    def __init__(self, bucket: str, prefix: str) -> None:
        """Prepare requests to the service that the environment names; none is sent yet."""
        self.place = f"s3://{bucket}/{prefix}"
        self._store = _connect(bucket, prefix)
        self._bucket = bucket
        self._refuses_creation = False
        """Whether the service has proved that a key is created once."""

    def put(self, key: str, source: Path) -> None:
        """Write a file as an object, over one that is there."""
        size = source.stat().st_size
        with self._failure_told("write", key):
            obstore.put(
                self._store,
                check_key(self.place, key),
                source if size else b"",
                chunk_size=PART_BYTES,
                max_concurrency=PARTS_AT_ONCE,
            )

    def create(self, key: str, value: bytes) -> bool:
        """Write an object if the key has none, or has these very bytes."""
        check_key(self.place, key)
        if self._is_created(key, value):
            if not self._refuses_creation and self._is_created(key, value):
                raise self._creates_twice()
            self._refuses_creation = True
            return True
        self._refuses_creation = True
        return self.read(key) == value

    def read(self, key: str, start: int = 0, length: int | None = None) -> bytes | None:
        """Return an object or a range of it; None when there is no such object."""
        check_key(self.place, key)
        if length == 0:
            return b"" if self.size(key) is not None else None
        with self._failure_told("read", key):
            try:
                if not start and length is None:
                    return bytes(obstore.get(self._store, key).bytes())
                end = None if length is None else start + length
                if end is None:
                    result = obstore.get(self._store, key, options={"range": {"offset": start}})
                    return bytes(result.bytes())
                return bytes(obstore.get_range(self._store, key, start=start, end=end))
            except FileNotFoundError as error:
                self._refuse_missing_bucket(error)
                return None
            except BaseError as error:
                if " 416 " not in _first_line(error):
                    raise
                return b""  # the range begins after the end

    def download(self, key: str, target: Path) -> bool:
        """Copy an object to a new file; False when there is no such object."""
        size = self.size(key)
        if size is None:
            return False
        with new_file(target) as file:
            for start in range(0, size, PART_BYTES):
                block = self.read(key, start, min(PART_BYTES, size - start))
                if block is None:
                    raise ObjectsUnavailable(f"{self.place}: {key} was removed while it was read")
                file.write(block)
        return True

    def size(self, key: str) -> int | None:
        """Return the length of an object in bytes; None when there is no such object."""
        with self._failure_told("read", key):
            try:
                return obstore.head(self._store, check_key(self.place, key))["size"]
            except FileNotFoundError:
                return None

    def list(self, prefix: str = "") -> Iterator[Found]:
        """Yield the objects below a prefix, by key."""
        if prefix:
            check_key(self.place, prefix)
        with self._failure_told("list", prefix):
            stream = obstore.list(self._store, prefix.rstrip("/") or None, chunk_size=1000)
            found = [Found(one["path"], one["size"]) for block in stream for one in block]
        # Amazon lists objects in the order of keys, other services may not
        yield from sorted(found)

    def close(self) -> None:
        """Connections end with the process, or when they were idle for long."""

    # -- inside ---------------------------------------------------------------------------

    def _is_created(self, key: str, value: bytes) -> bool:
        with self._failure_told("write", key):
            try:
                obstore.put(self._store, key, value, mode="create", use_multipart=False)
            except (AlreadyExistsError, PreconditionError):
                return False
            return True

    def _creates_twice(self) -> StoreError:
        return StoreError(
            f"{self.place}: the service creates an object that exists already: it ignores"
            " `If-None-Match: *`\n"
            "  use a store that honours it (Amazon S3, SeaweedFS, MinIO, Ceph, R2), or a folder"
            " that all machines share: file:///FOLDER"
        )

    @contextmanager
    def _failure_told(self, verb: str, key: str) -> Iterator[None]:
        what = f"{self.place}: cannot {verb} {key or 'the objects'}"
        try:
            yield
        except FileNotFoundError as error:
            self._refuse_missing_bucket(error)
            raise ObjectsUnavailable(f"{what}: {_first_line(error)}") from None
        except (PermissionDeniedError, UnauthenticatedError) as error:
            raise StoreError(
                f"{what}: the service refuses the access keys: {_first_line(error)}\n"
                "  check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and what they permit"
            ) from None
        except (BaseError, ValueError) as error:
            raise ObjectsUnavailable(
                f"{what}: {_first_line(error)}\n"
                f"  is the service at {endpoint() or 'Amazon'} reachable? AWS_ENDPOINT_URL says"
                " where it is"
            ) from None

    def _refuse_missing_bucket(self, error: FileNotFoundError) -> None:
        if "NoSuchBucket" in str(error):
            raise StoreError(
                f"{self.place}: there is no bucket {self._bucket!r} at"
                f" {endpoint() or 'Amazon'}\n  make it: aws s3 mb s3://{self._bucket}"
            ) from None


def crawls_in(bucket: str, prefix: str) -> list[str]:
    """Return the names below a prefix that hold objects of a crawl."""
    above = S3Objects(bucket, prefix)
    with above._failure_told("list", ""):
        below = obstore.list_with_delimiter(above._store)["common_prefixes"]
    names = sorted(path.rstrip("/").rpartition("/")[2] for path in below)
    return [name for name in names if above.size(f"{name}/crawl.toml") is not None]


def endpoint() -> str:
    """Return the address of the service in the environment; "" for Amazon's own."""
    return next((os.environ[name] for name in _ENDPOINTS if os.environ.get(name)), "")


def _connect(bucket: str, prefix: str) -> S3Store:
    client: ClientConfig = {
        "timeout": timedelta(seconds=REQUEST_SECONDS),
        "allow_http": endpoint().startswith("http://"),
    }
    # The caller retries for ever, with messages. These retries are for single requests, of which a
    # large file needs many.
    retry: RetryConfig = {
        "max_retries": 5,
        "retry_timeout": timedelta(seconds=REQUEST_SECONDS),
        "backoff": {
            "init_backoff": timedelta(milliseconds=50),
            "max_backoff": timedelta(seconds=1),
            "base": 2,
        },
    }
    more: dict[str, Any] = {"endpoint": endpoint()} if endpoint() else {}
    return S3Store(bucket, prefix=prefix or None, client_options=client, retry_config=retry, **more)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:300]
