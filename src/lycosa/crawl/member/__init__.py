"""A worker that shares its crawl with other machines.

A worker process of a cluster begins a *life*: it joins, takes partitions, crawls them, hands some
over to others. If it was cut off for so long that others may have taken them, it drops everything
and begins another life. Each life has a worker of its own; only the archive's files stay.

    process     a process with its threads, and the real servers
    crew        several members on one machine, under one supervisor
    crew_member  one of them: a process that tells its supervisor how it gets on
    lives       one life after the other, until the crawl is done or the operator stops it
    member      one life: takes and releases partitions as all members agree on
    taking      folds partitions and takes them, if the log and the board permit it
    telling     what a member says of itself on the board
    adopting    adopts what the operator changes while the crawl runs
    limits      the worker's part of the job's limits, from the ledger on the board
    shared_end  tells the others of idle partitions, and the worker of the end
    chair       what the owner of partition 0 does for all: finds the end, ends patience
    notes       what members tell each other for good: runs, ends, patience

Always true:
  * no request begins without tenure, and none is under way half a second after its end;
  * a partition is taken only if the log has no owner for it, or one whose life is over;
  * a page is kept only in a partition that the ledger knows to be ours, if the job has limits;
  * the end is noted in the log on condition that no log and no inbox has moved since all
    partitions were idle.
"""
