// The part of each random program that is the same: compiled once, by plain clang.
//
// Each run is a process of its own, so that errors, aborts and accesses outside of an array end only that run, and are
// part of what is printed. Everything is written at once: what was said before an abort counts.
#include "guard.h"
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, MOST = 64, SECONDS = 20 };

static struct {
  const void *data;
  long count;
  char kind;
  int is_restricted;
} watched[MOST];
static int watches;

static void print(const char *format, ...) {
  char line[128];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (write(1, line, length) != length)
    _exit(99);
}

// Memory that begins right behind an inaccessible page, or ends (`back`) right before one.
void *place(size_t bytes, int back) {
  size_t whole = (bytes + PAGE - 1) / PAGE * PAGE;
  char *start = mmap(NULL, whole + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED || (whole && mprotect(start + PAGE, whole, PROT_READ | PROT_WRITE)))
    _exit(98);
  return start + PAGE + (back ? whole - bytes : 0);
}

// Gives an array its first values; its last ones are printed at the end. The kind is the element's first letter,
// a capital one if it is unsigned.
void fill(void *data, long count, char kind, int seed) {
  uint32_t state = seed * 2654435761u + 12345;
  for (long at = 0; at < count; at++) {
    state = state * 1664525 + 1013904223;
    double real = (int32_t)state / 1234567890.0;
    int small = (int)(state >> 24) % 23 - 5;
    switch (kind) {
    case 'd': ((double *)data)[at] = real; break;
    case 'f': ((float *)data)[at] = (float)real; break;
    case 'l': case 'L': ((int64_t *)data)[at] = small; break;
    case 'i': case 'I': ((int32_t *)data)[at] = small; break;
    case 's': case 'S': ((int16_t *)data)[at] = small; break;
    default: ((int8_t *)data)[at] = small;
    }
  }
  if (watches == MOST)
    _exit(97);
  watched[watches].data = data, watched[watches].count = count, watched[watches].kind = kind;
  watched[watches++].is_restricted = 0;
}

// What was filled last is passed as `restrict`: while that function runs, nobody else may look at it.
void restricted(void) { watched[watches - 1].is_restricted = 1; }

void say(long value) { print("%ld\n", value); }

void say_real(double value) {
  // Which of two NaNs comes out of an operation is not defined.
  if (value != value)
    print("nan\n");
  else
    print("%a\n", value);
}

static uint64_t element(const void *data, long at, char kind) {
  uint64_t bits = 0;
  switch (kind) {
  case 'd':
    if (((double *)data)[at] != ((double *)data)[at])
      return 1;
    memcpy(&bits, (double *)data + at, sizeof(double));
    return bits;
  case 'f':
    if (((float *)data)[at] != ((float *)data)[at])
      return 1;
    memcpy(&bits, (float *)data + at, sizeof(float));
    return bits;
  case 'l': case 'L': return ((uint64_t *)data)[at];
  case 'i': case 'I': return ((uint32_t *)data)[at];
  case 's': case 'S': return ((uint16_t *)data)[at];
  default: return ((uint8_t *)data)[at];
  }
}

// Prints what the arrays hold, as far as a function that runs lets others look at them.
static void show(int is_running) {
  for (int which = 0; which < watches; which++) {
    if (is_running && watched[which].is_restricted)
      continue;
    uint64_t sum = 14695981039346656037u;
    for (long at = 0; at < watched[which].count; at++)
      sum = (sum ^ element(watched[which].data, at, watched[which].kind)) * 1099511628211u;
    print("memory %d %016lx\n", which, sum);
  }
}

// Prints what all arrays hold, and forgets them: those on the stack are about to end.
void finish(void) {
  show(0);
  watches = 0;
}

void fail(int code, long value, double real) {
  print("fail %d %ld\n", code, value);
  say_real(real);
  show(1);
  _exit(code);
}

int main(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (int run = 0; run < runs; run++) {
    print("run %d\n", run);
    pid_t child = fork();
    if (child == 0) {
      alarm(SECONDS);
      test(run);
      _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child)
      return 96;
    if (WIFSIGNALED(status))
      print("signal %d\n", WTERMSIG(status));
    else
      print("exit %d\n", WEXITSTATUS(status));
  }
  return 0;
}
