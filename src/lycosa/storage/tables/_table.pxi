# The rows of a table that have not been flushed, in columns as Arrow has them.

cdef struct Column:
    char code
    int64_t missing
    Buffer valid  # a bit for each row; nothing while no value is missing
    Buffer values  # numbers, bits, or where each string ends
    Buffer content  # the strings


@cython.final
@cython.internal
@cython.auto_pickle(False)
cdef class Table:
    """Rows in columns; values of a row are put in the order of the columns.

    Always true: a row counts when `end_row` is reached. `undo` cuts off the values of a row that
    failed.
    """

    cdef Column columns[MOST_COLUMNS]
    cdef int width
    cdef int at
    cdef Py_ssize_t count

    def __cinit__(self, bytes codes not None):
        """Begin a table with these types of columns (`rows.CODES`)."""
        cdef int i
        if len(codes) > MOST_COLUMNS:
            raise ValueError("a table has too many columns")
        self.width = <int> len(codes)
        for i in range(self.width):
            self.columns[i].code = PyBytes_AS_STRING(codes)[i]

    def __dealloc__(self):
        cdef int i
        for i in range(self.width):
            free(self.columns[i].valid.data)
            free(self.columns[i].values.data)
            free(self.columns[i].content.data)

    cdef inline Column *next(self) except NULL:
        if self.at >= self.width:
            raise ValueError("a row has more values than its table has columns")
        return &self.columns[self.at]

    cdef inline int done(self, Column *column) except -1:
        if column.missing:
            put_bit(&column.valid, self.count, True)
        self.at += 1
        return 0

    cdef inline int number(self, int64_t value) except -1:
        """Put a number, or the bits of an unsigned one."""
        cdef Column *column = self.next()
        cdef char *out = room_for(&column.values, 8)
        if column.code == b"q" or column.code == b"Q":
            (<int64_t *> out)[0] = value
            column.values.size += 8
        elif column.code == b"i" and INT32_MIN <= value <= INT32_MAX:
            (<int32_t *> out)[0] = <int32_t> value
            column.values.size += 4
        elif column.code == b"h" and INT16_MIN <= value <= INT16_MAX:
            (<int16_t *> out)[0] = <int16_t> value
            column.values.size += 2
        else:
            raise OverflowError(f"{value} does not fit column {self.at}")
        return self.done(column)

    cdef inline int flag(self, bint value) except -1:
        cdef Column *column = self.next()
        if column.code != b"?":
            raise TypeError(f"column {self.at} has no flags")
        put_bit(&column.values, self.count, value)
        return self.done(column)

    cdef inline int text(self, object value) except -1:
        """Put a string; None is a missing one."""
        cdef Column *column = self.next()
        if value is None:
            return self.nothing()
        if column.code != b"s" or not PyUnicode_Check(value):
            raise TypeError(f"{value!r:.80} does not fit column {self.at}")
        put_text(&column.values, &column.content, value)
        return self.done(column)

    cdef inline int encoded(self, bytes value) except -1:
        """Put a string that is in UTF-8 already."""
        cdef Column *column = self.next()
        if column.code != b"s":
            raise TypeError(f"column {self.at} has no strings")
        put_string(
            &column.values, &column.content, PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value)
        )
        return self.done(column)

    cdef int nothing(self) except -1:
        """Put a missing value."""
        cdef Column *column = self.next()
        cdef Py_ssize_t row
        if not column.missing:
            column.valid.size = 0
            for row in range(self.count):
                put_bit(&column.valid, row, True)
        put_bit(&column.valid, self.count, False)
        if column.code == b"s":
            put_string(&column.values, &column.content, NULL, 0)
        elif column.code == b"?":
            put_bit(&column.values, self.count, False)
        else:
            memset(room_for(&column.values, 8), 0, 8)
            column.values.size += width_of(column)
        column.missing += 1
        self.at += 1
        return 0

    cdef int value(self, object value) except -1:
        """Put a value of whatever type its column has; None is a missing one."""
        cdef char code = self.next().code
        if value is None:
            return self.nothing()
        if code == b"s":
            return self.encoded(value) if type(value) is bytes else self.text(value)
        if code == b"?":
            return self.flag(value)
        if code == b"Q":
            return self.number(<int64_t> <uint64_t> value)
        return self.number(<int64_t> value)

    cdef int end_row(self) except -1:
        if self.at != self.width:
            raise ValueError("a row has fewer values than its table has columns")
        self.count += 1
        self.at = 0
        return 0

    cdef void undo(self) noexcept:
        """Cut off what was put of a row that is not whole."""
        cdef int i
        cdef Column *column
        for i in range(self.width):
            column = &self.columns[i]
            if i < self.at and column.missing and not has_bit(&column.valid, self.count):
                column.missing -= 1
            cut_bits(&column.valid, self.count if column.missing else 0)
            if column.code == b"?":
                cut_bits(&column.values, self.count)
            elif column.code != b"s":
                column.values.size = self.count * width_of(column)
            elif column.values.size:
                column.values.size = 4 * (self.count + 1)
                column.content.size = (<int32_t *> column.values.data)[self.count]
        self.at = 0

    cdef bytes message(self):
        """Return the rows as a message; there is at least one."""
        cdef Batch batch
        cdef Column *column
        cdef int i
        batch.rows, batch.columns, batch.parts = self.count, 0, 0
        for i in range(self.width):
            column = &self.columns[i]
            add_column(&batch, column.missing)
            add_part(&batch, &column.valid if column.missing else NULL)
            add_part(&batch, &column.values)
            if column.code == b"s":
                add_part(&batch, &column.content)
        return message_of(&batch, _BATCH_START)


cdef inline int width_of(Column *column) noexcept:
    return 4 if column.code == b"i" else 2 if column.code == b"h" else 8


cdef inline bint has_bit(Buffer *bits, Py_ssize_t at) noexcept:
    return bits.size > at >> 3 and bits.data[at >> 3] >> (at & 7) & 1
