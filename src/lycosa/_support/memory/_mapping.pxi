# A place in memory that begins at a multiple of the large page, and asks for such pages.
#
# Included by what keeps much: the arenas of Python's small objects, and the arrays of the URL table.

cdef extern from *:
    """
    #include <stddef.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    #define LYCOSA_PAGE ((size_t)1 << 21)

    #if defined(MADV_HUGEPAGE)
    /* `size` bytes, a multiple of the page, none of them touched; NULL where there are none. */
    static void *lycosa_map(size_t size) {
        char *found = mmap(NULL, size + LYCOSA_PAGE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        size_t skipped;
        if (found == MAP_FAILED)
            return NULL;
        skipped = -(size_t)found & (LYCOSA_PAGE - 1);
        if (skipped)
            munmap(found, skipped);
        munmap(found + skipped + size, LYCOSA_PAGE - skipped);
        madvise(found + skipped, size, MADV_HUGEPAGE);
        return found + skipped;
    }
    static void lycosa_unmap(void *place, size_t size) { munmap(place, size); }
    #else
    static void *lycosa_map(size_t size) { (void)size; return NULL; }
    static void lycosa_unmap(void *place, size_t size) { (void)place; (void)size; }
    #endif
    """
    const size_t LARGE_PAGE "LYCOSA_PAGE"
    void *map_large "lycosa_map"(size_t) noexcept nogil
    void unmap "lycosa_unmap"(void *, size_t) noexcept nogil
