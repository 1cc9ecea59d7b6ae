"""Offers crawls over HTTP: pages, a REST interface, and a SPARQL 1.1 endpoint.

    web             the web server: pages and REST, over Starlette (extra `serve`)
    records         the answers of the REST interface
    reading         reads crawl directories for it, in processes of their own
    beside          starts a server beside a crawl
    listening       the HTTP server under all of these: uvicorn with deadlines
    connections     limits the open connections, and drops the slowest when there are too many
    protocol        parses a request of the SPARQL protocol into a query or an error
    replay          the pages of a crawl in a browser, in an origin of its own
    replay_worker   the service worker that keeps archived pages from asking other servers
    replay_first    the first script of archived pages, which removes WebRTC
    replay_browser  starts a browser that reaches the replay server alone

`query.answer_pool` answers the queries, in processes that have no network and are killed when
they take too long.
"""
