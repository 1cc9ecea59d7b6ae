"""The store: the archive of a crawl, written segment by segment.

A worker hands every exchange with a server to the store, and the place of the stored record to the
log. The bytes are flushed before the event that names the place is written, so the log never
points into nothing. Records that a killed process left without an event do not count, and the next
run begins a segment of its own.

    archive     writes exchanges into the open segment: the store of a crawl
    _appending  the usual way of an exchange into it; compiled
    duplicates  finds the record that has the payload of an answer already
    uploaded    reads records that machines have uploaded to the store of objects
    uploaded_tables  reads the tables that they have uploaded
    reader      reads rows, exchanges and single pages of a crawl
    files       files that are only appended to
    layout      names of the files in a crawl directory
    index_lists  which files of `index/` have digests
    lock        one process at a time, by a lock file
    quarantine  moves damaged files to `damaged/`
    journal     the small store of simulations: one file of pages and links
    frames      the record format of that file

Always true:
  * a segment is only ever written by the process that began it;
  * a place that the log names can be read for as long as the segment exists;
  * a damaged record is an error that says where, never a wrong page.
"""
