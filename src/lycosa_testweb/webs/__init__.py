"""Webs made for one purpose.

Where a generated web has habits, these have exact pages or topics: a test can say what must be
found.

    graph         a web drawn by hand, for exact tests
    papers        webs that repeat the tables of the RDFa spider's paper
    faulty_site   a site with every fault that checks know, and the same mended
    script_maze   a maze whose doors are made by scripts, each in another way
    maze          a page for every kind of link, each with a target of its own
    link_kinds    the kinds of links that the maze has
    deep          hosts whose pages only a search form leads to
    documents     a host with PDF and office files, and some that cannot be read
    document_files  makes such files
    books         a small library with structured data in every form
    quotes        a site of quotes as tutorials use it, with lists, authors and tags
    bombs         pages that are small to send and dear to read
    misbehaviour  a web of misbehaving hosts, and the outcomes that are right
    misdeeds      what those servers send: one generator per misdeed
    wild_pages    pages that are valid HTTP but hard to read
"""
