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

// So many numbers between -1 and 1, always the same ones.
static void *doubles(long count) {
  double *numbers = malloc(sizeof(double) * (size_t)count);
  unsigned seed = 1;
  for (long i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    numbers[i] = (double)(seed >> 8) * 0x1p-23 - 1;
  }
  return numbers;
}

static void *floats(long count) {
  float *numbers = malloc(sizeof(float) * (size_t)count);
  unsigned seed = 1;
  for (long i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    numbers[i] = (float)(seed >> 8) * 0x1p-23f - 1;
  }
  return numbers;
}

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
