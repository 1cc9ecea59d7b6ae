"""The sections of the report, chapter by chapter.

Each module holds one chapter: SQL queries over the tables of the study, and functions from their
rows to a sentence, figures and tables.

    politeness  requests and pauses, held against the rules
    answers     outcomes, statuses, errors, refused links, traps
    pages       depth, size, type, age and language of pages
    graph       degrees, PageRank, hubs and authorities, bow tie
    sites       sizes, links, servers and headers of sites
    checks      broken links, redirects, titles: what `lycosa check-site` finds
    content     kinds of links, copies, structured data
    topics      pages, harvest, links and sites by topic, where pages have topics
    histograms  histograms of sites: bytes, ages, answer times
    counts      bars and tables for counted things
"""

from lycosa.analysis.sections import (
    answers,
    checks,
    content,
    graph,
    pages,
    politeness,
    sites,
    topics,
)

CHAPTERS = (
    politeness.CHAPTER,
    answers.CHAPTER,
    pages.CHAPTER,
    graph.CHAPTER,
    sites.CHAPTER,
    content.CHAPTER,
    checks.CHAPTER,
    topics.CHAPTER,
)
"""In the order in which they are read; the last one only where pages have topics."""
