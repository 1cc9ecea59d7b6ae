"""The whole house: pages for people and a REST interface for programs, over crawls.

Starlette on uvicorn. A page is a shell without data; its script fetches JSON with the token. What
takes long is read by other processes (`lycosa.serve.reading`, `lycosa.query.answer_pool`), so this
one stays small. A crawl that runs is read from its `live.json`, and pays nothing for being looked
at; orders go into its log.

    app         routes: pages, REST, SPARQL, static files, health
    security    checks every request: host, origin, site, token
    clients     which clients are on this machine, and what others may not name
    operations  what an operation of the REST interface takes and answers
    openapi     the OpenAPI document, made from the operations
    api         the operations
    events      the frames of a crawl as a stream of events
    served      the crawls that are served, and their frames
    shared      the frames of a crawl whose log is in a server
    limits      values that can be changed while a crawl runs
    sparql      the endpoint of SPARQL 1.1
    shell       the pages
    starting    starts crawls and reports as processes of their own
    running     runs the server; the token; a server beside a crawl
    replies     answers of other processes as answers of ours
    problems    errors as JSON
    extras      says what to install
"""
