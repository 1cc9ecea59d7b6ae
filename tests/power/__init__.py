"""Power cuts: a crawl is killed, and its folder becomes what a disk would have of it.

recorder.c      preloaded into the crawl: writes down what it does to its files
disk.py         makes the folder after the cut: what was synced, and some of the rest
cuts.py         crawls a web through cuts, and judges the result
test_cuts.py    a few cuts; `make soak` has two hundred
"""
