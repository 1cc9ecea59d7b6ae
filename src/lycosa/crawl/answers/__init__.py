"""The way of an answer: from what a server sent to an event in the log and to new URLs.

One record (`page_answer.PageAnswer`) goes through the stages, in the order that `stages` gives and
explains. Each stage reads what earlier ones have written into it.

    stages       the stages of a page's answer, in order, and why in that order
    page_answer  the record of an answer on its way
    reading      reads outcome, facts and links off the answer alone
    plugins      shows the page to the job's plugins
    languages    tells pages in other languages than the job keeps
    triples      structured data as triples, for the store and perhaps as links
    links        links: canonical, in scope, near enough, to their partition
    link_cache   what references resolve to, remembered, because pages repeat their links
    host_pauses  how long the host rests after the answer, and when it is given up
    changes      what the visit says about how often the page changes
    revisit_wishes  when a page asks to be visited again
    novelty      pages that bring nothing new: soft 404s, copies, traps, mirrors
    site_files   files in which a site tells crawlers what to do: robots.txt, sitemap.xml
    known_urls   the URLs of a site as the miner sees them
    form_pages   reads the search forms and words of a site, for queries to try
    rendered_tree  takes a page that a browser has rendered through plugins, triples, topics
    shells       notes pages that seem empty without scripts
    mining       guesses URLs that no page links to, and judges what they were worth
"""
