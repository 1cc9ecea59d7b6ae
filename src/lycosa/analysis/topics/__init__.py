"""Topics: a user's definitions, and models that are made of them, judged and used.

A user names topics in *pools* (keywords and start URLs), or labels pages. Both become examples, and
the examples a model (`lycosa.extract.topics`). A model is judged on pages it has not seen,
classifies the pages of a crawl, proposes parts of a topic that is too wide, and finds the pages
from which the next crawl begins.

    names          names of topics, their parents and levels
    pools          reads pools: TOML, CSV, a tree of folders
    labels         reads and writes the labels of pages
    texts          the texts of a crawl or of a folder
    examples       texts with topics, from labels and from pools
    keywords       a model from keywords alone
    evaluation     accuracy, F1, calibration and confusion of a model
    telling_words  the words that speak for a topic
    refining       gives a model parts of a topic, and a crawl that model
    splitting      proposes parts of a topic, and tests them
    labelling      the course of labelling pages by hand
    seeds          the best hubs of a topic in an earlier crawl
    page_topics    classifies the pages of a crawl again
    sections       cuts a page into pieces, at headings and between paragraphs
    page_units     splits pages of several topics into units

Nothing here changes a crawl's log or its segments; `refining` gives one that rests another model.
"""
