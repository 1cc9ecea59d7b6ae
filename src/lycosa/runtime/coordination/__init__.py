"""The coordination store (board): a few small values that all machines see and change in turn.

Members, limits, settings and the newest log lines stand on it, each under a key with a revision. A
value is changed by compare-and-swap: the writer names the revision that it has read, and if another
writer was faster, nothing is written. Two machines that decide at the same time therefore cannot
both succeed, and no lock has to be returned by a machine that has died.

    protocol  the interface, and the possible answers
    opening   opens the board beside the log that an address names
    keys      the keys of a board
    changes   change one value, through any failures
    memory    the board of tests and simulations: a server in this process, and an unreliable
    connection to it
    postgres  a table in PostgreSQL
    nats_kv   a key-value bucket of NATS JetStream

The contract (`tests/contract/test_boards.py` runs it over every board):
  * `put` and `delete` happen as a whole or not at all, and only if the key has the expected
    revision; revisions of one key grow, also over its deletion, and are never used again;
  * an answer may be lost although the write happened, or will still happen: the caller learns that
    it is *undecided*, and may try again, because only one of two tries can succeed;
  * reads may be stale, by seconds; they never show a value that was not written;
  * values do not expire: a server would measure the time by its own wall clock.
"""
