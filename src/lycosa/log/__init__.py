"""The log: the only thing a crawl must not lose.

The URL space is cut into partitions. Each has one *log*, to which only its owner
appends, and one *inbox*, to which anybody may post discovered URLs. What a partition
is at any moment (its URLs, hosts, robots rules, counts) is the fold of its log and
nothing else, so whoever can read the log can be its owner.

    format      events and inbox entries as versioned bytes
    protocol    what a log must do, and who may write
    sqlite      the log of one machine: a single SQLite file
    memory      the log of a simulation, with the loose guarantees of a cluster
    fold        bringing a state up to date
    snapshot    shortcuts for the fold, one partition at a time
    archive     where batches go that a snapshot has made superfluous

Always true:
  * a batch is appended only if its writer knew the batch before it: a replaced owner
    cannot write;
  * links reach their inboxes no later than the events that say they were found;
  * a batch is removed from the log only when it is in the archive *and* in a snapshot.
"""
