/* Counts what is allocated: loaded before the C library, with PYTHONMALLOC=malloc, so that Python's own objects come here too.
   At the end the number of calls is written to the file that LYCOSA_ALLOCATIONS names. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static unsigned long counted;

void *malloc(size_t size) {
    __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}

void *calloc(size_t many, size_t size) {
    __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED);
    return __libc_calloc(many, size);
}

void *realloc(void *before, size_t size) {
    __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED);
    return __libc_realloc(before, size);
}

__attribute__((destructor)) static void tell(void) {
    const char *name = getenv("LYCOSA_ALLOCATIONS");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (file) {
        fprintf(file, "%lu\n", counted);
        fclose(file);
    }
}
