"""The face for Python programs: `from lycosa import ...`.

    running    a crawl from a program, waiting for it or beside an event loop
    reading    a crawl directory, lazily and typed, whether a crawl runs in it or not
    rows       what reading gives: pages, links, texts
    segments   the rows of a crawl, segment by segment, sealed or open
    reference  the page that explains all public names

`lycosa/__init__` names what is public; everything here is imported when it is first used.
"""
