"""Guesses URLs that nobody links to, within a budget, and learns from what comes.

mining      looks at sites in their pauses, plants guesses, judges the answers
known_urls  the URLs of a site as the miner sees them
form_pages  reads the search forms and words of a site, for queries to try
"""
