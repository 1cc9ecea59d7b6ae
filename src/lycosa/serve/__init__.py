"""Offers the triples of a crawl to other programs, as a read-only SPARQL 1.1 endpoint over HTTP.

    server       the HTTP server: deadlines, size limits, responses
    protocol     parses a request into a query or an error
    connections  limits the open connections, and drops the slowest when there are too many

`query.answer_pool` answers the queries, in processes that have no network and are killed when
they take too long.
"""
