// The context that a region runs in, and that the program's own stays.
#include "kernel.h"

static int device_of_kernel;

void increment(void **args, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes) {
  (void)grid, (void)block, (void)shared_bytes;
  (**(int **)args[0])++;
  CHECK(call_driver("cuCtxGetDevice", &device_of_kernel, 0, 0) == 0);
}

// Runs the region; on which device it was.
static int run_region(void) {
  static void *slot;
  int x = 5;
  device_of_kernel = -1;
  void *run = polyrs_gpu_begin(&slot, "contexts", ptx, sizeof ptx - 1);
  CHECK(run);
  launch_increment(run, polyrs_gpu_buffer(run, &x, sizeof x, POLYRS_GPU_IN | POLYRS_GPU_OUT), 1);
  CHECK(polyrs_gpu_end(run) == 1 && x == 6);
  return device_of_kernel;
}

static void *current(void) {
  void *context;
  CHECK(call_driver("cuCtxGetCurrent", &context, 0, 0) == 0);
  return context;
}

static void *create(int device) {
  void *context;
  CHECK(call_driver("cuCtxCreate_v2", &context, 0, (uint64_t)device) == 0);
  return context;
}

int main(void) {
  CHECK(call_driver("cuInit", NULL, 0, 0) == 0);
  printf("without a context: device %d\n", run_region());
  CHECK(!current());

  void *first = create(1);
  printf("with one on device 1: device %d\n", run_region());
  CHECK(current() == first);
  void *second = create(0);
  printf("with one on device 0: device %d\n", run_region());
  CHECK(current() == second);
  CHECK(call_driver("cuCtxDestroy_v2", second, 0, 0) == 0);
  CHECK(current() == first);
  run_region();

  // Another context with the address of one that is gone: its code is gone as well.
  CHECK(call_driver("cuCtxDestroy_v2", first, 0, 0) == 0);
  CHECK(create(1) == first);
  printf("with a new one on device 1: device %d\n", run_region());
  CHECK(call_driver("cuCtxDestroy_v2", first, 0, 0) == 0);
  printf("without one: device %d\n", run_region());
  CHECK(!current());
  return 0;
}
