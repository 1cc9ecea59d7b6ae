# Arrays that grow. Large ones lie in large pages where the system has them.
#
# A random look into many megabytes of small pages waits for the page's address before it waits for
# the memory. `realloc` cannot keep large pages: it moves an array to an address that is not a
# multiple of theirs, and the system takes them apart. So from two of them on an array has a mapping
# of its own that begins at such a multiple, and is moved, without being copied, to another one when
# it grows.

include "../../_support/memory/_mapping.pxi"

cdef extern from *:
    """
    #include <stdlib.h>
    #include <string.h>
    #define LYCOSA_LARGE (2 * LYCOSA_PAGE)

    /* Mappings are the system's: AddressSanitizer sees the bounds of what `malloc` gave alone. */
    #if !defined(LYCOSA_SANITIZED) && defined(MREMAP_MAYMOVE) && defined(MREMAP_FIXED) && defined(MADV_HUGEPAGE)
    static size_t lycosa_room(size_t size) {
        return size < LYCOSA_LARGE ? size : (size + LYCOSA_PAGE - 1) & ~(LYCOSA_PAGE - 1);
    }
    static void lycosa_drop(void *p, size_t size) {
        if (p && size >= LYCOSA_LARGE)
            munmap(p, size);
        else
            free(p);
    }
    static void *lycosa_grow(void *p, size_t old, size_t size) {
        void *moved;
        if (size < LYCOSA_LARGE && old < LYCOSA_LARGE)
            return realloc(p, size);
        moved = size < LYCOSA_LARGE ? malloc(size) : lycosa_map(size);
        if (!moved)
            return NULL;
        if (size >= LYCOSA_LARGE && old >= LYCOSA_LARGE) {
            size_t kept = old < size ? old : size;
            if (mremap(p, kept, kept, MREMAP_MAYMOVE | MREMAP_FIXED, moved) == MAP_FAILED) {
                munmap(moved, size);
                return NULL;
            }
            if (old > kept)
                munmap((char *)p + kept, old - kept);
        } else if (p) {
            memcpy(moved, p, old < size ? old : size);
            lycosa_drop(p, old);
        }
        return moved;
    }
    #else
    static size_t lycosa_room(size_t size) { return size; }
    static void lycosa_drop(void *p, size_t size) { (void)size; free(p); }
    static void *lycosa_grow(void *p, size_t old, size_t size) {
        (void)old;
        return realloc(p, size);
    }
    #endif
    """
    # How many bytes an array gets that needs so many; the others want sizes that came from here.
    size_t room_for "lycosa_room"(size_t) noexcept nogil
    void *resize "lycosa_grow"(void *, size_t, size_t) noexcept nogil
    void drop "lycosa_drop"(void *, size_t) noexcept nogil

cdef struct Memory:
    # The memory of one array.
    void *data
    size_t size         # bytes


cdef int make_room(Memory *memory, size_t wanted) except -1:
    """Let an array have so many bytes at least; if it has not, it grows by an eighth or more."""
    if wanted > memory.size:
        set_room(memory, max(wanted, memory.size + memory.size // 8 + 256))
    return 0


cdef int set_room(Memory *memory, size_t wanted) except -1:
    """Let an array have so many bytes, and what its last page has beyond them."""
    cdef size_t size = room_for(wanted)
    cdef void *moved = resize(memory.data, memory.size, size)
    if not moved:
        raise MemoryError
    memory.data = moved
    memory.size = size
    return 0


cdef inline void drop_room(Memory *memory) noexcept:
    drop(memory.data, memory.size)
    memory.data = NULL
    memory.size = 0
