"""What the URLs of a site have in common.

shapes     a URL without its numbers, dates and repetition: its shape, for traps
templates  where a path counts: its numbers and dates
miner      guesses URLs that nobody linked to, from those that are known
"""
