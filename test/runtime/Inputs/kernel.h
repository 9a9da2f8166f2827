// What the small programs share: a kernel, the stand-in's own entry points, and checks.
#include "polyrs/gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ptx[] = "\n.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry increment()\n";

// Adds one to `args[1]` numbers from `args[0]` on.
void increment(void **args, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes);

// A call of the driver that the runtime uses, for what programs do without the runtime.
static inline int call_driver(const char *name, void *first, uint64_t second, uint64_t third) {
  void *library = dlopen(getenv("POLYRS_GPU_DRIVER"), RTLD_NOW);
  int (*entry)(void *, uint64_t, uint64_t);
  void *found = library ? dlsym(library, name) : NULL;
  if (!found) {
    printf("there is no %s\n", name);
    exit(1);
  }
  memcpy(&entry, &found, sizeof found);
  return entry(first, second, third);
}

// Fails the program, with the line at fault.
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                                   \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static inline void launch_increment(void *run, void *numbers, int64_t count) {
  polyrs_gpu_launch(run, "increment", 1, 1, 1, 32, 1, 1, 0, (void *[]){&numbers, &count});
}
