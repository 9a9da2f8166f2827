// One run of a region, from `polyrs_gpu_begin` to `polyrs_gpu_end`.
#ifndef POLYRS_GPU_RUN_H
#define POLYRS_GPU_RUN_H

#include "module.h"

struct pgpu_buffer {
  struct pgpu_buffer *next;
  // NULL for memory of the kernels alone.
  char *host;
  size_t bytes;
  int32_t flags;
  pgpu_address address;
  // What was copied in, to tell what kernels changed, or NULL.
  char *before;
  // What was copied back, before it is known that all copies succeed.
  char *staged;
};

struct pgpu_run {
  const struct pgpu_driver *driver;
  struct pgpu_module *module;
  const char *region;
  struct pgpu_buffer *buffers;
  // After the first error nothing is done but to end.
  bool failed;
  // Whether a buffer was on the device before: what kernels do to it cannot be undone.
  bool uses_device_memory;
  // The last kernel that was launched.
  const char *kernel;
  int64_t launches, bytes_in, bytes_out, start;
};

// Whether there is still something to do for a run.
bool pgpu_run_goes_on(struct pgpu_run *run);

// Ends a run's way on the device, or the process if the CPU cannot take over.
void pgpu_run_fail(struct pgpu_run *run, struct pgpu_why *why);

// The results of all kernels to memory beside that of the program, after which nothing can fail.
bool pgpu_buffers_stage(struct pgpu_run *run, struct pgpu_why *why);

// The staged results, or what changed of them, to the program's memory.
void pgpu_buffers_commit(struct pgpu_run *run);

// Frees the device's memory; false if the driver fails.
bool pgpu_buffers_release(struct pgpu_run *run, struct pgpu_why *why);

// Frees the host's memory.
void pgpu_buffers_forget(struct pgpu_run *run);

// Waits until the device did all that this thread asked for.
bool pgpu_wait(const struct pgpu_run *run, struct pgpu_why *why);

#endif
