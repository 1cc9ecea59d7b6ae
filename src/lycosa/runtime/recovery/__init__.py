"""Cleans up after a killed process: seals its segments, and finds records that were lost.

A kill loses only uncommitted work. A crash of the whole machine may also cut off bytes that the log
already refers to. The lost records are given up, and their pages are fetched again.

    behind        notices a log that has lost its end
    counting      decides when a segment may be sealed, and which of its records count
    fencing       takes partitions from dead lives, so that their segments may be sealed
    leftovers     seals the segments that dead processes have left open
    lost_records  gives up missing records that the log refers to
    lost_machines  gives up a machine of a cluster, with the segments that it had not uploaded
    epochs        goes on with a log in a server that was restored from an older copy
    catching_up   enters the segments' content in a log that has lost its end
"""
