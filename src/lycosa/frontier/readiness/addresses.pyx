"""One request at a time per address, with a short pause, for all host names behind it.

Several host names are often one machine. Each address is a gate: hosts whose own pause
is over enter its queue, the first of them is let through (its sites wake), and when its
answer is in, the gate stays shut for `ip_delay_seconds` before the next one is let
through. Only one host per address is awake at any time, so a request costs the same
whether an address has one name or a hundred thousand.

Always true:
  * at most one host of an address is let through and not yet done;
  * none is let through before the pause of the address is over;
  * a host in the queue is let through after all that entered before it, unless it had to
    look up its address first when its turn came;
  * while proven addresses are asked, others leave a connection for each of them, and hold half of
    all at most, rounded up.

The gates belong to the machine, not to a partition: they are not in the log. After a
resume every address begins with its pause, as if it had just been asked. Machines of a cluster
that ask one address do not wait for each other: each takes so much longer pauses.

Places for newcomers. An address that has not answered may never do so, and then holds one of the
worker's connections until a time limit ends it. So connections are reserved for addresses that have
answered (*proven*): one for each that was asked within `LIVELY_SECONDS` and has more to fetch, and
half of all at most. Newcomers share the rest. Each takes a place when it is claimed, until its
request has ended; a gate that finds none goes to the crowd, and its hosts wait. TCP's handshake
with a newcomer has `HANDSHAKE_SECONDS`. An address that misses it goes to the back of the crowd,
and has the job's whole time then.

Other processes of the machine send requests to addresses too. Right before a request the address
is *claimed*: its slot (`slots`), shared by all of them, is taken. While another process has it, the
host goes back to the head of its queue and the gate stays shut for a while.
"""

import cython

from collections import deque

from lycosa.frontier.readiness.agenda cimport Agenda

HANDSHAKE_SECONDS = 5.0
"""Time limit for the first handshake with an address that has not answered."""

LIVELY_SECONDS = 60.0
"""For so long after the last request to a proven address a connection stays reserved for it."""
MOST_LIVELY = 4_096
"""Of more addresses than half of the connections the number says nothing."""

# The standing of an address: nothing is known, its short handshake failed, it has answered.
cdef enum:
    NEW
    MISSED
    PROVEN

# Most addresses have few waiting hosts: a list takes 60 bytes, a `deque` 600 from the first on.
cdef enum:
    LIST_MOST = 16


cdef class Entrant:
    """The readiness of a partition, whose hosts are let through."""

    cpdef bint let_through(self, Py_ssize_t host, double now) except -1:
        """Wake the host's sites; False if it has nothing left to fetch."""
        raise NotImplementedError

    cpdef object comes_next(self, Py_ssize_t host, double now):
        """Prepare for the host's turn."""
        raise NotImplementedError

    cpdef bint has_answered(self, Py_ssize_t host) except -1:
        """Return whether the log says that the host can be reached."""
        raise NotImplementedError


cdef class Slots:
    """Keeps the processes of a machine from asking one address at once (`readiness.slots`)."""

    @property
    def kept(self):
        """The slots that are ours, although no request is under way."""
        return ()

    cpdef double take(self, str address, double pause_seconds) except? -1.0:
        """Take an address and return 0, or in how many seconds to try again."""
        raise NotImplementedError

    cpdef object let_go(self, str address, double pause_seconds, bint keeps=False):
        """Release an address; it rests for `pause_seconds`.

        With `keeps` it may stay ours until it is taken again or `let_others_in` is called.
        """
        raise NotImplementedError

    cpdef object let_others_in(self):
        """Release what was kept."""
        raise NotImplementedError


@cython.final
cdef class Gate:
    """An address: who is let through, and who waits."""

    cdef int put_last(self, Entrant entrant, Py_ssize_t host) except -1:
        """Put a host at the end of the queue."""
        if self.queue is None:
            self.queue = []
        self.queue.append((entrant, host))
        if type(self.queue) is list and len(<list> self.queue) > LIST_MOST:
            self.queue = deque(self.queue)
        return 0

    cdef int put_first(self, Entrant entrant, Py_ssize_t host) except -1:
        """Put a host before all others."""
        if self.queue is None:
            self.queue = []
        self.queue.insert(0, (entrant, host))
        return 0

    cdef tuple take_first(self):
        """Take out the host that is next."""
        return self.queue.pop(0) if type(self.queue) is list else self.queue.popleft()


