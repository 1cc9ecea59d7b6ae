"""Decodes JSON and MessagePack into classes, from any thread.

msgspec looks at a class when it is first decoded into. Two threads that make it look at the same
class at once may end the process: msgspec 0.22 puts down what it has found before that is complete.
So here one thread looks at a time, and all that is decoded into classes is decoded by this module.
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")

_looking = threading.Lock()
_json: dict[Any, msgspec.json.Decoder[Any]] = {}
_msgpack: dict[Any, msgspec.msgpack.Decoder[Any]] = {}


@overload
def json_decoder(kind: type[T]) -> msgspec.json.Decoder[T]: ...
@overload
def json_decoder(kind: Any) -> msgspec.json.Decoder[Any]: ...
def json_decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """Return what decodes JSON into a class, or into what the classes of a type are."""
    found = _json.get(kind)
    if found is None:
        with _looking:
            found = _json[kind] = msgspec.json.Decoder(kind)
    return found


@overload
def msgpack_decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]: ...
@overload
def msgpack_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]: ...
def msgpack_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    """Return what decodes MessagePack into a class, or into what the classes of a type are."""
    found = _msgpack.get(kind)
    if found is None:
        with _looking:
            found = _msgpack[kind] = msgspec.msgpack.Decoder(kind)
    return found


@overload
def converted(data: object, kind: type[T], *, strict: bool = True) -> T: ...
@overload
def converted(data: object, kind: Any, *, strict: bool = True) -> Any: ...
def converted(data: object, kind: Any, *, strict: bool = True) -> Any:
    """Make a class of dictionaries, lists and values."""
    json_decoder(kind)
    return msgspec.convert(data, kind, strict=strict)
