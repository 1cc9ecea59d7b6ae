"""Fetching: what stands between a chosen URL and the bytes of its answer.

A host that is met for the first time is asked for its robots file (`robots`).
The answer is compiled for our agent alone (`robots.compile_robots`); the compact form of
the rules goes to the log, the file itself to the archive, and every later URL of the site
is decided in memory. When a host answers 429 or 503, `retry_after` says how long it wants
to be left alone.

The way to the web is `client.HttpTransport`. `names` finds a host's address and `guard` judges
it. An `exchange` carries the request there and nowhere else, over a socket of our own (`direct`,
with `framing`) or by libcurl (`curl`: TLS, proxies), and asks the guard and the lease once
more when the connection stands. `answers` makes an answer of what came: the bytes as sent for
the archive, and the content, with its codings undone under a bound.

Always true:
  * nothing here waits, and nothing here decides when a request may be sent: the pause
    between requests belongs to the frontier;
  * what a server says can make us ask less, never crash.
"""
