"""Readiness: which hosts of a partition may be asked now, and when the others will be.

A host sleeps while its pause runs, then waits for its address and for its turn there, then is awake
until one of its URLs is chosen. One address answers one request at a time, for all host names
behind it and for all processes of the machine.

    hosts      the phases of a partition's hosts: waiting, queued, awake, taken
    sites      their sites: awake in the scheduler, or wanting a robots file
    phases     the names of the phases, and what readiness uses of its worker
    turns      the same for hosts that several partitions share: only with their baton
    firsts     what hosts are asked for before what the scheduler chooses
    addresses  one request at a time per address, for all hosts behind it
    slots      the same between the processes of one machine
    agenda     things that are due at a moment
    boxes      those that are not due soon, in few bytes

All but firsts, turns, slots, phases and boxes are compiled, because each page goes through them
several times (docs/decisions/0114-the-way-of-a-page-is-compiled.md); `tests/plain_readiness.py` and
`tests/plain_addresses.py` say in plain Python what they have to do.
"""
