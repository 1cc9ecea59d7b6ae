"""Recognises pages that bring nothing new, and keeps the crawl from asking for more like them.

Copies, endless calendars and mirrors look like pages. Each is recognised by comparing it with what
the site, or another host, has shown before.

    _seen          what every page is asked, and lets nearly all of them go; compiled
    copies         texts and fingerprints seen lately, to tell a new page from a copy
    traps          budgets for URLs of one shape, so that endless spaces end
    figures        tells tables, whose figures are new, from pages that count
    sitemap_trees  the same for indexes of sitemaps that lead to indexes
    mirrors        hosts that show what another host shows
"""
