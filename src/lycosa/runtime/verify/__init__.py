"""Checks the files of a crawl against each other, and repairs them (`lycosa verify`).

    inspection      verifies a crawl directory, without writing to it
    report          the result: findings, and the facts that a repair needs
    findings        one finding: the file, the problem, and the remedy
    log_reader      reads a log that may be damaged, without writing to it
    server_log      reads a log in a server, for the same checks
    log_check       checks heads, histories, inboxes and seeds
    partition_logs  folds one partition as far as its batches go without a gap
    segments        compares records, rows, index and quads of one segment, and the log
    index_check     compares the files of `index/` with their digests
    other_directories  asks the store for segments of other machines
    repair          repairs step by step (`--repair`), in an order that may be interrupted
    log_repair      rebuilds a log from its readable parts
    orphans         enters pages in the log that only the segments know
    rewrite         rewrites a segment without its damaged parts
    rebuild         makes rows and quads again from the records

Always true:
  * verifying writes nothing, and needs no lock;
  * a repair moves damaged bytes to `damaged/` and deletes none;
  * a repair that was killed is completed by the next one: it records its losses in the log before
    it changes any file.
"""
