"""The operations of the REST interface, `/api/v1`.

listing    the crawls: list, show, create, start; preview of a scope
orders     pause, resume, stop, limits, rules, seeds, retry, block
progress   the frame of a crawl now, and the members of a cluster
tables     rows of pages, links and hosts
addresses  a URL: explanation, captures
questions  search, SQL, SPARQL
documents  audit, checks, report, log file
"""
