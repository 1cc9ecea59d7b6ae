"""Clean up after a killed process: seal its segments, and find records that were lost.

A kill loses only what was not committed. A crash of the whole machine may also cut off bytes that
the log already refers to; those records are given up, and their pages are fetched again.

    behind        notices a log that has lost its end
    counting      when a segment may be sealed, and which of its records count
    fencing       takes partitions from lives that are dead, so that it may be
    leftovers     seals the segments that dead processes have left open
    lost_records  gives up records that the log refers to and that are gone
    lost_machines  gives up a machine of a cluster, with what it had not uploaded
"""
