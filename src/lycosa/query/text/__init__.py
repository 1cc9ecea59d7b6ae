"""Full text search over the pages of a crawl.

    indexing    builds the index in `index/text/` from the tables, and brings it up to date
    searching   parses a question, finds, ranks and folds pages, and shows passages
    text_store  opens the current generation for reading
    manifest    the inputs of a generation
    schema      the fields of the index, and how their text becomes words
    words       words, their stems, and bigrams of Chinese, Japanese and Korean
    extras      the error when a package of the extra is missing

A crawl neither needs this package nor waits for it.
"""
