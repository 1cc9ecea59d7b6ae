"""Answers questions from the text index.

question        parses what a user types: words, phrases, filters
things          pages about things of a type, from the triple store (`a:Person`)
matching        turns a question into a query of tantivy
search          runs a question: ranks, folds, counts facets
results         what a search returns
snippets        the passage of a page that a result shows
spelling        guesses which word was meant
search_pool     processes without network that answer within a time limit
search_process  the program that runs in such a process
"""
