"""Named tuples are made as `typing` makes them, and cheaper."""

from __future__ import annotations

import pickle
import typing

import msgspec

from lycosa._support.tuples import NamedTuple


class Spot(NamedTuple):
    """A place."""

    segment: int
    offset: int | None
    length: float = 0.5

    @property
    def end(self) -> float:
        """Where it ends."""
        return (self.offset or 0) + self.length

    def __str__(self) -> str:
        return "a spot"


class Usual(typing.NamedTuple):
    """A place."""

    segment: int
    offset: int | None
    length: float = 0.5


def test_a_named_tuple_is_what_typing_makes() -> None:
    ours, usual = Spot(1, None), Usual(1, None)
    assert tuple(ours) == tuple(usual)
    assert repr(ours) == repr(usual).replace("Usual", "Spot")
    assert Spot._fields == Usual._fields
    assert Spot._field_defaults == Usual._field_defaults
    assert Spot.__match_args__ == Usual.__match_args__
    assert Spot.__mro__[1:] == Usual.__mro__[1:]
    assert Spot.__doc__ == Usual.__doc__
    assert ours._replace(offset=2)._asdict() == usual._replace(offset=2)._asdict()
    assert typing.get_type_hints(Spot) == typing.get_type_hints(Usual)


def test_methods_and_properties_of_the_body_are_kept() -> None:
    assert Spot(1, 2).end == 2.5
    assert str(Spot(1, 2)) == "a spot"


def test_a_named_tuple_is_pickled_by_its_name() -> None:
    copy = pickle.loads(pickle.dumps(Spot(3, 4)))
    assert copy == Spot(3, 4)
    assert type(copy) is Spot


def test_msgspec_decodes_into_a_named_tuple() -> None:
    assert msgspec.json.decode(b"[1, null]", type=Spot) == Spot(1, None, 0.5)
