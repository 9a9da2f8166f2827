// What code that polyrs made calls to run the kernels of a region on a GPU. docs/gpu.md, "The runtime", has the rules.
//
//     static void *slot; // of this region, zero at first
//     void *run = polyrs_gpu_begin(&slot, "gemm", ptx, sizeof ptx - 1);
//     if (run) {
//       void *c = polyrs_gpu_buffer(run, C, bytes, POLYRS_GPU_IN | POLYRS_GPU_OUT);
//       void *args[] = {&c, &n};
//       polyrs_gpu_launch(run, "gemm_0", grid, 1, 1, block, 1, 1, 0, args);
//       if (polyrs_gpu_end(run))
//         goto done;
//     }
//     ... the same on the CPU ...
//     done:
//
// After the first error the calls up to `polyrs_gpu_end` do nothing, so that there are no branches between them.
#ifndef POLYRS_GPU_H
#define POLYRS_GPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define POLYRS_GPU_API __attribute__((visibility("default")))

// Flags of a buffer.
enum {
  // Kernels read what the host wrote: the contents are copied to the device.
  POLYRS_GPU_IN = 1,
  // The contents are copied back at the end, if anything was launched. Without IN they are what kernels wrote: every
  // element, whatever the sizes.
  POLYRS_GPU_OUT = 2,
  // The pointer is memory of the device already, and nothing is copied.
  POLYRS_GPU_DEVICE = 4,
  // With IN and OUT: of what is copied back only the bytes that kernels changed are written. All others may be other
  // threads', which change them meanwhile, or memory that is only for reading.
  POLYRS_GPU_CHANGED = 8
};

// Starts a run of a region, or gives NULL where the CPU has to do it. Calls for this run come from this thread.
//
// `slot` is the region's own, zero at the start of the program; loaded code stays there. `region` and `ptx` live as
// long as the program. `ptx[ptx_bytes]` is 0.
POLYRS_GPU_API void *polyrs_gpu_begin(void **slot, const char *region, const char *ptx, int64_t ptx_bytes);

// The same, but with `worth` 0 the CPU does it as well, unless POLYRS_GPU says otherwise: the region is expected to take
// longer on the device than on the CPU.
POLYRS_GPU_API void *polyrs_gpu_begin_if(int32_t worth, void **slot, const char *region, const char *ptx,
                                         int64_t ptx_bytes);

// Where the device has the `bytes` bytes from `host`: what kernels get for it. All buffers come before the first
// launch. NULL after an error, and for zero bytes.
//
// The same `host` and `bytes` give the same memory again, with the flags of all calls; OUT without CHANGED in one of
// them has all written back. Buffers that overlap in part are an error, but where both have IN alone: each has a copy
// of its own, so kernels must write neither. Without IN and OUT it is memory for the kernels alone, and `host` may be
// NULL, which is shared with no other buffer.
POLYRS_GPU_API void *polyrs_gpu_buffer(void *run, void *host, int64_t bytes, int32_t flags);

// Launches a kernel after those before it. `args` are pointers to the values of its parameters, which are read before
// this returns. A grid with a zero is no launch.
POLYRS_GPU_API void polyrs_gpu_launch(void *run, const char *kernel, int64_t grid_x, int64_t grid_y, int64_t grid_z,
                                      int64_t block_x, int64_t block_y, int64_t block_z, int64_t shared_bytes,
                                      void **args);

// Waits, copies back, frees. 1: the results are in the host's memory. 0: the host's memory is as it was.
POLYRS_GPU_API int32_t polyrs_gpu_end(void *run);

#ifdef __cplusplus
}
#endif

#endif
