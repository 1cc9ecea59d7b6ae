"""The report: a crawl as one self-contained HTML document, for screen and paper.

Each section asks the tables of the study by SQL. Its queries bound the result, whatever the size of
the crawl. The same rows make the figure, the table and the file in `data/`.

    build         makes a whole report, step by step
    facts         the title block: job, times, scale, audit
    told_settings  the settings of the job that a report shows
    section       the types of a section, its tables and figures
    pdf           figures as PDF
    figure_files  figures as files: SVG, PDF, and data with scripts for gnuplot
    fits          fits power laws
    wording       formats numbers, and text from the web
    page          the HTML document
    latex         the same as LaTeX source
    printing      the same as PDF, printed by Chromium
    notes         notes on methods, and references
    style         the style sheet
    comparison    the report on two crawls
    output        writes the report to its folder, whole or not at all

Always true:
  * nothing in the document is fetched from anywhere, and no script runs in it;
  * text from the web is escaped in one place (`page`, and `charts.canvas` for SVG);
  * the same study gives the same bytes.
"""
