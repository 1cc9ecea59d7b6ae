"""Patterns in the URLs of a site, used to recognise traps and to guess unknown pages.

URLs without their numbers, dates and repetition have the same shape: that is how a calendar without
end is recognised. URLs that differ in one number or date form a run: that is how the missing
members of a series are guessed.

    shapes       the shape of a URL: its path without numbers, dates and repetition
    templates    finds numbers and dates in a path
    queries      which queries of search forms are tried
    query_words  which words they ask for
    miner        guesses unknown URLs from the known ones of a site
"""
