"""Answers questions about a crawl from indexes of its own: SPARQL over triples, and full text.

The segments of a crawl hold the quads of every page, fetch by fetch
(`lycosa.storage.tables.quads`). To get the present state, a reader must know which fetch of a page
is the newest: `changes` reads segments in any order, and a `ledger` remembers the fetch that each
page's graph came from. Two readers do so: `index` builds a triple store of our own, and `export`
sends graphs to another store. Both can be stopped or killed at any moment and continue where they
were.

    index           builds and updates the triple store in `index/triples/`
    generations     finds the current version of an index, and holds it while it is read
    generation_build  makes the next version, and puts it in place
    triple_store    opens the current version of the triple store
    sparql          checks, runs and formats one SPARQL query
    sparql_mistakes  explains the fault of a query in words
    formats         the output formats, and the choice of a client
    answer_pool     a pool of processes without network that answer queries
    answer_process  the program that runs in such a process
    answering       starts such a process: bounded, and without network
    protocol        the messages between the pool and its processes
    changes         finds the newest fetch of each page in new segments
    ledger          records which segments and fetches were already processed
    export          sends graphs to another triple store over HTTP

A crawl neither needs this package nor waits for it. Its files can be deleted and rebuilt from the
segments.
"""
