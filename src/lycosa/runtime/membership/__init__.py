"""Membership of the cluster, and the time for which a member may send requests.

A worker process that joins begins an incarnation (a *life*): it gets a number that is never used
again, and puts its record on the board. It renews the record every 5 s. While the last renewal is
recent it has a lease (*tenure*) and may begin requests. Without the lease it may not, whatever else
it believes. The other members watch the record's revision. When it has not changed for long enough,
one of them replaces the record by a *tombstone*. Then the life is over: its next renewal is
refused, and others may take its partitions.

    record   records of members, and tombstones
    tenure   the arithmetic of the lease, on one machine's own clock
    silence  the time for which another member's record has not changed
    offsets  the offset of this machine's wall clock from the server's
    watch    the records of the others, as one member sees them
    joining  the settings common to all members
    calls    calls to the board, as values
    life     the state machine of one life: answers of the board in, calls and verdicts out
    session  the driver: two threads that make the calls
    graves   ends lives whose processes are known to be dead; removes old tombstones

Always true, if the rates of two machines' clocks differ by less than 3 %:
  * between the last request that a life begins and the first moment at which its tombstone can
      stand on the board there is a second;
    * no wall clocks are used and no two clocks are compared for that, only durations.

One risk remains: a process, or a whole virtual machine, that is stopped between checking its lease
and sending may send one late request. Decision 52 gives the reasons.
"""
