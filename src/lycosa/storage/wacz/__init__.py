"""A crawl as one WACZ file for replay (Web Archive Collection Zipped, version 1.1.1).

    layout   a ZIP archive of stored files as a list of pieces
    parts    the files of the archive: WARC files, merged index, list of pages, their digests
    virtual  the archive as bytes by range, read from the segments in place
    export   writes the archive to a file

Always true:
  * the archive is a function of the sealed segments: it is the same each time, byte for byte;
  * nothing is compressed twice, and no local header has a ZIP64 field: ReplayWeb.page would read
    20 bytes off.
"""
