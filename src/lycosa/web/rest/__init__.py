"""The operations of the REST interface, `/api/v1`.

listing    the crawls: list, show, create, start; preview of a scope
orders     pause, resume, stop, limits, rules, seeds, retry, block
progress   the frame of a crawl now, and the members of a cluster
tables     rows of pages, links and hosts
addresses  a URL: explanation, captures
questions  search, SQL, SPARQL
documents  audit, checks, report, log file
    page_list   the list of URLs, one row each, and its numbers
    making      makes the list's copy, indexes and study in the background
    openapi     the OpenAPI document, made from the operations
    operations  the input and output of operations of the REST interface
    problems    errors as JSON, also those of answering processes
    records     the answers of the REST interface
    sparql      the endpoint of SPARQL 1.1
"""
