"""The store: what was seen, kept in segments.

A worker hands every exchange with a server to the store and the place of its record to the
log. The bytes are flushed before the event that names the place is written, so the log never
points into nothing. What a killed process left behind without an event counts for nothing, and
the next run begins a segment of its own.

`archive` writes a crawl directory: WARC records (`exchange`, `warc`), rows (`rows`) and quads
(`quads`) into the open segment (`segment`, `files`). `sealing` turns a segment that is complete
into Parquet and CDXJ (`cdx`), and drops what does not count. `reading` and `members` read both
kinds. `journal` is the small store of the simulations, which keep no archive: one file of frames
(`frames`).

Always true:
  * a segment is only ever written by the process that began it;
  * a place that the log names can be read for as long as the segment exists;
  * a damaged record is an error that says where, never a wrong page.
"""
