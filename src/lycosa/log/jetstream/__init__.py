"""The log of a crawl in NATS JetStream: one replicated stream, a cluster without a centre.

    log         the log itself, called from any thread
    writing     commits as atomic batches; tells refused from superseded
    reading     reads from the leader, all heads at once, and ranges of a subject
    mailbox     the inboxes of this process's partitions, kept up to date in the background
    messages    subjects, headers, and large payloads in parts
    stream      makes a crawl's stream, or checks that it is as we made it
    listing     lists the crawls of the servers
    trust       what is checked at joining: version, replicas, syncing, a contest of writes
    connection  the connection, in a thread with an event loop of its own
    client      the client of NATS, which never speaks in the clear where TLS was asked for
    address     where the servers are; TLS and credentials from files and the environment

Subjects of a crawl: `lycosa.CRAWL.log.P`, `.in.P`, `.old.P` (archived batches), `.note.HASH`,
`.made` (one message, the first) and `.trial.ID` for the contest. All lie in one stream, so one
order holds for all: who has seen a message has seen the notes that came before it.
"""
