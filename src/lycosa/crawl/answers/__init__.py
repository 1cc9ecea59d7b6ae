"""The way of an answer: from what a server sent to an event in the log and to new URLs.

One record (`page_answer.PageAnswer`) goes through the stages, in the order that `stages` gives and
explains. Each stage reads what earlier ones have written into it.

    stages       the stages of a page's answer, in order, and why in that order
    _page_stages  the way that nearly every page takes through them; compiled
    page_answer  the record of an answer on its way
    reading      reads outcome, facts and links off the answer alone
    links        links: canonical, in scope, near enough, to their partition
    raised_depth  reads links of known pages again when a limit of depth was raised
    _routes      the usual way of a page's links; compiled
    _link_cache  what references resolve to, remembered, because pages repeat their links; compiled
    host_pauses  how long the host rests after the answer, and when it is given up
    changes      what the visit says about how often the page changes
    revisit_wishes  when a page asks to be visited again
    known_copies  leads links to other views of a page (session ids) to the view that is kept
    robots       turns the answer to a robots.txt request into rules for its site
    shells       notes pages that seem empty without scripts, or were cut off
"""
