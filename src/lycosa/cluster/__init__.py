"""The cluster: who owns which part of the web.

The URL space is cut into a fixed number of partitions, and a partition has one owner at a
time. `partitioners` says which partition a URL belongs to: a pure function of its key, the
same on every worker and in every run, so that whoever finds a link knows where to send it
without asking anybody. `assignment` says which worker owns a partition, as surely.
"""
