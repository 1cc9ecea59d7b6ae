"""The tables of a study, computed from the tables of a crawl and its stored answers.

Five modules read stored data once per sealed segment, because that takes long; the others compute
tables from these data and from the tables of the crawl, again for each study.

    heads            headers of answers: server, last change, redirects (once per segment)
    main_texts       the main text of each page, without boilerplate (once per segment)
    text_languages   the language of each text, by detection (once per segment)
    told_noindex     pages that ask for `noindex`, of older crawls (once per segment)
    vocabularies     structured data by vocabulary, class and property (counted once per segment)
    languages        the languages of pages, by markup and by text
    ranks            PageRank, HITS, degrees and bow tie of pages and sites
    counts           small tables that one query each answers
    outside          links to hosts that got no request, by host, domain and top-level domain
    histograms       histograms of every number of pages and sites
    topics           pages, links, harvest and sites by topic, where pages have topics
    overlaps         URL overlap, content overlap and communication, where pages have topics
    near_duplicates  pages with equal or nearly equal text
"""
