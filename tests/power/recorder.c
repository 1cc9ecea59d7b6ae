/* Preloaded into a crawl: writes down what it does to its files, so that a power cut can be replayed.

   LYCOSA_CUT_ROOT names the folder that is watched, LYCOSA_CUT_LOG the file that is appended to. A
   record is a head and the bytes that it speaks of:

       kind, length of the first and the second text or of the data, inode, offset or size

   It is written after the call has succeeded and before it returns. So a call that another one could
   know of is written down before that one is. fsync and fdatasync do nothing else: what the disk
   would have is decided from the record (`disk.py`). Memory that is mapped is not seen; a crawl keeps
   nothing in it that must last. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_FILES 65536

struct head { char kind; char unused[3]; uint32_t first, second; uint64_t inode; int64_t at; };

static const char *root;
static size_t root_length;
static int record = -1;
static char watched[MOST_FILES];

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("LYCOSA_CUT_LOG");
    root = getenv("LYCOSA_CUT_ROOT");
    if (!name || !root) return;
    root_length = strlen(root);
    int file = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    record = syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, 900);
    syscall(SYS_close, file);
}

static void note(char kind, const char *one, size_t first, const char *two, size_t second,
                 uint64_t inode, int64_t at) {
    struct head head = {kind, {0}, first, second, inode, at};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)one, first}, {(void *)two, second}};
    int saved = errno;
    syscall(SYS_writev, record, parts, 3);
    errno = saved;
}

static void note_paths(char kind, const char *one, const char *two, uint64_t inode) {
    note(kind, one, strlen(one), two, two ? strlen(two) : 0, inode, 0);
}

/* Returns whether a file is watched, and its whole path. */
static int resolve(int folder, const char *name, char *path) {
    if (record < 0) return 0;
    if (name[0] == '/') snprintf(path, PATH_MAX, "%s", name);
    else {
        char link[64], base[PATH_MAX];
        if (folder == AT_FDCWD) strcpy(link, "/proc/self/cwd");
        else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, base, sizeof base - 1);
        if (length < 0) return 0;
        base[length] = 0;
        if (snprintf(path, PATH_MAX, "%s/%s", base, name) >= PATH_MAX) return 0;
    }
    return strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || !path[root_length]);
}

static int inode_of(int descriptor, struct stat *found) {
    if (record < 0 || descriptor < 0 || descriptor >= MOST_FILES || !watched[descriptor]) return 0;
    return fstat(descriptor, found) == 0 && S_ISREG(found->st_mode);
}

static void note_data(int descriptor, const struct iovec *parts, int count, int64_t at, ssize_t done) {
    struct stat found;
    if (done <= 0 || !inode_of(descriptor, &found)) return;
    for (int n = 0; n < count && done > 0; n++) {
        size_t size = parts[n].iov_len < (size_t)done ? parts[n].iov_len : (size_t)done;
        if (size) note('W', parts[n].iov_base, size, NULL, 0, found.st_ino, at);
        at += size;
        done -= size;
    }
}

