"""The log of a crawl in a PostgreSQL server that its users already run.

    log          the log itself: one schema a crawl, one function call a commit
    schema       the tables and functions of a crawl
    connection   a connection that comes back, and which failures mean "wait and try again"
    open_to_all  looks how the server has let us in
    listing      lists the crawls of a database
    trust        what is checked at joining: version, role, durability, a contest of writes
    news         a thread that hears of new messages

The numbers of inbox entries come from the locked row of the partition's head, never from a
SEQUENCE: those are handed out outside transactions, so a reader could pass an entry that is not
yet visible.
"""
