"""The study: statistics of a crawl (ranks, sites, languages, counts), from its tables.

A study reads the tables that are there when it begins, also while the crawl runs. It writes nothing
but `index/study/`, which can be deleted and built again. It needs the packages of the extra
`study`.

    build            runs a whole study, step by step
    tables           the rows of a crawl directory as DuckDB tables, sealed and open alike
    segment_cache    keeps what was computed from each sealed segment, for the next study
    heads            headers of answers: server, last change, redirects
    text_languages   the language of each text, by detection
    languages        the languages of pages, by markup and by text
    vocabularies     structured data by vocabulary, class and property
    ranks            PageRank, HITS, degrees and bow tie of pages and sites
    counts           small tables that one query each answers
    histograms       histograms of every number of pages and sites
    near_duplicates  pages with equal or nearly equal text
    results          the files of the study in `index/study/`
    sql              SQL over all tables, read-only
    export           tables and graphs as files for other programs
    withheld         what pages ask to be left out of exports
    graph_files      graphs of pages and sites as GraphML and GEXF
    csv_cells        CSV texts that no spreadsheet takes for formulas
    extras           the error when a package of the extra is missing
"""
