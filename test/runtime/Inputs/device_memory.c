// Memory that is on the device before the region is.
#include "kernel.h"

enum { COUNT = 8, BYTES = COUNT * sizeof(int), BOTH = POLYRS_GPU_IN | POLYRS_GPU_OUT };

void increment(void **args, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes) {
  (void)grid, (void)block, (void)shared_bytes;
  for (int64_t i = 0; i < *(int64_t *)args[1]; i++)
    (*(int **)args[0])[i]++;
}

int main(void) {
  static void *slot;
  int host[COUNT] = {0};
  void *context;
  uint64_t address;
  CHECK(call_driver("cuInit", NULL, 0, 0) == 0);
  CHECK(call_driver("cuCtxCreate_v2", &context, 0, 0) == 0);
  CHECK(call_driver("cuMemAlloc_v2", &address, BYTES, 0) == 0);
  int *device = (int *)(uintptr_t)address;
  memset(device, 0, BYTES);

  void *run = polyrs_gpu_begin(&slot, "resident", ptx, sizeof ptx - 1);
  CHECK(run);
  // Parts of it may overlap, since there is but one copy; flags for copies mean nothing.
  CHECK(polyrs_gpu_buffer(run, device, BYTES, POLYRS_GPU_DEVICE) == device);
  CHECK(polyrs_gpu_buffer(run, device + 1, 4, POLYRS_GPU_DEVICE | BOTH) == device + 1);
  void *copy = polyrs_gpu_buffer(run, host, BYTES, BOTH);
  launch_increment(run, device, COUNT);
  launch_increment(run, copy, COUNT);
  int done = polyrs_gpu_end(run);
  printf("done: %d, host: %d, device: %d\n", done, host[7], device[7]);
  CHECK(call_driver("cuMemFree_v2", device, 0, 0) == 0);
  CHECK(call_driver("cuCtxDestroy_v2", context, 0, 0) == 0);
  return 0;
}
