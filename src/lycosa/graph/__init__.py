"""Link analysis over plain arrays: numbers in, numbers out.

A graph here is `n` nodes, named 0 to n - 1, and the links between them; what the nodes are, pages
or sites, the caller knows. `numbering` gives 64-bit ids such numbers.

    links      a graph in compressed rows, in both directions; degrees
    pagerank   where a reader who follows links at random spends time
    hits       hubs and authorities
    bow_tie    strong components, and which part of the bow tie a node is in
    groups     sums, means and ranks per group; the graph of the groups
    near       fingerprints that differ in few bits

Nothing here runs a line of Python per link: loops over links are scipy's and numpy's
(docs/decisions/0024-graph-library.md). No file, no crawl and no clock is known here.
"""
