"""From what a person types to what the program works with.

options    flags that several commands share
jobs       from flags to a job
seeds      seeds as people write them: arguments, and files with one a line
questions  where `check` takes its questions from: a file, standard input, an address, a batch
"""
