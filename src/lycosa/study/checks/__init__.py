"""The checks of a site: what is broken or contradicts itself, found by SQL over a crawl's tables.

A check is a record: name, severity, what a finding means, how to mend it, and the query that finds
it. All queries start from a few tables that are prepared once, and give the same columns. Their
answers are the table `findings`, one row a finding.

    check           the types of a check, a finding, and the limits for sizes and lengths
    prepared        the tables that all checks start from
    links           broken links, inside and outside
    redirects       chains, loops and links to moved pages
    discovery       orphans, and the sitemap against the links
    titles          titles and descriptions: missing, doubled, long
    indexing        canonicals, `noindex` by accident, hreflang pairs
    delivery        mixed content, large and slow pages
    language_links  reads hreflang from stored pages, once for each sealed segment
    unasked         outcomes of URLs that were never asked for, from the log
    outside         asks pages out of scope whether they are there
    registry        all checks, by name and family
    run             runs checks and gives the findings
    sitemap         writes a sitemap of a crawl
    formats         findings as JUnit, SARIF, CSV and JSON

Always true: a check never asks the web; only `outside` does, when the operator says so.
"""