int openat(int folder, const char *name, int flags, ...) {
    mode_t mode = 0;
    if (flags & (O_CREAT | __O_TMPFILE)) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    char path[PATH_MAX];
    struct stat found;
    int is_watched = resolve(folder, name, path);
    int is_new = is_watched && (flags & O_CREAT)
                 && syscall(SYS_newfstatat, folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0;
    int result = syscall(SYS_openat, folder, name, flags, mode);
    if (result < 0 || result >= MOST_FILES) return result;
    watched[result] = is_watched;
    if (is_watched && fstat(result, &found) == 0 && S_ISREG(found.st_mode)) {
        if (is_new) note_paths('C', path, NULL, found.st_ino);
        else if (flags & O_TRUNC) note('T', NULL, 0, NULL, 0, found.st_ino, 0);
    }
    return result;
}

int open(const char *name, int flags, ...) {
    mode_t mode = 0;
    if (flags & (O_CREAT | __O_TMPFILE)) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    return openat(AT_FDCWD, name, flags, mode);
}

int close(int descriptor) {
    if (descriptor >= 0 && descriptor < MOST_FILES) watched[descriptor] = 0;
    if (descriptor == record && record >= 0) return 0;
    return syscall(SYS_close, descriptor);
}

static int64_t position(int descriptor) { return syscall(SYS_lseek, descriptor, 0, SEEK_CUR); }

ssize_t write(int descriptor, const void *data, size_t size) {
    ssize_t done = syscall(SYS_write, descriptor, data, size);
    struct iovec part = {(void *)data, size};
    if (descriptor >= 0 && descriptor < MOST_FILES && watched[descriptor] && done > 0)
        note_data(descriptor, &part, 1, position(descriptor) - done, done);
    return done;
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    ssize_t done = syscall(SYS_writev, descriptor, parts, count);
    if (descriptor >= 0 && descriptor < MOST_FILES && watched[descriptor] && done > 0)
        note_data(descriptor, parts, count, position(descriptor) - done, done);
    return done;
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t at) {
    ssize_t done = syscall(SYS_pwrite64, descriptor, data, size, at);
    struct iovec part = {(void *)data, size};
    note_data(descriptor, &part, 1, at, done);
    return done;
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t at) {
    ssize_t done = syscall(SYS_pwritev, descriptor, parts, count, at, 0);
    note_data(descriptor, parts, count, at, done);
    return done;
}

ssize_t pwritev2(int descriptor, const struct iovec *parts, int count, off_t at, int flags) {
    ssize_t done = syscall(SYS_pwritev2, descriptor, parts, count, at, 0, flags);
    note_data(descriptor, parts, count, at, done);
    return done;
}

int ftruncate(int descriptor, off_t size) {
    int result = syscall(SYS_ftruncate, descriptor, size);
    struct stat found;
    if (result == 0 && inode_of(descriptor, &found)) note('T', NULL, 0, NULL, 0, found.st_ino, size);
    return result;
}

int posix_fallocate(int descriptor, off_t at, off_t size) {
    struct stat before, found;
    int is_known = inode_of(descriptor, &before);
    if (syscall(SYS_fallocate, descriptor, 0, at, size) != 0) return errno;
    if (is_known && inode_of(descriptor, &found) && found.st_size > before.st_size)
        note('T', NULL, 0, NULL, 0, found.st_ino, found.st_size);
    return 0;
}

int fsync(int descriptor) {
    struct stat found;
    if (record < 0 || descriptor < 0 || descriptor >= MOST_FILES || !watched[descriptor])
        return syscall(SYS_fsync, descriptor);
    if (fstat(descriptor, &found) != 0) return -1;
    if (S_ISDIR(found.st_mode)) {
        char path[PATH_MAX], link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
        if (length > 0) note('D', path, length, NULL, 0, found.st_ino, 0);
    } else note('S', NULL, 0, NULL, 0, found.st_ino, 0);
    return 0;
}

int fdatasync(int descriptor) { return fsync(descriptor); }

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
    int result = syscall(SYS_renameat2, from, old, to, new, flags);
    char before[PATH_MAX], after[PATH_MAX];
    if (result == 0 && resolve(from, old, before) + resolve(to, new, after) == 2)
        note_paths('R', before, after, 0);
    return result;
}

int renameat(int from, const char *old, int to, const char *new) {
    return renameat2(from, old, to, new, 0);
}

int rename(const char *old, const char *new) { return renameat2(AT_FDCWD, old, AT_FDCWD, new, 0); }

int unlinkat(int folder, const char *name, int flags) {
    char path[PATH_MAX];
    int is_watched = resolve(folder, name, path);
    int result = syscall(SYS_unlinkat, folder, name, flags);
    if (result == 0 && is_watched) note_paths('U', path, NULL, 0);
    return result;
}

int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }

int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }

int mkdirat(int folder, const char *name, mode_t mode) {
    char path[PATH_MAX];
    int result = syscall(SYS_mkdirat, folder, name, mode);
    if (result == 0 && resolve(folder, name, path)) note_paths('M', path, NULL, 0);
    return result;
}

int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

int linkat(int from, const char *old, int to, const char *new, int flags) {
    int result = syscall(SYS_linkat, from, old, to, new, flags);
    char before[PATH_MAX], after[PATH_MAX];
    if (result == 0 && resolve(from, old, before) + resolve(to, new, after) == 2)
        note_paths('L', before, after, 0);
    return result;
}

int link(const char *old, const char *new) { return linkat(AT_FDCWD, old, AT_FDCWD, new, 0); }

int open64(const char *, int, ...) __attribute__((alias("open")));
int openat64(int, const char *, int, ...) __attribute__((alias("openat")));
ssize_t pwrite64(int, const void *, size_t, off64_t) __attribute__((alias("pwrite")));
ssize_t pwritev64(int, const struct iovec *, int, off64_t) __attribute__((alias("pwritev")));
ssize_t pwritev64v2(int, const struct iovec *, int, off64_t, int) __attribute__((alias("pwritev2")));
int ftruncate64(int, off64_t) __attribute__((alias("ftruncate")));
int posix_fallocate64(int, off64_t, off64_t) __attribute__((alias("posix_fallocate")));
