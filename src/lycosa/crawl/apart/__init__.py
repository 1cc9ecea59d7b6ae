"""Reads pages apart from the worker: those of which a process may have died.

Before a worker reads an answer it notes which page that is, in a mapped file (`lycosa.marks`).
When it dies, of whatever, the file names a suspect. The process that starts next in the directory
tells all partitions (`deaths`), and their owners write it down (`Suspected`). From then on the
suspect is read in a process of its own, and for ten minutes so is every other page: what the dead
process had asked for beside the suspect may be of the same kind, and must not be asked for a third
time.

    deaths    tells the partitions of a process that has died
    marking   notes the page before a worker reads it, and sends suspects elsewhere
    helper    the worker's handle on the process that reads
    parcels   the messages between the two
    process   that process: forks one for each page, and one within limits for each try
    watching  watches how processes read, for their supervisor
    readers   the readers of an answer by name, and what they find

Always true:
  * what is found apart equals what the worker would have found, byte for byte;
  * a reader that dies, takes too long or too much memory costs nothing but what it would have
    found: its name stands in the column `unread`, and the page is kept with the rest;
  * a worker never waits for it: the answer counts as under way until it is read.
"""
