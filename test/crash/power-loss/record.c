/*
 * Loaded before the C library (LD_PRELOAD), it writes down every change that the process makes to files below
 * STONECHAT_RECORD_DIR, in order, into STONECHAT_RECORD_LOG: writes with their bytes, truncations, removals and syncs.
 * One lock is held over each call and its record, so the order in the record is the order on the disk. Shared memory
 * (-shm) is left out: a power cut empties it. Little-endian machines only.
 *
 * While the file named by TEST_FAIL_SYNCS exists, every second sync of a database, the next of the WAL after it, and every
 * twentieth of a WAL fail with EIO, which is recorded too: the system then counts the pages as written, although they may not
 * be. As Linux does since 4.13, the next sync through each other descriptor of the file fails, too: a thread whose pages
 * another thread's sync has lost is told.
 *
 * A record: kind (1 byte), length of the path (2), thread (4), offset or size (8), length of the bytes (4), path, bytes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PATH_BYTES = 1024 };

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_unlink)(const char *);

static const char *folder;
static int record_fd = -1;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void die(const char *why) {
  fprintf(stderr, "power-loss recorder: %s\n", why);
  abort();
}

static void *find(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) die(name);
  return found;
}

static void start(void) {
  real_write = find("write");
  real_writev = find("writev");
  real_pwrite = find("pwrite64");
  real_fsync = find("fsync");
  real_fdatasync = find("fdatasync");
  real_ftruncate = find("ftruncate64");
  real_unlink = find("unlink");
  folder = getenv("STONECHAT_RECORD_DIR");
  const char *log = getenv("STONECHAT_RECORD_LOG");
  if (!folder || !log) return;
  /* Not open(), which is recorded and would wait for this function. */
  record_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (record_fd < 0) die("the record cannot be opened");
}

static int is_ours(const char *path) {
  if (record_fd < 0 || strncmp(path, folder, strlen(folder)) != 0) return 0;
  size_t length = strlen(path);
  return length < 4 || strcmp(path + length - 4, "-shm") != 0;
}

/* The path of a descriptor, if it is to be recorded. */
static int find_path(int fd, char path[PATH_BYTES]) {
  if (record_fd < 0 || fd == record_fd || fd <= 2) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_BYTES - 1);
  if (length < 0 || path[0] != '/') return 0;
  path[length] = 0;
  return is_ours(path);
}

static void put(char kind, const char *path, int64_t offset, const void *bytes, uint32_t size) {
  unsigned char head[19];
  uint16_t path_size = (uint16_t)strlen(path);
  uint32_t thread = (uint32_t)syscall(SYS_gettid);
  head[0] = (unsigned char)kind;
  memcpy(head + 1, &path_size, 2);
  memcpy(head + 3, &thread, 4);
  memcpy(head + 7, &offset, 8);
  memcpy(head + 15, &size, 4);
  struct iovec pieces[] = {
      {head, sizeof head}, {(void *)path, path_size}, {(void *)bytes, size}};
  ssize_t whole = (ssize_t)(sizeof head + path_size + size);
  if (real_writev(record_fd, pieces, 3) != whole) die("the record cannot be written");
}

static ssize_t write_at(int fd, const void *bytes, size_t size, off_t offset) {
  char path[PATH_BYTES];
  int ours = find_path(fd, path);
  if (!ours) return offset < 0 ? real_write(fd, bytes, size) : real_pwrite(fd, bytes, size, offset);
  pthread_mutex_lock(&order);
  off_t place = offset < 0 ? lseek(fd, 0, (fcntl(fd, F_GETFL) & O_APPEND) ? SEEK_END : SEEK_CUR) : offset;
  ssize_t done = offset < 0 ? real_write(fd, bytes, size) : real_pwrite(fd, bytes, size, offset);
  if (done > 0) put('W', path, place, bytes, (uint32_t)done);
  pthread_mutex_unlock(&order);
  return done;
}

static int ends_with(const char *path, const char *end) {
  size_t length = strlen(path), size = strlen(end);
  return length >= size && strcmp(path + length - size, end) == 0;
}

