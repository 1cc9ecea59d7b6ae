"""Full text search over the pages of a crawl.

`index` keeps one document for every page that the crawl holds: the newest stored fetch of each URL,
unless the page asks not to be found (`noindex`) or has gone. `current_pages` computes from the
tables what the index should hold, with a stamp for each document; the index adds and removes
whatever differs from the stamps of the last generation. So an update costs a look at the tables and
work for the pages that have changed, and its result is what a build from nothing gives.

    index           builds and updates the index in `index/text/`
    current_pages   finds the pages that belong into the index, and what stands there
    anchors         the texts of the links that lead to each page
    manifest        what a generation was made from
    stamps          the ids and stamps of its documents
    text_store      opens the current generation for reading
    segment_texts   the texts and main texts of some pages of a segment
    documents       one page as a document of the index
    schema          the fields of the index, and how their text becomes words
    words           words, their stems, and bigrams of Chinese, Japanese and Korean
    question        parses what a user types: words, phrases, filters
    things          pages about things of a type, from the triple store (`a:Person`)
    matching        turns a question into a query of tantivy
    search          runs a question: ranks, folds, counts facets
    results         what a search returns
    snippets        the passage of a page that a result shows
    spelling        guesses which word was meant
    search_pool     processes without network that answer within a time limit
    search_process  the program that runs in such a process
    extras          the error when a package of the extra is missing

A crawl neither needs this package nor waits for it.
"""
