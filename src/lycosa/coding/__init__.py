"""What HTTP wraps bodies in, taken off: chunks, and the codings of contents.

Pure: bytes in, bytes out, and how far they went. Whoever receives an answer (`fetch`) and
whoever reads it back from the archive (`store`) do the same here, so that the content that
was judged is the content that is read later.
"""
