"""The store: what was seen, kept in segments.

A worker appends every page it keeps to one open segment (`journal`) and hands the place of
the record to the log. The bytes are flushed before the event that names the place is
written, so the log never points into nothing. What a killed process left behind without an
event counts for nothing, and the next run begins a segment of its own.

Always true:
  * a segment is only ever written by the process that began it;
  * a place that the log names can be read for as long as the segment exists;
  * a damaged record is an error that says where, never a wrong page.
"""
