"""Extraction: bytes in, facts out.

An answer's body is brought to UTF-8 (`charset`) and read once, from left to right, by the
compiled scanner (`_scan`; `plain` is its twin to be read): `links.scan` returns links, base,
title, visible text, language and the page's wishes for robots as `facts.Facts`. No tree is
built, and nothing is resolved: that needs the page's own URL (`lycosa.url`). Beside pages
there are style sheets (`css`), lists of pages (`sitemap`) and headers (`headers`); of the
text a `fingerprint` is taken. What a page says to machines (`structured`) is read by `rdfa`,
`jsonld`, `microdata` and `meta`, each where the scan has seen its form.

Always true:
  * any bytes give facts: a bad page has fewer of them, and nothing here raises;
  * the time is linear in the bytes, whatever they are;
  * nothing here reads a clock, a file or the configuration.
"""
