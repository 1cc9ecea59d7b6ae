"""The application over crawls: pages for people, a REST interface for programs, SPARQL.

A page is a shell without data; its script fetches JSON with the token. Slow
reads happen in other processes (`lycosa.web.reading`, `lycosa.analysis.triples.answer_pool`), so
this one stays small. A crawl that runs is read from its `live.json`, and pays nothing for being
looked at; orders go into its log.

    app         routes: pages, REST, SPARQL, static files, health
    security    checks every request: host, origin, site, token
    clients     tells clients on this machine from others, and limits the others
    rest        the operations
    events      the frames of a crawl as a stream of events
    served      the crawls that are served, and their frames
    shared      the frames of a crawl whose log is in a server
    shell       the pages
    starting    starts crawls and reports as processes of their own
    running     makes the server with its token and address; when one beside a crawl ends
    beside       starts a server beside a crawl
    connections  limits the open connections, and drops the slowest when there are too many
    listening    the server under pages, REST, SPARQL and replay: uvicorn with deadlines
    reading      reads crawl directories for it, in processes of their own
    replay       replay: the archived pages of a crawl in a browser, in an origin of their own
"""
