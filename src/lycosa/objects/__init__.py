"""Objects: content of a crawl in a place that all machines reach, a folder or an S3 store.

protocol    what a store of objects can do
opening     opens the store that a URL names
folder      a store in a folder, on a disk or on a file system that machines share
"""
