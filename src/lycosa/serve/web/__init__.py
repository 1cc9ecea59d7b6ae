"""The application over crawls: pages for people, a REST interface for programs, SPARQL.

A page is a shell without data; its script fetches JSON with the token. Slow
reads happen in other processes (`lycosa.serve.reading`, `lycosa.query.answer_pool`), so this one
stays small. A crawl that runs is read from its `live.json`, and pays nothing for being looked at;
orders go into its log.

    app         routes: pages, REST, SPARQL, static files, health
    security    checks every request: host, origin, site, token
    clients     tells clients on this machine from others, and limits the others
    operations  the input and output of operations of the REST interface
    openapi     the OpenAPI document, made from the operations
    api         the operations
    events      the frames of a crawl as a stream of events
    served      the crawls that are served, and their frames
    shared      the frames of a crawl whose log is in a server
    sparql      the endpoint of SPARQL 1.1
    shell       the pages
    starting    starts crawls and reports as processes of their own
    running     makes the server with its token and address; when one beside a crawl ends
    problems    errors as JSON, also those of answering processes
    extras      says what to install
"""
