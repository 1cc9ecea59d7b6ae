"""Whole crawls in virtual time, killed at will, and judged by the referee of the test web.

simulation  runs workers on a virtual clock and a simulated web
demo        `make simulation`: one such crawl, to look at
"""
