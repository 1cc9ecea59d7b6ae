"""How HTTP writes an answer: its head, and what it wraps the body in, taken off.

Pure: bytes in, bytes out, and how far they went. Whoever receives an answer (`fetch`) and
whoever reads it back from the archive (`store`) do the same here, so that the content that
was judged is the content that is read later.
"""
