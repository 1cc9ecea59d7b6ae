"""Extraction: bytes in, facts out.

An answer's body is read once, from left to right, and what it says about other pages is
handed on: `links.scan` finds the tags that matter (`tags`), reads their attributes as
text (`characters`) and returns links, base, title and the page's wishes for robots. No
tree is built, and nothing is resolved: that needs the page's own URL (`lycosa.url`).

Always true:
  * any bytes give facts: a bad page has fewer of them, and nothing here raises;
  * the time is linear in the bytes, whatever they are;
  * nothing here reads a clock, a file or the configuration.
"""
