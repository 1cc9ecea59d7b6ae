"""What a killed process left behind.

leftovers     seals the segments of dead processes, beside those that crawl
lost_records  records that the log names and that are gone: their pages are asked again
"""
