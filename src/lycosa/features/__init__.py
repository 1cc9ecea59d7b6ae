"""Features: parts that some crawls have; each acts at points of the spine (`lycosa.crawl.points`).

    of_job           makes the features of a job
    languages        only pages in some languages are kept
    logins           a site is logged in to by its form
    login_forms      reads that form, and pages that show it again
    topics           pages are classified, and URLs are chosen by what they may be about
    soft_404         error pages with status 200 are found out by asking for one
    usual_sitemaps   `/sitemap.xml` is tried where robots.txt names no sitemap
    novelty          pages that bring nothing new: copies, traps, mirrors
    mining           URLs that nobody links to are guessed
    triples          structured data becomes triples, and links
    bursts           several pages of a host without a pause, and one long pause
    rendering        pages that scripts make are shown to a browser
    plugins          loads a job's plugins and calls their hooks, so that a faulty one harms no
                     crawl

Every crawl loads the features that are on unless a job turns them off; a crawl loads the others if
its job has them. The spine imports none of them.
"""
