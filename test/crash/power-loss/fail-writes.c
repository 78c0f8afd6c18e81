/*
 * Loaded before the C library (LD_PRELOAD). While the file named by TEST_FAIL_WRITES exists, writes at an offset and syncs of
 * the database and its WAL fail with EIO, as on a disk that goes bad. The file has three percentages: of writes, of syncs of
 * the WAL, and of syncs of the database. Each failure appends one letter to the file with the same name and ".count": w for a
 * write, s for a sync of the WAL, d for a sync of the database.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int ends_with(const char *path, const char *end) {
  size_t length = strlen(path), size = strlen(end);
  return length >= size && strcmp(path + length - size, end) == 0;
}

/* d for a database, s for its WAL, 0 for other files. */
static char kind_of(int fd) {
  char link[64], path[1024];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return ends_with(path, ".db") ? 'd' : ends_with(path, ".db-wal") ? 's' : 0;
}

static int percentage(const char *flag, char kind) {
  char text[32] = "";
  int writes = 0, wals = 0, databases = 0;
  int fd = open(flag, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  if (read(fd, text, sizeof text - 1) < 0) text[0] = 0;
  close(fd);
  sscanf(text, "%d %d %d", &writes, &wals, &databases);
  return kind == 'w' ? writes : kind == 's' ? wals : databases;
}

/* One sequence for all threads: one per thread would begin again with every thread that takes over. */
static unsigned next_random(void) {
  static _Atomic unsigned state = 20261119;
  unsigned x = state += 0x9e3779b9u;
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

static int fails(int fd, int is_write) {
  const char *flag = getenv("TEST_FAIL_WRITES");
  if (!flag || access(flag, F_OK) != 0) return 0;
  char kind = kind_of(fd);
  if (kind && is_write) kind = 'w';
  if (!kind || (int)(next_random() % 100) >= percentage(flag, kind)) return 0;
  char name[1024];
  snprintf(name, sizeof name, "%s.count", flag);
  int count = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (count < 0 || write(count, &kind, 1) != 1) abort();
  close(count);
  errno = EIO;
  return 1;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (!real) real = (ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  return fails(fd, 1) ? -1 : real(fd, bytes, count, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return pwrite64(fd, bytes, count, at); }

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return fails(fd, 0) ? -1 : real(fd);
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  return fails(fd, 0) ? -1 : real(fd);
}
