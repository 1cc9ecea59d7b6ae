"""The interface for Python programs: `from lycosa import ...`.

A program runs a crawl (`run`, or `run_async` beside an asyncio loop), and reads any crawl
directory as typed rows (`Crawl`), even while a crawl is writing to it. Everything is read lazily,
a few thousand rows at a time. `lycosa/__init__` names what is public and imports it on first use.

    run          runs a crawl from a program, blocking or beside an asyncio event loop
    notebook     runs a crawl in a cell of a notebook, with a progress bar
    crawl        reads a crawl directory: pages, links, texts, WARC records, SPARQL
    rows         the records that reading returns: `Page`, `Link`, `Text`
    screenshots  reads pictures of rendered pages, and writes them as files
    segments     reads tables segment by segment while a crawl writes and seals them
"""
