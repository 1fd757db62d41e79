// Loaded into the program (LD_PRELOAD): counts its system calls on files below FAULT_ROOT, and fails the one of number FAULT_AT with
// FAULT_ERRNO. Each counted call is a line in FAULT_LOG. One that closes a file closes it and fails then, as the kernel does.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static atomic_int calls;
static atomic_uchar ours[65536];

static int isUnder(const char *path) {
  const char *root = getenv("FAULT_ROOT");
  if (root == NULL || path == NULL) return 0;
  return path[0] != '/' || strncmp(path, root, strlen(root)) == 0;
}

static int isOurs(int fd) { return fd >= 0 && fd < 65536 && ours[fd]; }

static int fails(const char *name, const char *path) {
  int number = atomic_fetch_add(&calls, 1) + 1;
  const char *log = getenv("FAULT_LOG");
  if (log != NULL) {
    static int (*realOpen)(const char *, int, ...);
    if (realOpen == NULL) realOpen = dlsym(RTLD_NEXT, "open");
    int fd = realOpen(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    dprintf(fd, "%s %s\n", name, path == NULL ? "" : path);
    close(fd);
  }
  const char *at = getenv("FAULT_AT");
  if (at == NULL || atoi(at) != number) return 0;
  errno = atoi(getenv("FAULT_ERRNO"));
  return 1;
}

#define REAL(name) static __typeof__(name) *real; if (real == NULL) real = dlsym(RTLD_NEXT, #name)

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; \
    va_start(more, flags); \
    mode_t mode = va_arg(more, mode_t); \
    va_end(more); \
    int under = isUnder(path); \
    if (under && fails("open", path)) return -1; \
    int fd = real(path, flags, mode); \
    if (fd >= 0 && fd < 65536) ours[fd] = under; \
    return fd; \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  REAL(close);
  int own = isOurs(fd);
  if (own) ours[fd] = 0;
  int result = real(fd);
  return own && fails("close", NULL) ? -1 : result;
}

#define ON_FILE(type, name, parameters, arguments) \
  type name parameters { \
    REAL(name); \
    return isOurs(fd) && fails(#name, NULL) ? -1 : real arguments; \
  }
ON_FILE(ssize_t, read, (int fd, void *bytes, size_t count), (fd, bytes, count))
ON_FILE(ssize_t, pread, (int fd, void *bytes, size_t count, off_t at), (fd, bytes, count, at))
ON_FILE(ssize_t, pread64, (int fd, void *bytes, size_t count, off64_t at), (fd, bytes, count, at))
ON_FILE(ssize_t, readv, (int fd, const struct iovec *parts, int count), (fd, parts, count))
ON_FILE(ssize_t, preadv64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at))
ON_FILE(ssize_t, write, (int fd, const void *bytes, size_t count), (fd, bytes, count))
ON_FILE(ssize_t, pwrite, (int fd, const void *bytes, size_t count, off_t at), (fd, bytes, count, at))
ON_FILE(ssize_t, pwrite64, (int fd, const void *bytes, size_t count, off64_t at), (fd, bytes, count, at))
ON_FILE(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
ON_FILE(ssize_t, pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at))
ON_FILE(int, fsync, (int fd), (fd))
ON_FILE(int, fdatasync, (int fd), (fd))
ON_FILE(int, ftruncate, (int fd, off_t size), (fd, size))
ON_FILE(int, ftruncate64, (int fd, off64_t size), (fd, size))
ON_FILE(int, fchmod, (int fd, mode_t mode), (fd, mode))
ON_FILE(int, futimens, (int fd, const struct timespec times[2]), (fd, times))

#define ON_PATH(name, parameters, arguments) \
  int name parameters { \
    REAL(name); \
    return isUnder(path) && fails(#name, path) ? -1 : real arguments; \
  }
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode))
ON_PATH(rmdir, (const char *path), (path))
ON_PATH(unlink, (const char *path), (path))
ON_PATH(rename, (const char *path, const char *to), (path, to))
ON_PATH(link, (const char *path, const char *to), (path, to))
ON_PATH(chmod, (const char *path, mode_t mode), (path, mode))

int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
  REAL(utimensat);
  return isUnder(path) && fails("utimensat", path) ? -1 : real(folder, path, times, flags);
}
