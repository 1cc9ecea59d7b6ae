"""A crawl whose log is on a server: other machines can join it, and the log can be moved.

    notes           facts about the crawl in the log: its job, its directories, its new place
    joining         finds a crawl in a server, and makes a directory that helps in it
    accepting       decides which settings of a log's job are accepted on a machine that joins
    distant         a crawl that is named by the address of its log
    lines           the log lines of all members
    orders          orders of the operator to the members of a crawl
    other_machines  finds out whether other machines crawl

Always true:
  * a log that can be joined is whole: its job is noted last;
  * of two logs of a crawl one at most can be written to;
  * no two directories of a crawl have the same number.
"""