@cython.final
cdef class Addresses:
    """The gates of all addresses that this worker asks.

    A gate's queue, and `newcomers`, are looked at as a whole: an empty one is false.
    """

    def __init__(
        self,
        Agenda agenda,
        double ip_delay_seconds,
        double shut_until,
        Slots slots=None,
        machines_at=None,
        connections=lambda: 65_536,
    ):
        """`machines_at` says how many machines ask an address, which share its pace.

        `connections` says how many requests the worker may have under way.
        """
        self._connections = connections
        # Gates that hold a place: claimed or about to be, and not proven.
        self.newcomers = set()
        self._crowd = deque()
        # When each proven gate was last asked, the latest at the end; the gate that was noted last.
        self._lively = {}
        self._latest = -1
        self._machines_at = machines_at
        self._agenda = agenda
        self._slots = slots
        self._ip_delay_seconds = ip_delay_seconds
        self._shut_until = shut_until
        self._gates = {}
        self._by_number = []
        self._when_free = self._on_free

    def pace(self, double ip_delay_seconds):
        """Change the pause between two requests to an address, from the next one on."""
        self._ip_delay_seconds = ip_delay_seconds

    cpdef int enter(
        self, str address, Entrant entrant, Py_ssize_t host, double now, bint had_turn=False
    ) except -1:
        """Queue a host that may be asked as far as its own clock goes.

        A host that had its turn and was not ready for it comes before all others.
        """
        cdef Gate gate = self._gates.get(address)
        if gate is None:
            gate = self._new_gate(address, PROVEN if entrant.has_answered(host) else NEW)
        if not gate.queue and not gate.is_taken and gate.free_at <= now:
            gate.is_taken = True
            if not entrant.let_through(host, now):
                self._end_turn(gate, now)
            return 0
        if had_turn:
            gate.put_first(entrant, host)
        else:
            gate.put_last(entrant, host)
        return self._advance(gate, now)

    cpdef int leave(self, str address, double now) except -1:
        """End the turn of a host that has sent no request."""
        return self._end_turn(self._gate_of(address), now)

    cpdef bint claim(self, str address, double now) except -1:
        """Make sure, right before a request, that there is a place and no other process asks."""
        cdef Gate gate = self._gate_of(address)
        cdef double seconds
        if gate.standing != PROVEN and not self._take_place(gate, now):
            return False
        if self._slots is None:
            return True
        seconds = self._slots.take(address, self._ip_delay_seconds)
        if seconds:
            gate.free_at = now + max(seconds, 0.001)
        return seconds == 0

    cpdef int queue_again(
        self, str address, Entrant entrant, Py_ssize_t host, double now
    ) except -1:
        """Put a host whose claim failed back to the head of the queue."""
        cdef Gate gate = self._gate_of(address)
        gate.put_first(entrant, host)
        return self._end_turn(gate, now)

    cpdef int asked(self, str address, double now, bint keeps=False) except -1:
        """Say that the answer is in: the address's pause begins.

        With `keeps` its slot may stay ours: the caller sends requests, then lets others in.
        """
        cdef Gate gate = self._gate_of(address)
        cdef double pause = self._ip_delay_seconds
        if self._machines_at is not None:
            pause *= self._machines_at(address)
        if self._slots is not None:
            self._slots.let_go(address, pause, keeps)
        if gate.standing == PROVEN:
            if gate.number == self._latest:  # it stands at the end already
                self._lively[gate.number] = now
            else:
                self._note_lively(gate, now)
        gate.free_at = now + pause
        return self._end_turn(gate, now)

    def handshake_seconds(self, str address):
        """Return the time limit for TCP's handshake with an address; 0 is the job's own."""
        return HANDSHAKE_SECONDS if self._gate_of(address).standing == NEW else 0.0

    def missed(self, str address):
        """Note that the short handshake with an address failed."""
        self._gate_of(address).standing = MISSED

    def heard(self, str address, double now, *, bint has_answered):
        """Note whether anything has come from an address; its place is free, its turn goes on."""
        cdef Gate gate = self._gate_of(address)
        if has_answered:
            gate.standing = PROVEN
            self._note_lively(gate, now)
        elif gate.standing == PROVEN:
            gate.standing = NEW
            self._lively.pop(gate.number, None)
        self._give_place_up(gate, now)

    cpdef int done(self, str address, double now) except -1:
        """Note that a host of an address has nothing left to fetch: it needs no connection."""
        cdef Gate gate = self._gate_of(address)
        if not gate.queue and not gate.is_taken and self._lively.pop(gate.number, None) is not None:
            self._give_place_up(gate, now)
        return 0

    def served(self):
        """Return all addresses that were asked, or are about to be."""
        return list(self._gates)

    def owed(self, double now):
        """Return the addresses that must rest, and for how many seconds more."""
        cdef Gate gate
        owed = {}
        for address, gate in self._gates.items():
            if gate.is_taken:
                owed[address] = self._ip_delay_seconds
            elif gate.free_at > now:
                owed[address] = gate.free_at - now
        return owed

    def rest(self, str address, double until):
        """Let nobody through to an address before this moment: others have just asked it."""
        cdef Gate gate = self._gates.get(address)
        if gate is None:
            gate = self._new_gate(address, NEW)
        gate.free_at = max(gate.free_at, until)

    def rest_all(self, double until):
        """Let nobody through to any address before this moment."""
        cdef Gate gate
        self._shut_until = max(self._shut_until, until)
        for gate in self._by_number:
            gate.free_at = max(gate.free_at, until)

    cdef Gate _gate_of(self, str address):
        """Return the gate of an address that a host has entered."""
        return self._gates[address]

    cdef Gate _new_gate(self, str address, int standing):
        """Make the gate of an address."""
        cdef Gate gate = Gate.__new__(Gate)
        gate.number = len(self._by_number)
        gate.free_at = self._shut_until
        gate.standing = standing
        self._gates[address] = gate
        self._by_number.append(gate)
        return gate

    cdef int _advance(self, Gate gate, double now) except -1:
        """Let the next host through, or note when that will be possible."""
        cdef Entrant entrant
        cdef Py_ssize_t host
        while gate.queue and not gate.is_taken and not gate.is_crowding:
            if gate.free_at > now:
                if not gate.noted:
                    gate.noted = True
                    self._agenda.note(gate.free_at, self._when_free, gate.number)
                return 0
            entrant, host = gate.take_first()
            gate.is_taken = True
            if not entrant.let_through(host, now):
                gate.is_taken = False
            elif gate.queue:
                entrant, host = gate.queue[0]
                entrant.comes_next(host, now)
        return 0

    cdef int _end_turn(self, Gate gate, double now) except -1:
        """Let others go on after a host's turn; the gate itself comes after those in the crowd."""
        gate.is_taken = False
        if self.newcomers:
            self._give_place_up(gate, now)
        if gate.queue:
            self._advance(gate, now)
        return 0

    # -- places for newcomers -------------------------------------------------------------

    cdef bint _take_place(self, Gate gate, double now) except -1:
        """Give a gate that is not proven a place; without one it waits in the crowd."""
        if gate.number in self.newcomers:  # it comes out of the crowd
            return True
        if len(self.newcomers) < self._places(now):
            self.newcomers.add(gate.number)
            return True
        gate.is_crowding = True
        self._crowd.append(gate)
        return False

    cdef Py_ssize_t _places(self, double now) except -1:
        """Return how many connections newcomers may hold.

        At least one, also where the worker may send nothing for now: its end admits the others.
        """
        cdef Py_ssize_t connections = self._connections()
        cdef dict lively = self._lively
        while lively:
            first = next(iter(lively))
            if now - lively[first] < LIVELY_SECONDS:
                break
            del lively[first]
        return max(connections - min(connections // 2, len(lively)), 1)

    cdef int _note_lively(self, Gate gate, double now) except -1:
        self._latest = gate.number
        self._lively.pop(gate.number, None)
        self._lively[gate.number] = now
        if len(self._lively) > MOST_LIVELY:
            del self._lively[next(iter(self._lively))]
        return 0

    cdef int _give_place_up(self, Gate gate, double now) except -1:
        """Free the place of a gate, if it has one, and let gates of the crowd have theirs."""
        cdef Gate first
        self.newcomers.discard(gate.number)
        if self._is_admitting:  # the loop below goes on by itself
            return 0
        self._is_admitting = True
        while self._crowd and len(self.newcomers) < self._places(now):
            first = self._crowd.popleft()
            first.is_crowding = False
            self.newcomers.add(first.number)
            self._advance(first, now)
            if not first.is_taken:  # it has nothing left to fetch, or must look its address up
                self.newcomers.discard(first.number)
        self._is_admitting = False
        return 0

    def _on_free(self, Py_ssize_t number, double now):
        cdef Gate gate = self._by_number[number]
        gate.noted = False
        self._advance(gate, now)
