"""Prints for people: panels, tables, lines and messages.

Text from the web (titles, URLs, error texts) passes `output` or `console`, which escape control
sequences.

    panel       the live panel of a running crawl
    lines       the progress of a running crawl in lines, for logs and pipes
    status      `lycosa status`: the state of a crawl at its last commit
    cluster     `lycosa cluster status`: the members of a crawl
    summary     the end of a run: why it ended, what was found, what to type next
    topics      pages and queues of a crawl by topic
    search      the results of `lycosa search`
    findings    the results of `lycosa check`
    site_checks  the results of `lycosa check-site`
    comparison  the results of `lycosa compare`
    prospects   when a page will be visited again
    serving     a server that runs until Ctrl-C or SIGTERM
    notices     messages on standard error and in the log file
    console     tables and panels with escaped text from the web
    output      prints lines, and escapes control characters in text from the web
"""
