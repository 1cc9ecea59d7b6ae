"""Compares two crawls, or two moments of one: pages, texts, titles, statuses, links.

Each side is a view of the last answer of every URL, up to a moment. URLs of the first side may be
written as those of the second (`--map`), so that a site can be compared with its copy elsewhere.

    sides   the two sides: a crawl, a moment, and a spelling of URLs each
    tables  the differences, as SQL over both sides
    run     compares, and gives the tables
"""
