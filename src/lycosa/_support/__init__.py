"""Private helpers that know nothing of crawling: bytes, memory, processes, text for terminals.

Every package may import these modules. A module that knows of URLs, jobs or pages has no place
here.

    _failpoint     the call of every fail point, compiled
    amounts        formats sizes, durations and counts for people
    beneath        opens files of a crawl directory without following links, and only regular ones
    channel        sends messages to another process over a socket, whole and in order
    confined       runs a function in a process with limits, which may die of an input
    confined_process   that process
    decoders       decodes JSON and MessagePack into classes, from any thread
    extras         checks that the packages of an extra are installed
    failpoints     named places in the code where a test can kill the crawler
    lean_arrow     loads pyarrow without numpy, and without its own allocator
    loop           the event loop of a crawl: sockets, timers, signals
    memory         puts the heap into large memory pages
    regex          matches users' regular expressions in bounded time
    sandbox        takes the network away from the process that calls it, for good
    safe_text      makes text from the web safe to print on a terminal or open in a spreadsheet
    tuples         makes the classes of named tuples quickly
"""
