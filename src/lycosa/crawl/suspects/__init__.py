"""Pages that may have killed a worker: noted before they are read, reported, read elsewhere.

`lycosa.runtime.isolation` is the process that reads them.

    deaths    reports a dead process to the partitions
    findings  the answer to read, and the readers' findings
    marking   notes the page before a worker reads it, and sends suspects elsewhere
    marks     names the page that a process is about to read, in a mapped file that survives the
              process
"""
