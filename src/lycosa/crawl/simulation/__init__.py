"""Run whole crawls in virtual time, kill and restart them, and judge them by the referee.

Hours of crawling take seconds, and the same seed gives the same run, so a test can kill a crawl at
any step and compare what it kept with the truth about the simulated web.

    simulation     the crawl: real workers on a virtual clock and a simulated web
    conditions     the circumstances that a test may vary: disk, clock errors, plugins
    kills          plans that decide where the simulated process is killed
    result         how a crawl ended, what it kept, which rules it broke
    referee_rules  the rules by which the referee judges a crawl, derived from its job
    steering       orders that are given to a simulated crawl
    stand_ins      virtual stand-ins for clock, transport and address slots
    cluster        crawls of several machines, which die, stop and are cut off
    demo           `make simulation`: one such crawl, with a summary on the screen
"""
