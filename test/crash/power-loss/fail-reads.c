/*
 * Loaded before the C library (LD_PRELOAD). While the file named by TEST_FAIL_READS exists, every positioned read of
 * a file whose name ends in ".db" fails with EIO, as on a disk that has gone bad.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(int fd) {
  const char *flag = getenv("TEST_FAIL_READS");
  if (!flag || access(flag, F_OK) != 0) return 0;
  char link[64], path[1024];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  return length > 3 && memcmp(path + length - 3, ".db", 3) == 0;
}

ssize_t pread64(int fd, void *bytes, size_t count, off64_t at) {
  static ssize_t (*real)(int, void *, size_t, off64_t);
  if (!real) real = (ssize_t (*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
  if (fails(fd)) {
    errno = EIO;
    return -1;
  }
  return real(fd, bytes, count, at);
}

ssize_t pread(int fd, void *bytes, size_t count, off_t at) { return pread64(fd, bytes, count, at); }
