"""Decides about one URL, robots file, page or scope as a crawl would, and gives the reasons.

A crawl makes a million decisions a minute and keeps only the results. `lycosa check` makes the same
decisions one at a time, with the same code, and records the reasons.

    urls          turns a reference into a canonical URL, step by step
    robots        decides on URLs by a robots file, and names the deciding line
    pages         shows the content that a crawl extracts from a page, and the fate of its links
    scope         finds the rule of a job that accepts or rejects a URL
    triples       the structured data of one document
    single_fetch  asks a site for its robots file and one page, as politely as a crawl
    looking       pages to try selectors on, from the web, a crawl or a file
    rendering     renders one page as a crawl would, and reports the result
    heads         checks whether many URLs exist, for links that leave a crawl
    batch         answers such questions in bulk: one line of JSON in, one line out
    json_output   the results as JSON

These modules never write to a crawl directory, and keep no fetched content.
"""