/* Called with the lock. */
static int sync_fails(const char *path) {
  static unsigned databases, wals, is_next;
  const char *flag = getenv("TEST_FAIL_SYNCS");
  if (!flag || access(flag, F_OK) != 0) return is_next = 0;
  if (ends_with(path, ".db")) return is_next = ++databases % 2 == 1;
  if (!ends_with(path, "-wal")) return 0;
  int fails = ++wals % 20 == 0 || is_next;
  is_next = 0;
  return fails;
}

enum { DATABASE, WAL, FILES, DESCRIPTORS = 4096 };
/* Failed syncs of a file, and how many of them each descriptor has reported. */
static unsigned failures[FILES], reported[FILES][DESCRIPTORS];

static int file_of(const char *path) { return ends_with(path, ".db") ? DATABASE : ends_with(path, "-wal") ? WAL : FILES; }

/* Whether a sync through another descriptor has failed since. Called with the lock, after a sync of this descriptor. */
static int must_report(int fd, const char *path, int fails) {
  int file = file_of(path);
  if (file == FILES || fd >= DESCRIPTORS) return fails;
  failures[file] += (unsigned)fails;
  int must = reported[file][fd] < failures[file];
  reported[file][fd] = failures[file];
  return must;
}

static int sync_with(int (*real)(int), int fd) {
  char path[PATH_BYTES];
  if (!find_path(fd, path)) return real(fd);
  pthread_mutex_lock(&order);
  int fails = sync_fails(path);
  int result = fails ? -1 : real(fd);
  if (fails) put('F', path, 0, "", 0);
  if (result == 0) put('S', path, 0, "", 0);
  if (must_report(fd, path, fails)) {
    errno = EIO;
    result = -1;
  }
  pthread_mutex_unlock(&order);
  return result;
}

/* A new descriptor does not report earlier failures, which others have reported. */
static int opened(int fd) {
  char path[PATH_BYTES];
  if (fd < 0 || fd >= DESCRIPTORS || !find_path(fd, path)) return fd;
  pthread_mutex_lock(&order);
  int file = file_of(path);
  if (file != FILES) reported[file][fd] = failures[file];
  pthread_mutex_unlock(&order);
  return fd;
}

int open64(const char *path, int flags, ...) {
  static int (*real)(const char *, int, mode_t);
  pthread_once(&once, start);
  if (!real) real = find("open64");
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened(real(path, flags, mode));
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open64(path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t size) {
  pthread_once(&once, start);
  return write_at(fd, bytes, size, -1);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t offset) {
  pthread_once(&once, start);
  return write_at(fd, bytes, size, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
  pthread_once(&once, start);
  return write_at(fd, bytes, size, offset);
}

/* Nobody who is recorded writes in pieces; if that changes, the record must not be silently wrong. */
ssize_t writev(int fd, const struct iovec *pieces, int count) {
  pthread_once(&once, start);
  char path[PATH_BYTES];
  if (find_path(fd, path)) die("writev to a recorded file");
  return real_writev(fd, pieces, count);
}

int fsync(int fd) {
  pthread_once(&once, start);
  return sync_with(real_fsync, fd);
}

int fdatasync(int fd) {
  pthread_once(&once, start);
  return sync_with(real_fdatasync, fd);
}

int ftruncate64(int fd, off_t size) {
  pthread_once(&once, start);
  char path[PATH_BYTES];
  if (!find_path(fd, path)) return real_ftruncate(fd, size);
  pthread_mutex_lock(&order);
  int result = real_ftruncate(fd, size);
  if (result == 0) put('T', path, size, "", 0);
  pthread_mutex_unlock(&order);
  return result;
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int unlink(const char *path) {
  pthread_once(&once, start);
  if (!is_ours(path)) return real_unlink(path);
  pthread_mutex_lock(&order);
  int result = real_unlink(path);
  if (result == 0) put('U', path, 0, "", 0);
  pthread_mutex_unlock(&order);
  return result;
}

int rename(const char *from, const char *to) {
  pthread_once(&once, start);
  if (is_ours(from) || is_ours(to)) die("rename of a recorded file");
  int (*real)(const char *, const char *) = find("rename");
  return real(from, to);
}
