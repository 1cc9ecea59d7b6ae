"""Sites whose pages stand in lists of several pages, with an end and without.

Each host has lists of another shape, as shops, forums, blogs and archives have them; all that
belongs to the finite ones is known. A finite list must come whole, and one without end must end.

    web      serves the hosts, and counts what was asked
    finite   a shop, an archive by month, a forum, a blog, an interface by offset, a book, filters
    endless  lists that go on for ever, and a calendar
    listing  a page of a list as HTML
"""
