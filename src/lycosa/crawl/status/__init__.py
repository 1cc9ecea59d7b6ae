"""How a crawl is getting on: for the screen, the log file and the summary.

progress     counts and rates
waiting      what the crawl waits for: which origins, why, and until when
unreachable  what could not be reached, in words: origins given up, seeds that failed
"""
