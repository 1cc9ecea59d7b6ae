"""Decides which settings of a crawl directory or a log count on this machine.

A crawl directory is data. Its author may have written anything into its job, so settings that name
servers, programs, files or secrets, or that widen the address guard, do not count by themselves.
These are the *operator settings*. They count if the user typed them in this command, or if the
user's own record holds their digest.

    settings   says which keys are operator settings, and computes the digest of a set of them
    code       hashes programs and plugins that lie inside the crawl directory
    record     keeps the digests that this user has accepted
    judging    compares a job with the record, and leaves out what does not count

Always true:
  * a job without operator settings is never asked about, and no file is read for it;
  * a digest covers all operator settings together, so a changed value is never accepted;
  * neither the path nor the owner of a directory matters, so a moved or restored crawl stays
    accepted.
"""
