"""The commands, by what they do to a crawl.

crawl    `crawl`, `resume`: run one
inspect  `status`, `explain`, `cat`, `audit`: read one
edit     `add`, `retry`, `block`: change one that is at rest
verify   `verify`: hold its files against each other, and mend them
study    `study`, `sql`: compute and ask
report   `report`: make a document of it
query    `index`, `sparql`, `triples`, `serve`: ask its structured data
export   `export`: hand tables, graphs and triples to other programs
check    `check`: one URL, robots file, page or scope decision, without a crawl
tools    `config`, `testweb`, `completion`: need no crawl
"""
