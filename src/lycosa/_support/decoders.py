"""Decodes JSON and MessagePack into classes, from any thread.

msgspec inspects a class when it first decodes into it. Two threads that make it inspect the same
class at the same time may crash the process, because msgspec 0.22 shows one thread the unfinished
result of the other. So a lock here lets one thread inspect at a time. All code that decodes into
classes must get its decoder here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")
D = TypeVar("D")

_looking = threading.Lock()
_json: dict[Any, msgspec.json.Decoder[Any]] = {}
_msgpack: dict[Any, msgspec.msgpack.Decoder[Any]] = {}


@overload
def json_decoder(kind: type[T]) -> msgspec.json.Decoder[T]: ...
@overload
def json_decoder(kind: Any) -> msgspec.json.Decoder[Any]: ...
def json_decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """Return a decoder of JSON into a class, or into a type made of classes."""
    return _kept(_json, msgspec.json.Decoder, kind)


@overload
def msgpack_decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]: ...
@overload
def msgpack_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]: ...
def msgpack_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    """Return a decoder of MessagePack into a class, or into a type made of classes."""
    return _kept(_msgpack, msgspec.msgpack.Decoder, kind)


@overload
def converted(data: object, kind: type[T], *, strict: bool = True) -> T: ...
@overload
def converted(data: object, kind: Any, *, strict: bool = True) -> Any: ...
def converted(data: object, kind: Any, *, strict: bool = True) -> Any:
    """Make an object of a class from dictionaries, lists and values."""
    json_decoder(kind)  # makes msgspec inspect the class while the lock is held
    return msgspec.convert(data, kind, strict=strict)


def _kept(decoders: dict[Any, D], make: Callable[[Any], D], kind: Any) -> D:
    found = decoders.get(kind)
    if found is None:
        with _looking:
            found = decoders[kind] = make(kind)
    return found
