"""Measures the CPU cost of one page in the crawler's own code, when fetching costs nothing.

    python -m benchmarks.kernel [--pages 20000] [--one-host-pages 20000] [--repeats 3]
                                [--json]

The real worker, frontier, log and journal crawl a made-up web (`pages`) in virtual time: no
pauses, and a transport that hands over prepared bodies (`crawl`). Two kinds of page, each on one
host and on 200: *small* ones (10 links in 2 kB) and pages *like tree A* of the rivals'
measurement (120 links, 35 of them different, in 30 kB); on both one or two links are new, and
with many hosts one link leads to another host. 700 pages are answered between two commits.

The figure is CPU time of a run, the best of several; `benchmarks.budget` counts what a page is made
of. Then the parts alone, outside a crawl (`alone`).
"""
