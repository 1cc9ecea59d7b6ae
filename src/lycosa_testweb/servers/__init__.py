"""Serves a web on loopback sockets, well or badly.

Every host has a loopback address of its own, as hosts of the real web have; what a server sees
goes to the referee.

    server        serves a web on loopback sockets
    connection    one HTTP/1.1 connection of that server
    doors         ways to accept connections: at once, slowly, never
    raw           the protocol of a web that needs sockets
    places        loopback addresses and the hosts file
    certificates  TLS certificates, good and bad
"""
