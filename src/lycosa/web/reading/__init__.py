"""Reads a crawl directory for the web server, in processes that are killed when they take too long.

A request that folds a log, scans tables or runs SQL may take minutes and gigabytes. So the server
sends it to a process of its own, without network and with limits of time and memory, and passes the
reply on. The server itself stays small, and one request never makes another one wait.

    process   the program of the process: takes requests, sends replies
    requests  the records that a request consists of, and the pool that sends them
    states    the folded states of a crawl, kept for some seconds
    resting   the state of a crawl that does not run, as a frame
    hosts     the hosts of a crawl, filtered, sorted and paged
    urls      everything about one URL: explanation, fetches, links in and out
    captures  one archived answer: headers, body, text
    rows      the tables of a crawl, page by page, as JSON, CSV or Parquet
    page_list  the list of URLs, one row each
    sql       SQL queries
    checks    the checks of the site, the audit, and the trial of a rule, as JSON
"""
