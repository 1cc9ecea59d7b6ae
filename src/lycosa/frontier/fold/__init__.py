"""The fold: what the events of a partition's log make of it. It reads nothing else.

state         applies one event after the other
holdings      what the state is made of
columns       facts of every URL, site and host, in flat arrays
visits        what visits have shown of changes, and the cycle under way
probes        what is known of the sites' error pages
guesses       what guessed URLs have been worth
traps         where hosts repeat themselves
address_book  addresses as numbers
packing       the whole state as bytes, for snapshots
"""
