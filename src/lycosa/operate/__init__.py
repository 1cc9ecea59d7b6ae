"""Tools of an operator: explain and inspect a crawl, check URLs and pages, fetch copies, move logs.

Commands and pages call them. A running crawl needs none of them.

    checking  decides about one URL, page or robots file, and gives the reasons
    fetching  copies a crawl from a store into a directory
    inspect   answers an operator's questions, and changes a crawl that is not running
    moving    moves a log from a file to a server, back, or between servers
    new_log   the log that a move fills, in a server or in a file
    rescue    seals the open segments of a lost machine
"""
