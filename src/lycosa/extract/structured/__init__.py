"""Structured data of pages: RDFa, JSON-LD, Microdata and meta elements, as triples.

The scan of a page notes which forms it holds. The distiller runs a reader for each form that the
job wants, joins their triples to one set, and drops those that the job's filter names. No reader
fetches anything, and none raises on a broken page.

    distiller   runs the readers that a page needs, filters and bounds the triples
    jsonld      JSON-LD 1.1 in script elements
    context_work  predicts the work that JSON-LD contexts make
    contexts    the well-known JSON-LD contexts
    microdata   Microdata
    meta        Open Graph, Twitter cards and Dublin Core
    meta_names  a quick test whether a page has any of these
    tags        finds single tags of a page without building a tree
    ntriples    writes IRIs and literals as N-Triples
    budget      how much a reader may write for a page of some size
    counts      the names of the counters about structured data
"""
