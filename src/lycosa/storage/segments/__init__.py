"""Segments: a crawl's archive is written in pieces, each begun, sealed and removed as a whole.

A segment is open while its process writes to it: a WARC file and journals of rows. When it is full,
or its process has ended, it is surveyed (which exchanges count and are whole?) and sealed.

    segment  an open segment: its WARC file and its journals of rows
    ends     how far its journals reached at the last commit
    survey   finds out which exchanges of an open segment count and are whole
    sealing  turns a complete segment into Parquet, CDXJ and digests
    digests  SHA-256 of the sealed files, and the positions of the log at sealing
    flushes  checksums of the rows of an open segment
    leaning  revisits whose payload goes: they get it before
    removal  removes all that came from one host, or single exchanges
"""
