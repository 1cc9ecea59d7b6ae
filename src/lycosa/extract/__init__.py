"""Extraction: reads links, text, metadata and structured data from the body of an answer.

A body is brought to UTF-8 (`charset`) and read once, from left to right, by the compiled scanner:
`page.scan` returns links, base, title, visible text, language and robots directives as
`facts.Facts`. No tree is built, and no link is resolved: that needs the page's own URL
(`lycosa.model.url`). Structured data is read afterwards, by one reader for each form that the scan
has seen.

    page          reads a body by its content type: the entry point
    html          the HTML scanner
    facts         the result of a scan
    beginnings    a quick look at the first bytes, for charset and sitemaps
    document_types  which answers are PDF and office files
    forms         search forms of a page
    css           references of style sheets
    manifest      references of web application manifests
    sitemap       sitemaps and feeds
    list_parts    images and other parts that lists name besides pages
    headers       links and robots directives in HTTP headers
    hreflang      versions of a page in other languages
    topics        the field of knowledge of a text
    revisit_after  when a page asks to be visited again
    echo          drops a page's own address from its text
    structured    RDFa, JSON-LD, Microdata and meta elements, as triples
    _look         the quick look, compiled
    rdfa          RDFa 1.1, as triples
    text          the text of a page: its character set, its language, and its fingerprint

Always true:
  * any bytes give facts: a broken page has fewer of them, and nothing here raises;
  * the time is linear in the bytes, for any bytes;
  * nothing here reads a clock, a file or the configuration.
"""
