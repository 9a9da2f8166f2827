// The same region twice: first it is said to be worth a GPU, then not. Says where it ran.
#include "kernel.h"

void increment(void **args, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes) {
  (void)grid, (void)block, (void)shared_bytes;
  for (int64_t i = 0; i < *(int64_t *)args[1]; i++)
    (*(int64_t **)args[0])[i]++;
}

static int run(int worth) {
  static void *slot;
  int64_t numbers[3] = {1, 2, 3};
  void *run = polyrs_gpu_begin_if(worth, &slot, "region", ptx, sizeof ptx - 1);
  launch_increment(run, polyrs_gpu_buffer(run, numbers, sizeof numbers, POLYRS_GPU_IN | POLYRS_GPU_OUT), 3);
  int64_t done = polyrs_gpu_end(run);
  CHECK(numbers[0] == 1 + done && numbers[2] == 3 + done);
  return (int)done;
}

int main(void) {
  printf("worth it: %s\n", run(1) ? "gpu" : "cpu");
  printf("not worth it: %s\n", run(0) ? "gpu" : "cpu");
}
