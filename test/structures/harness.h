// What the programs of the benchmark `layout` have in common: numbers to work on, the clock, a sum of all bits.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// A function that gives so many numbers between -1 and 1, always the same ones.
#define NUMBERS(name, type)                                       \
  __attribute__((unused)) static void *name(long count) {         \
    type *numbers = malloc(sizeof(type) * (size_t)count);         \
    unsigned seed = 1;                                            \
    for (long i = 0; i < count; i++) {                            \
      seed = seed * 1664525u + 1013904223u;                       \
      numbers[i] = (type)(seed >> 8) * (type)0x1p-23 - 1;         \
    }                                                             \
    return numbers;                                               \
  }

NUMBERS(doubles, double)
NUMBERS(floats, float)

// What the kernel says of this process's memory, in KiB; 0 where it says nothing.
static long memory(const char *what) {
  char line[128];
  long found = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (!strncmp(line, what, strlen(what))) found = atol(line + strlen(what));
  if (status) fclose(status);
  return found;
}

// From here on the most memory is that of what follows.
static void forget_most_memory(void) {
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (file) {
    fputs("5", file);
    fclose(file);
  }
}

// Prints a case: its name, how long it took, its result, and how much memory it took for a while, in KiB.
static void report(const char *name, double seconds, const void *result, long bytes, long kib) {
  unsigned long long sum = 0;
  const unsigned char *all = result;
  for (long i = 0; i + 8 <= bytes; i += 8) {
    unsigned long long bits;
    memcpy(&bits, all + i, 8);
    sum = sum * 31 + bits;
  }
  printf("%s %.9f %llx %ld\n", name, seconds, sum, kib);
}

#define MEASURE(name, call, result, bytes)                             \
  do {                                                                 \
    forget_most_memory();                                              \
    long before = memory("VmRSS:");                                    \
    double start = now();                                              \
    call;                                                              \
    double end = now();                                                \
    report(name, end - start, result, bytes, memory("VmHWM:") - before); \
  } while (0)
