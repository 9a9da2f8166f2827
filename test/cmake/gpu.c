#include <polyrs/gpu.h>

#include <stdio.h>
#include <stdlib.h>

// A region that may not run on a GPU.
int main(void) {
  static void *slot;
  static const char ptx[] = ".version 8.0\n.target sm_90\n";
  setenv("POLYRS_GPU", "off", 1);
  void *run = polyrs_gpu_begin(&slot, "none", ptx, sizeof ptx - 1);
  if (run || polyrs_gpu_end(run)) {
    printf("the GPU was used\n");
    return 1;
  }
  return 0;
}
