"""Decodes JSON and MessagePack into classes, from any thread.

msgspec looks at a class when it is first decoded into. Two threads that make it look at the same
class at once may end the process, because msgspec 0.22 shows the one what the other has not found
completely. So here one thread looks at a time, and who decodes into classes does it by this module.
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
    """Return what decodes JSON into a class, or into a type that is made of classes."""
    return _kept(_json, msgspec.json.Decoder, kind)


@overload
def msgpack_decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]: ...
@overload
def msgpack_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]: ...
def msgpack_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    """Return what decodes MessagePack into a class, or into a type that is made of classes."""
    return _kept(_msgpack, msgspec.msgpack.Decoder, kind)


@overload
def converted(data: object, kind: type[T], *, strict: bool = True) -> T: ...
@overload
def converted(data: object, kind: Any, *, strict: bool = True) -> Any: ...
def converted(data: object, kind: Any, *, strict: bool = True) -> Any:
    """Make an object of a class from dictionaries, lists and values."""
    json_decoder(kind)  # it has looked at the class then
    return msgspec.convert(data, kind, strict=strict)


def _kept(decoders: dict[Any, D], make: Callable[[Any], D], kind: Any) -> D:
    found = decoders.get(kind)
    if found is None:
        with _looking:
            found = decoders[kind] = make(kind)
    return found
