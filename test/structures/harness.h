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
  static void *name(long count) {                                 \
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

// Prints a case: its name, how long it took, its result.
static void report(const char *name, double seconds, const void *result, long bytes) {
  unsigned long long sum = 0;
  const unsigned char *all = result;
  for (long i = 0; i + 8 <= bytes; i += 8) {
    unsigned long long bits;
    memcpy(&bits, all + i, 8);
    sum = sum * 31 + bits;
  }
  printf("%s %.9f %llx\n", name, seconds, sum);
}

#define MEASURE(name, call, result, bytes) \
  do {                                     \
    double start = now();                  \
    call;                                  \
    double end = now();                    \
    report(name, end - start, result, bytes); \
  } while (0)
