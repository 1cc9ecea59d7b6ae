"""The sections of the report, chapter by chapter."""

from lycosa.report.sections import answers, content, graph, pages, politeness, sites

CHAPTERS = (
    politeness.CHAPTER,
    answers.CHAPTER,
    pages.CHAPTER,
    graph.CHAPTER,
    sites.CHAPTER,
    content.CHAPTER,
)
"""In the order in which they are read."""
