"""The study: statistics of a crawl (ranks, sites, languages, counts), from its tables.

A study reads the tables that are there when it begins, also while the crawl runs. It writes nothing
but `index/study/`, which can be deleted and built again. It needs the packages of the extra
`study`.

    build          runs a whole study, step by step
    tables         the rows of a crawl directory as DuckDB tables, sealed and open alike
    segment_cache  keeps what was computed from each sealed segment, for the next study
    items          the items that plugins have emitted, as tables of SQL
    main_text      the main text of one page
    results        the files of the study in `index/study/`
    sql            SQL over all tables, read-only
"""
