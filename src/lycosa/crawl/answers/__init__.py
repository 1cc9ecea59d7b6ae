"""The way of an answer: from what a server sent to an event in the log.

One record (`page_answer.PageAnswer`) goes through the stages, in the order that `stages` gives and
explains. Each stage reads what earlier ones have written into it.

    stages       the stages of a page's answer, in order, and why in that order
    _page_stages  the way that nearly every page takes through them; compiled
    page_answer  the record of an answer on its way
    reading      reads outcome, facts and links off the answer alone
    changes      what the visit says about how often the page changes
    revisit_wishes  when a page asks to be visited again
    robots       turns the answer to a robots.txt request into rules for its site
    shells       notes pages that seem empty without scripts, or were cut off
"""
