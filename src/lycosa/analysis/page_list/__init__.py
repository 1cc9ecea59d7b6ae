"""The list of a crawl's URLs, for people: one row each, filtered, sorted and paged.

The row of a URL is its newest fetch, or what the log says of it where there is none. A small crawl
is read whole when it is asked about. A large one gets a narrow copy in `index/page-list/`, sorted
by URL; the rows of segments that are younger than the copy are read beside it.

    columns        the columns of the list, and how fetches become rows of it
    fetches        the fetches of sealed and open segments, as far as the log counts them
    log_rows       the rows of URLs that have no fetch
    copy           makes the copy, and finds the newest
    build_process  makes the copy in a process of its own
    question       filters, sort orders and cursors, as conditions with bound values
    copied_rows    finds rows in a copy
    listing        answers questions
"""
