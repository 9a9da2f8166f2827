// What every kernel of test/c shares: the dataset chosen on the command line, aligned
// allocation, and the interface of ../polybench/harness.c, which owns main().
#ifndef POLYBENCH_H
#define POLYBENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// POLYBENCH_SIZE picks the value of one size macro. The last four columns are the datasets of
// PolyBench/C 4.2.1; the first two are the test sizes of ../polybench/kernels/<kernel>.toml. With
// TEST_SIZES the program picks one of these when it runs, by --sizes=1 and --sizes=2: for kernels
// whose own sizes are arguments.
#if defined(TEST_SIZES)
#define POLYBENCH_SIZE(test_mini, test_small, mini, small, medium, large)                         \
  ((int)bench_size(0, 1) == 1 ? (test_mini) : (test_small))
#elif defined(TEST_MINI)
#define POLYBENCH_SIZE(test_mini, test_small, mini, small, medium, large) test_mini
#elif defined(TEST_SMALL)
#define POLYBENCH_SIZE(test_mini, test_small, mini, small, medium, large) test_small
#elif defined(MINI_DATASET)
#define POLYBENCH_SIZE(test_mini, test_small, mini, small, medium, large) mini
#elif defined(SMALL_DATASET)
#define POLYBENCH_SIZE(test_mini, test_small, mini, small, medium, large) small
#elif defined(MEDIUM_DATASET)
#define POLYBENCH_SIZE(test_mini, test_small, mini, small, medium, large) medium
#else
#define POLYBENCH_SIZE(test_mini, test_small, mini, small, medium, large) large
#endif

// Stands in the outermost brackets of an array parameter: `double C[POLYBENCH_RESTRICT NI][NJ]`.
#if defined(USE_RESTRICT)
#define POLYBENCH_RESTRICT restrict
#else
#define POLYBENCH_RESTRICT
#endif

// Kernels are never inlined, so that a compiler sees their arrays as PolyBench's do: pointers
// of unknown origin.
#define POLYBENCH_NOINLINE __attribute__((noinline))

// -DPOLYBENCH_KERNEL_FILE='"vla/gemm.h"' takes the kernel from another file, where it is written in another style.

// The call of the kernel. -DINIT_ONLY leaves it out; the dump is then the initial data.
#if defined(INIT_ONLY)
#define POLYBENCH_KERNEL(...) (void)(0 && (__VA_ARGS__, 0))
#else
#define POLYBENCH_KERNEL(...) (__VA_ARGS__)
#endif

#if defined(POLYBENCH_PLACES)
// Where arrays lie, as the environment says: on the heap, or in a global array or one on the stack,
// one behind the other with no gap, in the order of their allocation or (-down) the other way round.
#include <string.h>

enum { POLYBENCH_BYTES = 1 << 22 };
static char polybench_global[POLYBENCH_BYTES], *polybench_memory = polybench_global;
static size_t polybench_used;

static inline void *polybench_alloc(size_t bytes) {
  const char *place = getenv("POLYBENCH_PLACE");
  if (strcmp(place, "heap") == 0)
    return malloc(bytes);
  polybench_used += bytes;
  if (polybench_used > POLYBENCH_BYTES)
    abort();
  if (strstr(place, "-down"))
    return polybench_memory + (POLYBENCH_BYTES - polybench_used);
  return polybench_memory + (polybench_used - bytes);
}

static inline void polybench_free(void *array) {
  if (strcmp(getenv("POLYBENCH_PLACE"), "heap") == 0)
    free(array);
}
#define free(array) polybench_free(array)
#else
// Page-aligned memory for one array, as PolyBench allocates it. Never null; to be given to free().
static inline void *polybench_alloc(size_t bytes) {
  void *memory = NULL;
  if (posix_memalign(&memory, 4096, bytes) != 0) {
    fprintf(stderr, "polybench: no memory for an array of %zu bytes\n", bytes);
    exit(1);
  }
  return memory;
}
#endif

// The harness. A kernel's file defines polybench_run(); the harness defines the rest.
void polybench_run(void);
int64_t bench_size(int64_t which, int64_t default_value);
int64_t bench_repetitions(void);
void bench_start(void);
void bench_stop(void);
void bench_array(int64_t tag);
void bench_value_f64(double value);
void bench_value_f32(float value);
void bench_value_i32(int32_t value);
void bench_value_i64(int64_t value);

// The tag of an array: the letters of its name, the first one in the highest byte.
static inline int64_t polybench_tag(const char *name) {
  int64_t tag = 0;
  for (; *name; name++)
    tag = tag << 8 | (unsigned char)*name;
  return tag;
}

#if defined(POLYBENCH_PLACES)
static void polybench_run_placed(void);
void polybench_run(void) {
  char memory[POLYBENCH_BYTES];
  if (strcmp(getenv("POLYBENCH_PLACE"), "stack") == 0)
    polybench_memory = memory;
  else if (strcmp(getenv("POLYBENCH_PLACE"), "heap-down") == 0)
    polybench_memory = malloc(POLYBENCH_BYTES);
  polybench_run_placed();
}
#define polybench_run polybench_run_placed
#endif

#endif
