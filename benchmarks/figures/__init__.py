"""Repeats the papers' measurements and writes their tables and pictures into the documentation.

    python -m benchmarks.figures                  all of them: `make figures`
    python -m benchmarks.figures NAME …           some of them: `make figures FIGURE=NAME`
    python -m benchmarks.figures --list           their names, and about how long each takes
    python -m benchmarks.figures NAME --small     in seconds, printed, and nothing is written

A figure is a function from a `Run` to the tables and pictures that it `Made` (`run`). The modules
that measure know nothing of pages and files; `registry` names them all, and `page` puts a table
between its marks in `docs/figures.md`, with the machine, the date and the commit. The sentences
around the tables are written by hand.

Each figure is written as soon as it is done, so that one that fails or is interrupted takes
nothing from those before it.
"""
