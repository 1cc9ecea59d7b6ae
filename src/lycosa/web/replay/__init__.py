"""Replay: the archived pages of a crawl in a browser, in an origin of their own.

Nothing here asks the web: a page that is not in the archive is missing.

    browser         starts a browser that reaches the replay server alone
    first_script    the first script of archived pages, which removes WebRTC
    replay          serves archived pages and the player
    service_worker  the service worker that keeps archived pages from asking other servers
"""
