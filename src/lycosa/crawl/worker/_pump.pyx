"""The work between two answers, compiled: alarms, turns of partitions, and the pump.

`turns` has what turns are for, `worker` has when the pump runs.
"""

from lycosa.crawl.worker._sending cimport Sending
from lycosa.frontier._page_steps cimport PageSteps
from lycosa.frontier.readiness.agenda cimport Agenda

cdef double NEVER = float("inf")


cdef class Alarm:
    """Calls back once, at the earliest of the moments that were asked for.

    A worker asks for its next tick from many places, each with a moment of its own. Only the
    earliest counts: the tick does everything that is due.
    """

    def __init__(self, clock, callback):
        self._clock, self._callback = clock, callback
        self._ringing = self._ring  # bound once
        self._timer = None
        self._moment = NEVER

    cpdef int set_before(self, double moment) except -1:
        """Call back at this moment, or earlier if that was asked for."""
        if moment >= self._moment or moment == NEVER:
            return 0
        if self._timer is not None:
            self._timer.cancel()
        self._moment = moment
        self._timer = self._clock.call_at(moment, self._ringing)
        return 0

    def set_within(self, double seconds):
        """Call back after this time, or earlier if that was asked for."""
        self.set_before(self._clock.now() + seconds)

    def cancel(self):
        """Call back no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _ring(self):
        self._timer = None
        self._moment = NEVER
        self._callback()


cdef class PartitionTurns:
    """The partitions of a worker that have work."""

    def __init__(self, partitions, dict with_work not None):
        """`with_work` has the numbers of partitions that may have work, as they say so."""
        self._partitions, self._with_work = partitions, with_work

    def settle(self, changed):
        """Do what is to be done for changed partitions before a commit: here nothing."""

    cpdef object next(self):
        """Return the partition in turn, which goes to the end of the line."""
        cdef dict turns = self._with_work
        cdef PageSteps partition
        while turns:
            number = next(iter(turns))
            del turns[number]
            partition = self._partitions[number]
            if not partition.is_leaving and not partition.is_held_back and partition.has_work():
                turns[number] = None
                return partition
        return None


cdef class Pump:
    """Starts what may be started, and sees to being woken again."""

    cdef public bint is_over, is_stopping
    cdef public Py_ssize_t connections
    cdef public PartitionTurns _turns
    cdef object _ports, _clock, _slots, _may_begin, _budget, _committer
    cdef dict _changed_partitions
    cdef double _commit_seconds, _poll_seconds
    cdef Agenda _due_agenda
    cdef Sending _sends
    cdef Alarm _ticks, _wakes

    def __init__(self, ports, Agenda agenda, Sending sender, committer, changed, tick, wake):
        """Prepare for the worker with these parts; it sets its turns itself."""
        self._clock, self._slots, self._budget = ports.clock, ports.slots, ports.budget
        self._may_begin, self._committer = ports.may_begin, committer
        self._commit_seconds, self._poll_seconds = ports.job.log.commit_seconds, ports.poll_seconds
        self._due_agenda, self._sends, self._changed_partitions = agenda, sender, changed
        self._ticks, self._wakes = tick, wake

    def pump(self):
        """Start everything that may be started now, and see to being woken again."""
        cdef double now, due
        if self.is_over:
            if self._slots is not None:
                self._slots.let_others_in()
            return
        now = self._clock.now()
        self._due_agenda.run(now)
        while (
            self._sends.in_flight < self.connections
            and not self.is_stopping
            and (self._may_begin is None or self._may_begin())
        ):
            partition = self._turns.next()
            if partition is None or not self._sends.start_task(partition, now):
                break
        if self._slots is not None and self._slots.kept:
            self._slots.let_others_in()  # addresses that are not asked next after all
        if self._changed_partitions and not self._committer.is_busy:
            self._ticks.set_before(now + self._commit_seconds)
        if self._poll_seconds != NEVER:
            self._ticks.set_before(now + self._poll_seconds)
        moment = self._due_agenda.next_moment()
        due = moment if moment else NEVER
        self._wakes.set_before(min(due, self._budget.next_moment()))
