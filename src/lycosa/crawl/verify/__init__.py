"""`lycosa verify`: is everything there that the log says, and is it what it was?

    logview     the log as its files are, read without writing a byte
    segments    one segment: records, rows, index and quads held against each other and the log
    verifying   all of it, as a report of findings
    reindexing  rows, index and quads made anew from records
    logs        a log put together from what can be read of it
    adopting    pages that the segments hold and the log does not know
    repairing   what `--repair` does about a report

Always true:
  * verifying writes nothing, and needs no lock;
  * a repair moves damaged bytes to `damaged/` and deletes none;
  * a repair that was killed is completed by the next one: what is given up is written to the log
    before any file is changed.
"""
