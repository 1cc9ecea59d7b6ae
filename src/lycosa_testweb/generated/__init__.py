"""A web of any size, made from a seed: every page is a pure function of its URL and the moment.

A plan names the hosts and what they are like; each host is made of sections, and each section has
one habit. Nothing is stored, so a web of millions of pages costs no memory.

    web           the web itself
    plan          describes it: its hosts and their traits
    plans         ready-made plans: the webs that most tests want
    section       the protocol of a section: one folder of a site with one habit
    page          a page before it is HTML: status, text, links, triples
    words         texts for pages, by language and topic
    forms         spellings of one and the same link
    missing       replies of a host to URLs that it does not have
    weather       latency and overload of a host
    robots_kinds  the kinds of robots files that the hosts have
    numbered      the common part of sections with numbered pages
"""
