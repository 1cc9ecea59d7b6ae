"""Questions to what a crawl has found: triples that answer SPARQL.

The segments of a crawl hold what pages say, fetch by fetch (`lycosa.store.quads`). Whoever wants
the present state of it must know which fetch of a page was the last: `changes` reads segments in
any order, and a `ledger` remembers from when the graph of every page is. Two do so: `index`
builds a triple store that `asking` puts questions to, and `export` hands graphs on to the store
of somebody else. Both can be stopped or killed at any moment and go on where they were.

Nothing here is needed for crawling, and a crawl never waits for it. All of it can be thrown away
and made again from the segments.
"""
