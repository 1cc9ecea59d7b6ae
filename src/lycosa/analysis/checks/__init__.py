"""The checks of a site: faults and contradictions, found by SQL over a crawl's tables.

A check is a record: name, severity, the meaning of a finding, its remedy, and the query. All
queries start from a few tables that are prepared once, and give the same columns. Their answers are
the table `findings`, one row a finding.

    check           the types of a check, a finding, and the limits for sizes and lengths
    prepared        the tables that all checks start from
    links           broken links, inside and outside
    redirects       chains, loops and links to moved pages
    discovery       orphans, and the sitemap against the links
    titles          titles and descriptions: missing, doubled, long
    indexing        canonicals, `noindex` by accident, hreflang pairs
    delivery        mixed content, large and slow pages
    language_links  reads hreflang from stored pages, once for each sealed segment
    unasked         outcomes of URLs that were never requested, from the log
    outside         requests pages out of scope, to see whether they exist
    registry        all checks, by name and family
    run             runs checks and gives the findings
    sitemap         writes a sitemap of a crawl
    formats         findings as JUnit, SARIF, CSV and JSON

Always true: a check sends no requests; only `outside` does, at the operator's word.
"""
