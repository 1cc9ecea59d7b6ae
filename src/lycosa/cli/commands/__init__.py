"""The commands of `lycosa`, one module for each family, in rooms by what they are for.

A module parses the flags of its commands, calls the package that does the work, and prints the
result. `cli.main` lists the modules and imports one when one of its commands is typed.

    running     run a crawl, and change one
    reading     read a crawl: state, pages, texts, structured data
    analysis    compute something about a crawl: tables, reports, faults, differences
    publishing  give a crawl to others: servers, replay, files, copies
    cluster     `cluster`: see and lead a crawl that several machines share
    topics      `topics`: models that say what pages are about
    check       `check`: decide about one URL, robots file or page, without a crawl
    tools       `config`, `testweb`, `completion`: commands that need no crawl
"""
