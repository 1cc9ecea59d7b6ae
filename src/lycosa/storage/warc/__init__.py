"""WARC files: exchanges with servers as records, written, indexed and read again.

An exchange is written as three records: the request, the response (or a revisit, when the same
payload is in the archive already), and metadata with its outcome and links. Each record is a gzip
member of its own, so that a place (file, offset, length) is enough to read it.

    warc_format    the WARC 1.1 record format
    _records       writes the records of an exchange (compiled)
    exchange       takes the records of an exchange apart
    payload_index  where payloads stand, on the disk, for all workers of a crawl directory
    _slots         looks up and enters places in that index (compiled)
    _cdx_lines      lines of that index; compiled
    _packing       compresses and hashes the bytes of a record (compiled)
    stored_blocks  gzip members of content that does not shrink
    cdx            the CDXJ index of the records
    record_reader  reads records and exchanges by their place
    record_scan    reads a WARC file from end to end, past damage
    http_messages  takes a stored HTTP answer apart
"""
