"""Decodes HTTP responses: heads, chunked bodies, compressed bodies.

All functions are pure: bytes in, content out. The client (`fetch`) decodes an answer when it
arrives, and the store decodes it again when it is read from the archive. Both use this package,
so the content that was judged is the content that is read later.

    heads     parses status line and headers, and tells where the body ends
    chunks    removes the chunked transfer coding
    contents  decompresses gzip, deflate, brotli and zstd, up to a size limit
    _chunks       follows the chunks of a body, and takes them off (RFC 9112, 7.1), compiled;
                  `chunks` has the words
    _reading      the compiled parser; every page has a head, so its speed counts
    head          the record `Head`, and `BadHead`
    pure_reading  the same parser in Python, for rare heads and as the test oracle of `_reading`
"""
