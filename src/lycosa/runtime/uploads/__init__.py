"""Copies content of a crawl to a store that all machines reach, and back into a directory.

    family      files of a sealed segment, and their manifest
    sent        remembers which segments are in the store, and lists those that it lacks
    uploader    copies sealed segments to the store, in a thread of its own
    uploads     the uploads of one run: begun with it, waited for at its end
    open_parts  copies the new bytes of open segments, before each commit

Always true:
  * a segment whose manifest exists has all its files in the store, byte for byte;
  * a segment is copied once: a process that finds its manifest copies nothing, and a segment that
    was given up in the meantime does not come back;
  * a store that fails, for any time, loses nothing and stops no crawl.
"""
