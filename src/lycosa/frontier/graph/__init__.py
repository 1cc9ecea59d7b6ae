"""Link analysis over plain arrays: PageRank, HITS, bow tie, groups, near duplicates.

A graph here is `n` nodes, numbered 0 to n - 1, and the links between them; the caller knows
whether the nodes are pages or sites. Nothing here knows files, crawls or clocks.

    links            a graph as compressed rows, in both directions; degrees
    numbering        numbers 0 to n - 1 for 64-bit ids
    pagerank         PageRank
    hits             hubs and authorities
    bow_tie          strong components, and the part of the bow tie of each node
    groups           sums, means and ranks per group; the graph of the groups
    near_duplicates  fingerprints that differ in few bits

Nothing here runs a line of Python per link: loops over links are scipy's and numpy's
(docs/decisions/0024-graph-library.md).
"""
