"""Runs whole crawls in virtual time, kills and restarts them, and judges them by the referee.

Hours of crawling take seconds, and the same seed gives the same run. A test can therefore kill a
crawl at any step and compare its kept pages with the truth about the simulated web.

    simulation     the crawl: real workers on a virtual clock and a simulated web
    conditions     the circumstances that a test may vary: disk, clock errors, plugins
    kills          plans that decide where the simulated process is killed
    referee_rules  the rules by which the referee judges a crawl, derived from its job
    steering       orders to a simulated crawl
    stand_ins      virtual stand-ins for clock, transport and address slots
    cluster        crawls of several machines, which die, stop and are cut off
"""
