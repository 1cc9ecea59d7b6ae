"""Renders pages in a browser, after they were fetched and from what the crawl holds.

A page that is kept and chosen (`choosing`) waits, in the state of its partition, to be rendered.
When the scripts that it names have come, a browser gets the page and asks for its parts; it gets
those that are held (`parts`), and a list of those that are not comes back. They are queued like
page requisites, and the page waits again; after some rounds it is taken as it is. Its links go the
way of all links, and the document is stored beside the page (`documents`).

    choosing     which pages are rendered, and the verdict on a site
    parts        what is held of the parts of a page, here or in another partition
    rows         parts of a page that may be asked for without pauses in between
    documents    links and text of a rendered page, and its record
    rendered_tree  shows a rendered page to plugins, triples and topics
    waiting      the pages that wait, the browsers, the rounds
    views        counts views behind fragments in the job's limits
    browsers     the browsers of a worker
    sandbox      whether a browser may run without its own sandbox

Always true:
  * a browser reaches nothing: what a page needs is fetched by the crawl, under its robots rules,
    pauses, guards and limits, and archived;
  * a page that waits is in the log: whatever is killed, it is rendered, and counts once;
  * a page is rendered in a bounded number of rounds, each in bounded time and memory.
"""
