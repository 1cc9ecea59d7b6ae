"""The walk over a document's markup in pure Python, to read and to test the compiled one against.

walk      the steps of RDFa Core 1.1, one tag after the other
tokens    cuts the markup into tags and text
elements  the state of open elements
terms     resolves terms, CURIEs and IRIs
"""
