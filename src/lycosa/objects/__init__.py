"""Objects: content of a crawl in a place that all machines reach, a folder or an S3 store.

protocol    what a store of objects can do
manifests   which objects a segment has, or that it is lost
"""
