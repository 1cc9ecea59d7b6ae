"""Compares the CPU time of Lycosa and other crawlers for crawling the same pages.

    python -m benchmarks.race [--quick] [--trees A B] [--clients …] [--runs 3] [--names]
                              [--profile] [--json FILE] [--no-results]

Two trees of real documentation from Debian's packages (`trees`) are served by nginx on loopback
(`server`), which has core 1 to itself; the client has core 0. Every client (`clients`) gets the
same start page and the same scope, 64 connections and no delay, and runs as a user would run it:
as a process of its own, from start to end. The clients take turns, so that what else the machine
does falls on all of them; of the runs of a client the median counts.

`measuring` waits for the process and asks the kernel what it and its children used. The pages
are counted in what the client left, never assumed, and those that crawled to the end must have
the same pages (`table`). `profile` tells where Lycosa's time goes.

Always true:
  * nothing is asked but 127.0.0.0/8, and nothing is downloaded but packages by their names;
  * whatever was started is ended by its pid, also after Ctrl-C;
  * the machine stays as it was: programs that are not installed are unpacked into `.cache`.
"""
