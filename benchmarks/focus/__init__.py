"""Focused crawls over a labelled corpus, without fetching.

corpus      pages, links and labels of a corpus
judge       one draw: training pages, the page model, seeds, what counts as relevant
unlabelled  a page model from keywords and seeds alone
orders      orders that others use, and the oracle
limits      what any order could reach, and an oracle that knows all links
evidence    what links say of a page that is not yet fetched, and the order made of it
variants    the variants of our order that the ablation compares
prediction  the topic of a page that is not yet fetched, among all topics
"""
