"""Stores the events of each partition: the only data that a crawl must not lose.

The URL space is divided into partitions. Each has one *log*, to which only its owner appends, and
one *inbox*, to which any worker may post discovered URLs. The state of a partition (its URLs,
hosts, robots rules, counts) is the fold of its log and nothing else. Any process that can read the
log can therefore take the partition over.

    protocol      the contract of a log, and its records
    opening       opens the log that an address names
    sqlite        the log of one machine: a single SQLite file
    sqlite_files  opens SQLite files, and explains their errors
    told_segments  segments in the log's file: ends of open tables, names of sealed ones
    file_systems  refuses network file systems, where its locks do not hold
    open_servers  warns of a server that is open to everybody
    last_write    notices that a log on a server has gone back
    memory        the log of a simulation, with no more guarantees than a server gives
    ownership     a shared counter that makes checking a partition's owner cheap
    format        encodes events and inbox messages as versioned bytes
    fold          brings a state up to date with its log
    snapshot      saves a partition's state, to shorten the replay of a resume
    archive       compressed files for the batches that a snapshot covers, read with the log as one
    places        lists the archived records that the log refers to

Always true:
  * a batch is appended only if its writer knew the batch before it: a replaced owner cannot write;
  * links reach their inboxes together with the events that record their discovery, or neither does;
  * a batch is removed from the log only when it is in the archive *and* in a snapshot.
"""
