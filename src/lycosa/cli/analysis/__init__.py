"""Commands that compute something about a crawl: tables, reports, faults, differences.

study       `study`, `sql`: compute tables about a crawl, and query them
report      `report`: write an HTML report about a crawl
check_site  `check-site`: find what is broken on a site that was crawled
compare     `compare`: show what differs between two crawls, or two moments of one
"""
