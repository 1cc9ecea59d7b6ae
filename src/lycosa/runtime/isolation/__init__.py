"""Reads in a separate process the pages that may have killed a worker.

Before a worker reads an answer it notes the page in a mapped file (`lycosa.crawl.suspects.marks`).
When the worker dies, for any reason, the file names a suspect. The next process in the directory
tells all partitions (`deaths`), and their owners record it (`Suspected`). From then on the suspect
is read in a process of its own. For ten minutes so is every other page: other requests of the dead
process may be of the same kind, and must not be repeated a third time.

    helper    the worker's handle on the process that reads
    parcels   the messages between the two
    process   the reading process: forks for each page, and again within limits for each try
    watching  watches reading processes, for their supervisor
    readers   the readers of an answer by name

Always true:
  * the findings of a separate process equal those of the worker, byte for byte;
  * a reader that dies, takes too long or takes too much memory costs only its own findings: its
    name stands in the column `unread`, and the page is kept with the rest;
  * a worker never waits: the answer counts as in flight until it is read.
"""
