"""What a crawl says about the web it has seen: ranks, sites, counts, at any time.

    tables     the rows of a crawl directory as tables of DuckDB, sealed and open segments alike
    heads      what the heads of answers say that no row has: server, last change, redirects
    ranking    PageRank, HITS, degrees and bow tie, over pages and over sites
    counting   the rest of the study: one small table for each question
    alike      pages that say the same, and nearly the same
    results    where the study stands: `index/study/`, whole or not at all
    studying   all of it, one step after the other
    querying   SQL over everything, which can change nothing
    exporting  tables and graphs as files for other programs

A study reads what is there when it begins, also while the crawl runs, and writes nothing but
`index/study/`, which can be thrown away and built again.

Needs the packages of the extra `study`; `extras` says so when they are missing.
"""
