"""The `lycosa` command: reads arguments, runs one command, and prints what happens.

The package decides nothing about crawls: it turns flags into a job or a query, calls `crawl`,
`study`, `query` and the rest, and turns the result into text and an exit code. `lycosa --help` must
answer at once, so every command imports what it needs when it runs.

    start      the entry point, which runs before anything large is imported
    watch      the process that watches a crawl, forked before anything large is imported
    main       parses the arguments and turns errors into exit codes
    groups     command groups that load their commands on demand and guess misspelt names
    input      turns flags, files and standard input into jobs and queries
    screen     draws panels, tables and lines, safe against text from the web
    amounts    parses and formats sizes and durations (`10MB`, `1h30m`)
    keys       certificates and keys for the servers and members of a cluster
    trial      `lycosa cluster up` and `make cluster-demo`: a cluster on one machine
    analysis    compute something about a crawl: tables, reports, faults, differences
    check       `check`: decide about one URL, robots file or page, without a crawl
    new         `new`: write a project to begin with
    cluster     `cluster`: see and lead a crawl that several machines share
    publishing  give a crawl to others: servers, replay, files, copies
    reading     read a crawl: state, pages, texts, structured data
    running     run a crawl, and change one
    tools       `config`, `testweb`, `completion`: commands that need no crawl
    topics      `topics`: models that say what pages are about
"""
