"""Messages between partitions, and decisions on them.

mail        fetches what has come into the inboxes
inbox       decides on messages of other partitions: URLs, robots files, bids, batons
batons      lets partitions take turns at hosts that they share
cycles      plans revisits: partitions bid, each is told its share
losses      gives up records that were lost with a machine
owed_links  reads links from the store of objects, where another machine has put them
"""
