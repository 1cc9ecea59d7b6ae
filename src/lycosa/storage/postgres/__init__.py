"""The log of a crawl in a PostgreSQL server that its users already run.

    log          the log itself: one schema a crawl, one function call a commit
    schema       the tables and functions of a crawl
    connection   a connection that is restored, its failures, and crawls on a server
    trust        checks at joining: version, role, durability, a contest of writes
    news         a thread that is notified of new messages

The numbers of inbox entries come from the locked row of the partition's head, never from a
SEQUENCE. The numbers of a SEQUENCE are assigned outside transactions, so a reader could pass an
entry that is not visible yet.
"""
