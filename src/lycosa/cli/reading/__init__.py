"""Commands that read a crawl: its state, its pages, its texts and its structured data.

inspect  `status`, `queue`, `explain`, `audit`: read a crawl
content  `cat`: print what is stored of a URL
verify   `verify`: check a crawl's files against each other, and repair them
search   `index`, `search`: build a crawl's indexes, search its full text
shell    `shell`: a Python prompt with a page, to try selectors on
query    `sparql`, `triples`: query a crawl's structured data
    prometheus  the figures of a crawl for Prometheus
"""
