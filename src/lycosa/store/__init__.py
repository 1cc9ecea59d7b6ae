"""The store: the archive of a crawl, written segment by segment.

A worker hands every exchange with a server to the store, and the place of the stored record to the
log. The bytes are flushed before the event that names the place is written, so the log never
points into nothing. Records that a killed process left without an event do not count, and the next
run begins a segment of its own.

    archive          writes exchanges into the open segment: the store of a crawl
    exchange         turns an exchange into WARC records: request, response or revisit, metadata
    warc             the WARC 1.1 record format
    _packing         compresses and hashes the bytes of a record (compiled)
    pure_packing     the same in pure Python, for the tests
    payloads         remembers recent payloads, so that equal bytes are stored once
    rows             the tables pages, links, text and hosts
    extra            columns that plugins add to pages
    quads            structured data of pages, as N-Quads
    segment          an open segment: its WARC file and its journals of rows
    files            files that are only appended to
    layout           names of the files in a crawl directory
    lock             one process at a time, by a lock file
    survey           finds out which exchanges of an open segment count and are whole
    sealing          turns a complete segment into Parquet, CDXJ and digests
    arrow_functions  Arrow functions that sealing needs, without the slow import
    cdx              the CDXJ index of the records
    digests          SHA-256 of the sealed files
    record_reader    reads records and exchanges by their place
    record_scan      reads a WARC file from end to end, past damage
    http_messages    takes a stored HTTP answer apart
    reader           reads rows, exchanges and single pages of a crawl
    link_ends        source and target of every stored link
    missing_tables   errors for tables that are missing or damaged
    quarantine       moves damaged files to `damaged/`
    removal          removes all that came from one host
    journal          the small store of simulations: one file of pages and links
    frames           the record format of that file

Always true:
  * a segment is only ever written by the process that began it;
  * a place that the log names can be read for as long as the segment exists;
  * a damaged record is an error that says where, never a wrong page.
"""
