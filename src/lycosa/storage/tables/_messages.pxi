# Messages of an Arrow IPC stream, byte for byte as Arrow's own writer makes them.
#
# A message is a mark, the length of its metadata, the metadata, and the bytes of the columns, each
# padded to eight. The metadata is a flatbuffer (Message.fbs of Arrow). Its tables are the same for
# all batches of a kind: so its beginning is a template, in which lengths and places are filled in,
# and the places of all columns' bytes follow, then the rows and missing values of the columns.
#
# Never written: a batch without rows or without bytes. Flatbuffers leave out numbers that are zero,
# and such a message would have another beginning.

cdef enum:
    MOST_PARTS = 192
    MOST_COLUMNS = 64
    BATCH_HEAD = 80
    FIRST_DICTIONARY_HEAD = 96  # of the dictionary whose number is 0, which is left out
    DICTIONARY_HEAD = 104


cdef struct Batch:
    int64_t rows
    int columns
    int parts
    int64_t missing[MOST_COLUMNS]
    const char *data[MOST_PARTS]
    int64_t sizes[MOST_PARTS]


cdef bytes _START = bytes.fromhex("ffffffff 00000000 14000000 00000000")
cdef bytes _BATCH_START = _START + bytes.fromhex(
    "0c001600 06000500 08000c00 0c000000 00030400 18000000 00000000 00000000"
    "00000a00 18000c00 04000800 0a000000 00000000 10000000 00000000 00000000 00000000 00000000"
)
cdef bytes _DICTIONARY_MIDDLE = bytes.fromhex(
    "00000a00 18000c00 04000800 0a000000 00000000 10000000 00000000 00000000 00000000 00000000"
)
cdef bytes _DICTIONARY_MESSAGE = _START + bytes.fromhex(
    "0c001400 06000500 08000c00 0c000000 00020400 14000000 00000000 00000000"
)
cdef bytes _FIRST_DICTIONARY_START = (
    _DICTIONARY_MESSAGE + bytes.fromhex("08000a00 00000400 08000000 10000000") + _DICTIONARY_MIDDLE
)
cdef bytes _DICTIONARY_START = (
    _DICTIONARY_MESSAGE
    + bytes.fromhex("08001200 08000400 08000000 18000000 00000000 00000000")
    + _DICTIONARY_MIDDLE
)
assert len(_BATCH_START) == 8 + BATCH_HEAD
assert len(_FIRST_DICTIONARY_START) == 8 + FIRST_DICTIONARY_HEAD
assert len(_DICTIONARY_START) == 8 + DICTIONARY_HEAD


cdef inline void add_column(Batch *batch, int64_t missing) noexcept:
    batch.missing[batch.columns] = missing
    batch.columns += 1


cdef inline void add_part(Batch *batch, Buffer *buffer) noexcept:
    """Add bytes of the last column: which are missing, its values, its strings."""
    batch.data[batch.parts] = buffer.data if buffer != NULL else NULL
    batch.sizes[batch.parts] = buffer.size if buffer != NULL else 0
    batch.parts += 1


cdef inline int64_t padded(int64_t size) noexcept:
    return (size + 7) & ~<int64_t> 7


cdef inline char *put_number(char *out, int64_t number) noexcept:
    memcpy(out, &number, 8)
    return out + 8


cdef bytes message_of(Batch *batch, bytes start, int64_t dictionary=-1):
    """Return a batch as a message that begins as `start` does; or the values of a dictionary."""
    cdef int64_t head = PyBytes_GET_SIZE(start) - 8, body = 0
    cdef int64_t metadata = head + 16 * batch.parts + 8 + 16 * batch.columns
    cdef int32_t length = <int32_t> metadata, nodes = 28 + 16 * batch.parts
    cdef int i
    cdef bytes message
    cdef char *out
    for i in range(batch.parts):
        body += padded(batch.sizes[i])
    message = PyBytes_FromStringAndSize(NULL, 8 + metadata + body)
    out = PyBytes_AS_STRING(message)
    memcpy(out, PyBytes_AS_STRING(start), 8 + head)
    memcpy(out + 4, &length, 4)
    put_number(out + 8 + 32, body)
    if dictionary > 0:
        put_number(out + 8 + 56, dictionary)
    # The last three fields before the columns: where the nodes are, the rows, the number of parts.
    memcpy(out + 8 + head - 24, &nodes, 4)
    put_number(out + 8 + head - 16, batch.rows)
    memcpy(out + 8 + head - 4, &batch.parts, 4)
    put_columns(batch, out + 8 + head)
    put_parts(batch, out + 8 + metadata)
    return message


cdef void put_columns(Batch *batch, char *out) noexcept:
    """Write where the bytes of the columns are, and how many of their rows are missing."""
    cdef int64_t at = 0
    cdef int i
    for i in range(batch.parts):
        out = put_number(put_number(out, at), batch.sizes[i])
        at += padded(batch.sizes[i])
    memset(out, 0, 4)
    memcpy(out + 4, &batch.columns, 4)
    out += 8
    for i in range(batch.columns):
        out = put_number(put_number(out, batch.rows), batch.missing[i])


cdef void put_parts(Batch *batch, char *out) noexcept:
    cdef int i
    cdef int64_t size
    for i in range(batch.parts):
        size = batch.sizes[i]
        if size:
            memcpy(out, batch.data[i], size)
            memset(out + size, 0, padded(size) - size)
            out += padded(size)
