"""Sends requests to the web and turns what comes back into answers.

The first request to a site is for its robots file. The file is compiled for our agent alone; the
rules go to the log, the file itself to the archive, and every later URL of the site is decided in
memory. `client.HttpTransport` is the way to the web: it resolves a host, has the guard judge
the address, and sends the request there and nowhere else, over our own sockets or, through a
proxy, by libcurl. When the connection stands, guard and lease are checked once more.

    client        the transport: sends requests, enforces time limits, delivers answers
    _delivery     the half of it that every page passes through, compiled
    http          one request on its way: plain, over TLS, through a proxy
    dns           resolves host names, by c-ares or a hosts file
    guard         judges IP addresses: private networks, metadata services
    ports         ports of other services than the web
    certificates  the certificate authorities that TLS trusts
    access        secrets of a login: headers, given cookies, and taking them out of records
    secrets       `${NAME}` in a job: from the environment, or from a private file
    cookies       session cookies, for jobs that want them
    robots        what robots files permit
    retry_after   parses `Retry-After` headers
    browser       a browser without network: renders a page from given parts
    coding        decodes responses: heads, chunked bodies, compressed bodies

Always true:
  * nothing here waits, and nothing here decides when a request may be sent: the pause
    between requests belongs to the frontier;
  * what a server says can make us ask less, never crash.
"""
