"""What a crawl says about the web it has seen: ranks, sites, counts, at any time.

    tables          the rows of a crawl directory as tables of DuckDB, sealed and open alike
    derived         what is made of a segment once and kept beside the study, as these three are:
    heads           what the heads of answers say that no row has: server, last change, redirects
    tongues         in which languages texts are; `detector` tells
    vocabularies    what quads say, by vocabulary, class and property
    ranking         PageRank, HITS, degrees and bow tie, over pages and over sites
    counting        what a query answers: one small table for each question
    languages       the languages of pages, by markup and by text; `language_codes` names them
    alike           pages that say the same, and nearly the same
    results         where the study stands: `index/study/`, whole or not at all
    studying        all of it, one step after the other
    querying        SQL over everything, which can change nothing
    exporting       tables and graphs as files for other programs

A study reads what is there when it begins, also while the crawl runs, and writes nothing but
`index/study/`, which can be thrown away and built again.

Needs the packages of the extra `study`; `extras` says so when they are missing.
"""
