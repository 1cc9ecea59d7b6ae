"""A web of any size whose pages have topics, which it knows.

Tests compare the topics that a crawl finds with those of this web.

    plan   where the pages of that web lie
    texts  words and texts of its topics
    web    a web of any size whose pages have topics, which it knows
"""
