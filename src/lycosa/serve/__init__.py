"""Offers crawls over HTTP: pages, a REST interface, a SPARQL 1.1 endpoint, and replay.

There is one web server, Starlette on uvicorn under deadlines (extra `serve`).

    web             pages, REST and SPARQL, and who may ask
    records         the answers of the REST interface
    reading         reads crawl directories for it, in processes of their own
    beside          starts a server beside a crawl
    listening       the server under pages, REST, SPARQL and replay: uvicorn with deadlines
    connections     limits the open connections, and drops the slowest when there are too many
    replay          the pages of a crawl in a browser, in an origin of its own
    replay_worker   the service worker that keeps archived pages from asking other servers
    replay_first    the first script of archived pages, which removes WebRTC
    replay_browser  starts a browser that reaches the replay server alone

`query.answer_pool` answers the queries, in processes that have no network and are killed when
they take too long.
"""
