/* Preloaded into a member: its disk becomes slow, its wall clock jumps, as a small file says.

   LYCOSA_BROKEN names the file: three numbers of 64 bits, which are read anew at each call.

       seconds that the wall clock is ahead
       microseconds that each fsync and fdatasync takes longer
       microseconds that each write to a regular file takes longer

   The monotonic clocks stay as they are: they do not jump on a real machine either. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t *told;

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("LYCOSA_BROKEN");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *found = mmap(NULL, 24, PROT_READ, MAP_SHARED, file, 0);
    if (found != MAP_FAILED) told = found;
    close(file);
}

static int64_t number(int which) { return told ? told[which] : 0; }

static void wait_for(int64_t microseconds) {
    struct timespec left = {microseconds / 1000000, microseconds % 1000000 * 1000};
    while (microseconds > 0 && nanosleep(&left, &left) != 0) {}
}

static int is_file(int descriptor) {
    struct stat found;
    return number(2) > 0 && fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int clock_gettime(clockid_t clock, struct timespec *moment) {
    static __typeof__(&clock_gettime) real;
    if (!real) real = REAL(clock_gettime);
    int result = real(clock, moment);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        moment->tv_sec += number(0);
    return result;
}

int gettimeofday(struct timeval *restrict moment, void *restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    moment->tv_sec = now.tv_sec;
    moment->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}

int fsync(int descriptor) {
    wait_for(number(1));
    return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
    wait_for(number(1));
    return (int)syscall(SYS_fdatasync, descriptor);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (is_file(descriptor)) wait_for(number(2));
    return syscall(SYS_write, descriptor, bytes, count);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    if (is_file(descriptor)) wait_for(number(2));
    return syscall(SYS_writev, descriptor, parts, count);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t at) {
    if (is_file(descriptor)) wait_for(number(2));
    return syscall(SYS_pwrite64, descriptor, bytes, count, at);
}
