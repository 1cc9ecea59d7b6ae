"""Turns what a person types into what the program works with.

Wrong input becomes an error here, before a folder is made or a request is sent.

    options      the flags that several commands share
    jobs         builds a job from `--config`, flags and `--set`
    orders       gives an order to a crawl, and waits until it is applied
    places       opens a crawl by its folder, or by the address of its log
    seeds        reads seeds from arguments and from files
    other_flags  guesses which flag was meant, also by other programs' flags
    own_machine  opens servers of this machine that were typed as seeds
    questions    reads the input of `check`: a file, standard input, a URL, or a batch
    topics       the flags that the commands about topics share
    vetting      vets the job of a directory before a command runs it
"""
