"""Recognises pages that bring nothing new, and keeps the crawl from asking for more like them.

Error pages, copies, endless calendars and mirrors look like pages. Each is recognised by comparing
it with what the site, or another host, has shown before.

    soft_404      pages that say "not found" with status 200, found out by asking for one
    copies        texts and fingerprints seen lately, to tell a new page from a copy
    traps         budgets for URLs of one shape, so that endless spaces end
    sitemap_trees  the same for indexes of sitemaps that lead to indexes
    mirrors       hosts that show what another host shows
    known_copies  leads links to other views of a page (session ids) to the view that is kept
"""
