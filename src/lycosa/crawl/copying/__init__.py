"""Copies content of a crawl to a store that all machines reach, and back into a directory.

    family      the files of a sealed segment, and their manifest
    sent        remembers which segments are in the store
    uploader    copies sealed segments to the store, in a thread beside the crawl
    uploads     the uploads of one run: begun with it, waited for at its end
    fetching    copies a crawl from a store into a directory
    missing     segments that the store does not have, by machine
    open_parts  copies what open segments have gained, before each commit
    rescue      seals the open segments of a machine that is lost

Always true:
  * a segment whose manifest stands has all its files in the store, byte for byte;
  * a segment is copied once: who finds its manifest copies nothing, and one that was given up
    meanwhile does not come back;
  * a store that fails, for however long, loses nothing and stops no crawl.
"""
