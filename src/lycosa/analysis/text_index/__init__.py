"""Builds the text index of a crawl, and brings it up to date.

`index` keeps one document for every page that the crawl holds: the newest stored fetch of each URL,
unless the page asks not to be found (`noindex`) or has gone. `current_pages` computes from the
tables what the index should hold, with a stamp for each document; the index adds and removes
whatever differs from the stamps of the last generation. So an update costs a look at the tables and
work for the pages that have changed, and its result is what a build from nothing gives.

    index          builds and updates the index in `index/text/`
    current_pages  finds the pages that belong into the index, and their content there
    anchors        the texts of the links that lead to each page
    stamps         the ids and stamps of the documents of a generation
    segment_texts  the texts and main texts of some pages of a segment
    documents      makes a document of the index of a page
    manifest       the inputs of a generation
    schema         the fields of the index, and how their text becomes words
    text_store     opens the current generation for reading
    words          words, their stems, and bigrams of Chinese, Japanese and Korean
"""
