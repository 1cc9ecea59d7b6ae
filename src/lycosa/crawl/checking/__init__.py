"""Decide about one URL, robots file, page or scope as a crawl would, and give the reasons.

A crawl makes a million decisions a minute and keeps only the results. `lycosa check` makes the
same decisions one at a time, with the same code, and writes the reasons down.

    urls          how a reference becomes a canonical URL, step by step
    robots        whether a robots file allows some URLs, and which line decides
    pages         what a crawl extracts from a page, and what becomes of its links
    scope         which rule of a job accepts or rejects a URL
    triples       the structured data of one document
    single_fetch  asks a site for its robots file and one page, as politely as a crawl
    heads         asks many URLs whether they are there, for links that leave a crawl
    batch         answers such questions in bulk: one line of JSON in, one line out
    json_output   the results as JSON

Nothing here writes to a crawl directory or keeps what it fetched.
"""
