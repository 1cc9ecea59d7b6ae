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

from heapq import heappop, heappush
from itertools import count, islice
from math import floor
from operator import itemgetter

from lycosa.frontier.readiness.boxes import NEVER, Actions, Boxes

NEAR_SECONDS = 2
FAR_SECONDS = 1_000
BOX_SECONDS = 1_000


cdef class Agenda:
    """Actions by moment; those of one moment run in the order in which they were noted."""

    def __init__(self):
        self._entries = []
        self._order = count()
        self._later = Boxes(1)
        self._far = Boxes(BOX_SECONDS)
        self._actions = Actions()

    cpdef object note(self, double moment, object action, object subject):
        """Do `action(subject, now)` once `moment` has come."""
        if moment < self._horizon:
            heappush(self._entries, (moment, next(self._order), action, subject))
            return
        if moment == NEVER:
            return
        self._boxed += 1
        boxes = self._later if moment < self._horizon + FAR_SECONDS else self._far
        boxes.put(moment, self._actions.number(action), subject)

    cpdef object run(self, double now):
        """Do everything that is due."""
        cdef list entries = self._entries
        if now >= self._horizon - 1:
            self._look_ahead(now)
        while entries and <double> (<tuple> entries[0])[0] <= now:
            _, _, action, subject = heappop(entries)
            action(subject, now)

    def sample(self, most):
        """Return some entries with who noted them, the next one first: moment, owner, subject.

        The beginning of a heap holds early entries, not the earliest; it is enough for a display.
        """
        found = [(moment, action, subject) for moment, _, action, subject in self._entries[:most]]
        found += islice(self._from_boxes(), most - len(found))
        found.sort(key=itemgetter(0))
        return [
            (moment, getattr(action, "__self__", None), subject)
            for moment, action, subject in found
        ]

    cpdef object next_moment(self):
        """Return when the next entry is due, or None."""
        if self._entries:
            return (<tuple> self._entries[0])[0]
        if not self._boxed:
            return None
        later, far = self._later.earliest(), self._far.earliest()
        return later if far is None else far if later is None else min(later, far)

    def __len__(self):
        return len(self._entries) + self._boxed

    cdef int _look_ahead(self, double now) except -1:
        """Move into the heap what is due soon."""
        cdef double horizon = floor(now) + NEAR_SECONDS
        self._horizon = horizon
        for box in self._far.take_before(horizon + FAR_SECONDS):
            for moment, action, subject in zip(box.moments, box.actions, box.subjects, strict=True):
                self._later.put(moment, action, subject)
        for box in self._later.take_before(horizon):
            self._boxed -= len(box.moments)
            for moment, action, subject in zip(box.moments, box.actions, box.subjects, strict=True):
                entry = (moment, next(self._order), self._actions.release(action), subject)
                heappush(self._entries, entry)
        return 0

    def _from_boxes(self):
        for boxes in (self._later, self._far):
            for box in boxes.in_order():
                for moment, action, subject in zip(
                    box.moments, box.actions, box.subjects, strict=True
                ):
                    yield moment, self._actions.get(action), subject
