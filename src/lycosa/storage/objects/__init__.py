"""Objects: content of a crawl in a place that all machines reach, a folder or an S3 store.

    protocol    the interface of a store of objects
    manifests   the objects of a segment, or the note that it is lost
    opening     opens the store that a URL names
    folder      a store in a folder, on a disk or on a file system that machines share
    s3          a store in a bucket of an S3 service

The objects of a crawl lie below `PLACE/NAME/`, in the layout of a crawl directory.
"""
