"""The commands of `lycosa`, one module for each family.

A module parses the flags of its commands, calls the package that does the work, and prints the
result. `cli.main` lists the modules and imports one when one of its commands is typed.

    crawl    `crawl`, `resume`, `revisit`: run a crawl
    join     `join`: help in a crawl that another machine has begun
    cluster  `cluster`: see and lead a crawl that several machines share
    inspect  `status`, `queue`, `explain`, `cat`, `audit`: read a crawl
    steer    `pause`, `stop`, `set`, `exclude`, `include`, `orders`: steer a crawl that runs
    edit     `add`, `retry`, `block`, `unblock`, `forget`: change a crawl
    move     `move`: move a crawl's log to a server, or back
    verify   `verify`: check a crawl's files against each other, and repair them
    fetch    `fetch`: copy a crawl from a store into a directory
    study    `study`, `sql`: compute tables about a crawl, and query them
    report   `report`: write an HTML report about a crawl
    topics   `topics`: models that say what pages are about
    search   `index`, `search`: build a crawl's indexes, search its full text
    query    `sparql`, `triples`: query a crawl's structured data
    serve    `serve`: pages and a REST interface over crawls, or SPARQL alone
    export   `export`: write tables, graphs and triples for other programs
    check    `check`: decide about one URL, robots file or page, without a crawl
    tools    `config`, `testweb`, `completion`: commands that need no crawl
"""
