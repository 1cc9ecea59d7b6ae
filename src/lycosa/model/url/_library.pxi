# The ada library, called by the addresses of its functions: no C++ compiler is needed.
#
# `ada-url` carries the library with a C interface, and cffi knows where its functions are. The shapes
# of two structures are compiled into this module, so they are compared with cffi's view at import.

from ada_url._ada_wrapper import ffi as _ffi
from ada_url._ada_wrapper import lib as _lib


cdef extern from *:
    """
    /* The shapes that ada's C interface promises; compared with cffi's view of them at import. */
    typedef struct { const char *data; size_t length; } lycosa_text;
    typedef struct {
        uint32_t protocol_end, username_end, host_start, host_end;
        uint32_t port, pathname_start, search_start, hash_start;
    } lycosa_offsets;
    """
    ctypedef bint c_bool "_Bool"
    ctypedef struct lycosa_text:
        const char *data
        size_t length
    ctypedef struct lycosa_offsets:
        uint32_t protocol_end
        uint32_t username_end
        uint32_t host_start
        uint32_t host_end
        uint32_t port
        uint32_t pathname_start
        uint32_t search_start
        uint32_t hash_start

ctypedef void *(*parse_function)(const char *, size_t) noexcept
ctypedef void *(*parse_with_base_function)(const char *, size_t, const char *, size_t) noexcept
ctypedef void (*free_function)(void *) noexcept
ctypedef c_bool (*is_valid_function)(void *) noexcept
ctypedef lycosa_text (*get_href_function)(void *) noexcept
ctypedef const lycosa_offsets *(*get_components_function)(void *) noexcept

cdef enum:
    OMITTED = 0xFFFFFFFF    # where a URL lacks a component

cdef parse_function ada_parse
cdef parse_with_base_function ada_parse_with_base
cdef free_function ada_free
cdef is_valid_function ada_is_valid
cdef get_href_function ada_get_href
cdef get_components_function ada_get_components


cdef uintptr_t address_of(str name) except 0:
    return int(_ffi.cast("uintptr_t", _ffi.addressof(_lib, name)))


def _check_layout():
    """Refuse an ada whose structures are not the ones compiled into this module."""
    text = [name for name, _ in _ffi.typeof("ada_string").fields]
    offsets = [name for name, _ in _ffi.typeof("ada_url_components").fields]
    if (
        text != ["data", "length"]
        or _ffi.sizeof("ada_string") != sizeof(lycosa_text)
        or offsets != [
            "protocol_end", "username_end", "host_start", "host_end",
            "port", "pathname_start", "search_start", "hash_start",
        ]
        or _ffi.sizeof("ada_url_components") != sizeof(lycosa_offsets)
    ):
        raise ImportError(
            "the installed ada_url has another layout than Lycosa was written for; "
            "install a version that pyproject.toml allows"
        )


_check_layout()
ada_parse = <parse_function> address_of("ada_parse")
ada_parse_with_base = <parse_with_base_function> address_of("ada_parse_with_base")
ada_free = <free_function> address_of("ada_free")
ada_is_valid = <is_valid_function> address_of("ada_is_valid")
ada_get_href = <get_href_function> address_of("ada_get_href")
ada_get_components = <get_components_function> address_of("ada_get_components")


cdef str scalar(str text):
    """Put U+FFFD for every lone surrogate: only then has the text a UTF-8 form."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


cdef str well_formed(str text):
    """The text itself, or its repair if it has no UTF-8 form."""
    cdef Py_ssize_t size
    try:
        utf8(text, &size)
    except UnicodeEncodeError:
        return scalar(text)
    return text


cdef void *parsed(str url, str base) except? NULL:
    """An ada URL that the caller must free."""
    cdef Py_ssize_t size, base_size
    url = well_formed(url)
    cdef const char *data = utf8(url, &size)
    cdef const char *base_data
    if base is None:
        return ada_parse(data, size)
    base = well_formed(base)
    base_data = utf8(base, &base_size)
    return ada_parse_with_base(data, size, base_data, base_size)
