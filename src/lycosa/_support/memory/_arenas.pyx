"""Allocates the arenas of Python's small objects from large memory pages.

Python asks for arenas of 1 MB and maps each of them in small pages. Here arenas are cut out of
blocks that are one large page each. Only the mapping that an arena comes from changes.

Always true:
  * an arena lies in one block, and no two of them overlap;
  * a block without arenas is returned to the system, except one, which the next arena will need;
  * memory that was not allocated here is freed by the allocator it came from, and that allocator
    provides the arena when no block can be mapped.

Everything here runs while the interpreter holds its lock, and touches no Python object: it is
called while one is being created.
"""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport realloc

cdef extern from "Python.h":
    ctypedef struct PyObjectArenaAllocator:
        void *ctx
        void *(*alloc)(void *ctx, size_t size) noexcept nogil
        void (*free)(void *ctx, void *ptr, size_t size) noexcept nogil

    void PyObject_GetArenaAllocator(PyObjectArenaAllocator *)
    void PyObject_SetArenaAllocator(PyObjectArenaAllocator *)

include "_mapping.pxi"

cdef enum:
    MOST_ARENAS = 32  # in a block: as many as `used` has bits

cdef struct Block:
    char *begin
    unsigned int used  # a bit for each arena that is given out

cdef PyObjectArenaAllocator usual
cdef bint is_installed = False
cdef size_t arena_bytes = 0  # of all arenas of this interpreter, known with the first
cdef Block *blocks = NULL
cdef size_t count = 0, room = 0
cdef size_t vacant = 0  # no block before this one has room for an arena


def install():
    """Let all arenas from now on lie in large pages; harmless when it has been done."""
    global is_installed
    cdef PyObjectArenaAllocator ours
    if not is_installed:
        is_installed = True
        PyObject_GetArenaAllocator(&usual)
        ours.ctx, ours.alloc, ours.free = NULL, give, take_back
        PyObject_SetArenaAllocator(&ours)


def holds(uintptr_t address):
    """Return whether something lies in one of the blocks."""
    return find(<char *> address) < count


def block_count():
    """Return how many blocks there are."""
    return count


cdef void *give(void *context, size_t size) noexcept nogil:
    global arena_bytes, vacant
    cdef unsigned int whole, k
    cdef Block *block
    if not arena_bytes:
        arena_bytes = size
    if size != arena_bytes or LARGE_PAGE % size or LARGE_PAGE // size > MOST_ARENAS:
        return usual.alloc(usual.ctx, size)
    whole = all_of(size)
    while vacant < count and blocks[vacant].used == whole:
        vacant += 1
    if vacant == count and not add_block():
        return usual.alloc(usual.ctx, size)
    block = blocks + vacant
    k = 0
    while block.used >> k & 1:
        k += 1
    block.used |= 1u << k
    return block.begin + k * size


cdef void take_back(void *context, void *arena, size_t size) noexcept nogil:
    global vacant
    cdef size_t place = find(<char *> arena)
    cdef Block *block
    if place == count:
        usual.free(usual.ctx, arena, size)
        return
    block = blocks + place
    block.used &= ~(1u << (<unsigned int> ((<char *> arena - block.begin) // size)))
    if place < vacant:
        vacant = place
    if not block.used:
        drop_spare(place)


cdef unsigned int all_of(size_t size) noexcept nogil:
    """Return the bits of a block that is full."""
    cdef size_t arenas = LARGE_PAGE // size
    return <unsigned int> ((<unsigned long long> 1 << arenas) - 1)


cdef bint add_block() noexcept nogil:
    global blocks, count, room
    cdef size_t more = 2 * room if room else 64
    cdef void *grown
    cdef char *begin
    if count == room:
        grown = realloc(blocks, more * sizeof(Block))
        if grown == NULL:
            return False
        blocks, room = <Block *> grown, more
    begin = <char *> map_large(LARGE_PAGE)
    if begin == NULL:
        return False
    blocks[count].begin, blocks[count].used = begin, 0
    count += 1
    return True


cdef size_t find(char *address) noexcept nogil:
    """Return in which block something lies, `count` if in none; there are few, and this is seldom
    asked."""
    cdef size_t place
    for place in range(count):
        if blocks[place].begin <= address < blocks[place].begin + LARGE_PAGE:
            return place
    return count


cdef void drop_spare(size_t emptied) noexcept nogil:
    """Give an empty block back if there is another one."""
    global count, vacant
    cdef size_t place
    for place in range(count):
        if place != emptied and not blocks[place].used:
            unmap(blocks[emptied].begin, LARGE_PAGE)
            count -= 1
            blocks[emptied] = blocks[count]
            vacant = 0
            return


cdef extern from "sys/prctl.h" nogil:
    int prctl(int option, ...)
    enum: PR_SET_PDEATHSIG


def die_with_parent():
    """Let the kernel kill this process when the one that has forked it dies."""
    prctl(PR_SET_PDEATHSIG, <unsigned long>9)
