"""Who is a member of the cluster, and until when it may send requests.

A worker process that joins begins a *life*: it gets a number that is never used again, and puts
its record on the board. It renews the record every 5 s. While the last renewal is recent it has
*tenure* and may begin requests; without, it may not, whatever else it believes. The others watch
the record's revision. When it has not moved for long enough, one of them replaces the record by a
*tombstone*. Now the life is over: its next renewal is refused, and others may take its partitions.

    record   what a member says of itself, and tombstones
    tenure   the arithmetic of tenure, on one machine's own clock
    silence  how long the record of another member has not moved
    offsets  how far this machine's wall clock is from the server's
    watch    the records of the others, as one member sees them
    joining  what all members must have in common
    calls    calls to the board, as values
    life     the state machine of one life: answers of the board in, calls and verdicts out
    session  the driver: two threads that make the calls
    graves   ends lives whose processes are known to be dead; removes old tombstones

Always true, if the rates of two machines' clocks differ by less than 3 %:
  * between the last request that a life begins and the first moment at which its tombstone can
    stand on the board there is a second;
  * no wall clock and no two clocks are compared for that; only durations are.

What remains: a process, or a whole virtual machine, that is stopped between looking at its tenure
and sending may send one late request. Why so: decision 52.
"""
