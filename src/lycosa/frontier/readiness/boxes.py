"""Entries of the agenda that are not due soon, in few bytes: boxes by time, numbers for actions.

`agenda` tells when an entry is in a box and when in its heap.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from math import floor

Action = Callable[[int, float], object]

NEVER = float("inf")


class Box:
    """Entries that are due at about the same time, in the order in which they were noted."""

    __slots__ = ("actions", "earliest", "moments", "subjects")

    def __init__(self) -> None:
        self.earliest = NEVER
        self.moments = array("d")
        self.actions = array("I")
        self.subjects = array("q")


class Boxes:
    """Boxes by the time that they begin with, in units of their width."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        self._boxes: dict[int, Box] = {}
        self._order: list[int] = []

    def put(self, moment: float, action: int, subject: int) -> None:
        """Put an entry into the box of its time."""
        number = floor(moment / self.seconds)
        box = self._boxes.get(number)
        if box is None:
            box = self._boxes[number] = Box()
            heappush(self._order, number)
        box.moments.append(moment)
        box.actions.append(action)
        box.subjects.append(subject)
        if moment < box.earliest:
            box.earliest = moment

    def take_before(self, moment: float) -> Iterator[Box]:
        """Take out the boxes that begin before a moment."""
        while self._order and self._order[0] * self.seconds < moment:
            yield self._boxes.pop(heappop(self._order))

    def earliest(self) -> float | None:
        """Return the moment of the first entry."""
        return self._boxes[self._order[0]].earliest if self._order else None

    def in_order(self) -> Iterator[Box]:
        """Yield the boxes, the next one first."""
        return (self._boxes[number] for number in sorted(self._order))


class Actions:
    """Numbers for actions, as long as an entry of a box has them."""

    def __init__(self) -> None:
        self._numbers: dict[Action, int] = {}
        self._all: list[Action | None] = []
        self._uses: list[int] = []
        self._free: list[int] = []

    def number(self, action: Action) -> int:
        """Return the number of an action, for one more entry."""
        number = self._numbers.get(action)
        if number is None:
            if self._free:
                number = self._free.pop()
                self._all[number] = action
            else:
                number = len(self._all)
                self._all.append(action)
                self._uses.append(0)
            self._numbers[action] = number
        self._uses[number] += 1
        return number

    def release(self, number: int) -> Action:
        """Return an action, whose number one entry less has."""
        action = self.get(number)
        self._uses[number] -= 1
        if not self._uses[number]:  # its partition may be gone
            del self._numbers[action]
            self._all[number] = None
            self._free.append(number)
        return action

    def get(self, number: int) -> Action:
        """Return an action."""
        action = self._all[number]
        assert action is not None
        return action
