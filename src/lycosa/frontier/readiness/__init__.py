"""Which hosts may be asked now.

hosts      a partition's hosts: asleep, awake, taken
addresses  one request at a time per address, for all hosts behind it
slots      the same between processes of one machine
agenda     what is due when, in one heap
"""
