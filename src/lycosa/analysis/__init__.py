"""Questions about a crawl that was made or is under way: figures, reports, search, SPARQL, topics.

All of it reads tables and logs, and writes only to `index/` and `report/`. No crawl needs it.

    charts       figures of the report as SVG
    checks       faults of a site: links, redirects, sitemap, titles and so on
    comparison   differences between two crawls, or two moments of one
    documents    the text of PDF and office files
    exports      tables and graphs as files for other programs
    page_list    lists the URLs of a crawl for people, one row each
    report       a crawl as one self-contained HTML document, for screen and paper
    sections     the sections of the report, chapter by chapter
    statistics   the tables of a study: ranks, counts, languages, vocabularies, duplicates
    study        statistics of a crawl (ranks, sites, languages, counts), from its tables
    text_index   the full text index: builds it, and brings it up to date
    text_search  full text search: parses a question, finds, ranks, shows passages
    topics       a user's topics, and models that are made of them, judged and used
    triples      indexes and processes that answer SPARQL over a crawl's triples
"""
