"""Everything durable: the log of events, the archive of answers, tables, copies elsewhere.

A write that was reported as durable survives the death of the process.

    archive    the archive of a crawl, written segment by segment
    jetstream  the log in a cluster of NATS servers
    log        the log of events, its contract, and the log of one machine (SQLite)
    objects    a place that all machines reach: a folder or an S3 store
    postgres   the log in a PostgreSQL server
    segments   the pieces of an archive: begun, surveyed, sealed, removed
    tables     rows in Arrow columns, and triples as N-Quads
    wacz       a crawl as one file that players read, written or only offered
    warc       WARC records: format, compression, index, reading
"""
