"""Carries one request to one address, and what comes back to its answer.

exchange     the surroundings of a request on its way, and what a carrier is
_exchange    one request on its way, whichever carrier sends it; compiled
_wires       the usual way of a page over a connection that stands; compiled
http1        plain HTTP over our own sockets: what is rarer
tls          HTTP over TLS, the same behind a handshake
kept         which connections are kept for the next request, and for how long
curl         proxies, by libcurl
proxies      where a job's proxy is, and whether a peer is it
undelivered  keeps the kernel from delivering a request that was given up
answers      builds the `Answer` from head, body and failure
throttle     limits the bandwidth of all connections together
"""
