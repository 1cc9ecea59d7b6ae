"""Moves the log of a crawl from a file to a server, back, or between servers.

    moving          the steps of a move, and what a repeated one has left to do
    new_log         the log that a move fills, in a server or in a file
    other_machines  what a command that changes a log in a server owes to other machines

Always true:
  * a log that can be joined is whole: its job is noted last;
  * of two logs of a crawl one at most can be written to.
"""
