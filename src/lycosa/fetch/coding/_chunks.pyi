"""Types of the compiled module; what it does is told in `_chunks.pyx`."""

class ChunkReader:
    """Follows the chunks of one body to their end, as it arrives."""

    is_broken: bool
    """Whether a chunk was malformed, so that the end of the answer cannot be found."""

    def take(self, data: bytes) -> int | None: ...

def taken_off(sent: bytes) -> tuple[bytes, int]: ...
