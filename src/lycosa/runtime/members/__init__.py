"""A worker that shares its crawl with other machines.

A worker process of a cluster begins an incarnation (a *life*): it joins, takes partitions, crawls
them and hands some over to other members. After a separation so long that others may have taken its
partitions, it drops everything and begins another life. Each life has a worker of its own; only the
archive's files stay.

    process     a process with its threads, and the real servers
    crew        several members on one machine, under one supervisor process
    crew_member  one of them: a process that reports its progress to its supervisor
    lives       the lives of a process, until the crawl is done or the operator stops it
    member      one life: takes and releases partitions as all members agree
    taking      folds partitions and takes them, if log and coordination store permit it
    last_life   the number of the directory's last life, in a file
    telling     the record that a member writes of itself on the board
    adopting    follows the operator's orders, over all lives of a process
    limits      the worker's share of the job's limits, from the ledger on the board
    chair       work of the leader (owner of partition 0): finds the end, ends patience
    notes       lasting facts that members share: runs, ends, patience

Always true:
  * no request begins without a lease (tenure), and none is in flight half a second after its end;
  * a partition is taken only if the log has no owner for it, or if the owner's life is over;
  * a page is kept only in a partition that the ledger knows to be ours, if the job has limits;
  * the end is noted in the log on condition that no log and no inbox has moved since all
    partitions were idle.
"""
