"""The log of a crawl in NATS JetStream: one replicated stream, a cluster without a centre.

    log         the log itself, called from any thread
    writing     commits as atomic batches; distinguishes refused from superseded
    reading     reads from the leader, all heads at once, and ranges of a subject
    lineage     distinguishes a log that has gone back from a replaced leader
    mailbox     the inboxes of this process's partitions, kept up to date in the background
    messages    subjects, headers, and large payloads in parts
    stream      makes a crawl's stream, or checks its settings
    listing     lists the crawls of the servers
    trust       checks at joining: version, replicas, syncing, a contest of writes
    connection  the connection, in a thread with an event loop of its own
    client      the client of NATS, which never sends in the clear if TLS is required
    address     addresses of servers; TLS and credentials from files and the environment

Subjects of a crawl: `lycosa.CRAWL.log.P`, `.in.P`, `.old.P` (archived batches), `.note.HASH`,
`.made` (one message, the first) and `.trial.ID` for the contest. All of them are in one stream with
one order: a reader that has seen a message has seen the notes before it.
"""
