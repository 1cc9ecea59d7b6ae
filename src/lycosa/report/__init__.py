"""A crawl as a document: one HTML file that stands for itself, on a screen and on paper.

    reporting   all of it, one step after the other
    facts       what was crawled, how, and whether it was polite
    sections/   the parts of the study: what each asks, and what it shows of the answer
    section     what a section, its table and its figure are
    charts/     figures as SVG, drawn by ourselves
    fits        power laws
    wording     numbers as people read them, and text from the web made harmless
    page        the document, from its parts
    notes       how things were counted
    style       how it looks
    writing     where it stands: `report/`, whole or not at all

A section asks the tables of the study by SQL, and what it gets is bounded by the query, whatever
the size of the crawl. The same rows are the figure, the table and the file in `data/`.

Always true:
  * nothing in the document is fetched from anywhere, and no script runs in it;
  * whatever comes from the web is escaped in one place (`page`, and `charts.canvas` for SVG);
  * the same study gives the same bytes.
"""
