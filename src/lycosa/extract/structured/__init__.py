"""Structured data: RDFa, JSON-LD, Microdata and meta elements, as triples.

distiller   runs the readers that a page needs, filters and bounds what they find
rdfa        RDFa 1.1
jsonld      JSON-LD 1.1 in script elements
contexts    the JSON-LD contexts that pages refer to by address
microdata   Microdata
meta        Open Graph, Twitter cards and Dublin Core
meta_names  a quick look whether a page has any of these
tags        single tags of a page, found without building a tree
ntriples    how IRIs and literals are written as N-Triples
counts      what is counted about structured data, and the names of the counts
"""
