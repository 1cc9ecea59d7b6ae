"""Actions that are due at a moment, for all partitions of a worker.

The worker runs what is due before it chooses, and asks for the next moment to know how
long it may sleep. Entries are never removed: the action itself checks whether it still
applies.

Entries that are due soon are in a heap. All others are in boxes that hold what is due in the same
second, or, when it is later than `FAR_SECONDS`, in the same `BOX_SECONDS`: an entry takes 20 bytes
there and 200 in the heap, and a broad crawl has one or two for every host that it knows.

    boxes of 1,000 s ─ within 1,000 s ─▶ boxes of 1 s ─ within two seconds ─▶ heap ─ due ─▶ run

Always true: entries of the heap are due before `_horizon`, and those of boxes are not.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import count, islice
from math import floor

Action = Callable[[int, float], None]

NEVER = float("inf")
NEAR_SECONDS = 2
FAR_SECONDS = 1_000
BOX_SECONDS = 1_000


class _Box:
    """Entries that are due at about the same time, in the order in which they were noted."""

    __slots__ = ("actions", "earliest", "moments", "subjects")

    def __init__(self) -> None:
        self.earliest = NEVER
        self.moments = array("d")
        self.actions = array("I")
        self.subjects = array("q")


class _Boxes:
    """Boxes by the time that they begin with, in units of their width."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        self._boxes: dict[int, _Box] = {}
        self._order: list[int] = []

    def put(self, moment: float, action: int, subject: int) -> None:
        number = floor(moment / self.seconds)
        box = self._boxes.get(number)
        if box is None:
            box = self._boxes[number] = _Box()
            heappush(self._order, number)
        box.moments.append(moment)
        box.actions.append(action)
        box.subjects.append(subject)
        if moment < box.earliest:
            box.earliest = moment

    def take_before(self, moment: float) -> Iterator[_Box]:
        """Take out the boxes that begin before a moment."""
        while self._order and self._order[0] * self.seconds < moment:
            yield self._boxes.pop(heappop(self._order))

    def earliest(self) -> float | None:
        """Return the moment of the first entry."""
        return self._boxes[self._order[0]].earliest if self._order else None

    def in_order(self) -> Iterator[_Box]:
        """Yield the boxes, the next one first."""
        return (self._boxes[number] for number in sorted(self._order))


class _Actions:
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


class Agenda:
    """Actions by moment; those of one moment run in the order in which they were noted."""

    def __init__(self) -> None:
        self._entries: list[tuple[float, int, Action, int]] = []
        self._order = count()
        self._horizon = 0.0
        self._later = _Boxes(1)
        self._far = _Boxes(BOX_SECONDS)
        self._boxed = 0
        self._actions = _Actions()

    def note(self, moment: float, action: Action, subject: int) -> None:
        """Do `action(subject, now)` once `moment` has come."""
        if moment < self._horizon:
            heappush(self._entries, (moment, next(self._order), action, subject))
            return
        if moment == NEVER:
            return
        self._boxed += 1
        boxes = self._later if moment < self._horizon + FAR_SECONDS else self._far
        boxes.put(moment, self._actions.number(action), subject)

    def run(self, now: float) -> None:
        """Do everything that is due."""
        if now >= self._horizon - 1:
            self._look_ahead(now)
        entries = self._entries
        while entries and entries[0][0] <= now:
            _, _, action, subject = heappop(entries)
            action(subject, now)

    def sample(self, most: int) -> list[tuple[float, object, int]]:
        """Return some entries with who noted them, the next one first: moment, owner, subject.

        The beginning of a heap holds early entries, not the earliest; it is enough for a display.
        """
        found = [(moment, action, subject) for moment, _, action, subject in self._entries[:most]]
        found += islice(self._from_boxes(), most - len(found))
        found.sort(key=lambda entry: entry[0])
        return [
            (moment, getattr(action, "__self__", None), subject)
            for moment, action, subject in found
        ]

    def next_moment(self) -> float | None:
        """Return when the next entry is due."""
        if self._entries:
            return self._entries[0][0]
        later, far = self._later.earliest(), self._far.earliest()
        return later if far is None else far if later is None else min(later, far)

    def __len__(self) -> int:
        return len(self._entries) + self._boxed

    def _look_ahead(self, now: float) -> None:
        """Move into the heap what is due soon."""
        self._horizon = horizon = floor(now) + NEAR_SECONDS
        for box in self._far.take_before(horizon + FAR_SECONDS):
            for moment, action, subject in zip(box.moments, box.actions, box.subjects, strict=True):
                self._later.put(moment, action, subject)
        for box in self._later.take_before(horizon):
            self._boxed -= len(box.moments)
            for moment, action, subject in zip(box.moments, box.actions, box.subjects, strict=True):
                entry = (moment, next(self._order), self._actions.release(action), subject)
                heappush(self._entries, entry)

    def _from_boxes(self) -> Iterator[tuple[float, Action, int]]:
        for boxes in (self._later, self._far):
            for box in boxes.in_order():
                for moment, action, subject in zip(
                    box.moments, box.actions, box.subjects, strict=True
                ):
                    yield moment, self._actions.get(action), subject
