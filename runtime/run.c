#define _GNU_SOURCE
#include "run.h"
#include "polyrs/gpu.h"
#include "process.h"

#include <stdio.h>
#include <stdlib.h>

static struct pgpu_run *start(bool worth, void **slot, const struct pgpu_source *source, struct pgpu_why *why) {
  if (pgpu_settings()->mode == PGPU_OFF) {
    pgpu_expected(why, "POLYRS_GPU=off");
    return NULL;
  }
  if (!worth && pgpu_settings()->mode == PGPU_ON) {
    pgpu_expected(why, "it is expected to be faster there; POLYRS_GPU=always has it run on the GPU");
    return NULL;
  }
  if (pgpu_is_forked()) {
    pgpu_expected(why, "this is a fork of a process that used the driver");
    return NULL;
  }
  // What goes wrong before there is a place for it in a slot.
  static atomic_bool told;
  const struct pgpu_driver *driver = pgpu_driver(why);
  struct pgpu_place place;
  if (!driver || !pgpu_context_enter(driver, &place, why)) {
    pgpu_tell_once(why, &told);
    return NULL;
  }
  struct pgpu_module *module = pgpu_module_find(driver, slot, source, &place, why);
  struct pgpu_run *run = module ? malloc(sizeof *run) : NULL;
  if (module && !run)
    pgpu_unexpected(why, "no memory on the host");
  if (!run) {
    struct pgpu_why other;
    if (!pgpu_context_leave(driver, &other))
      pgpu_warn(source->region, "%s", other.text);
    return NULL;
  }
  *run = (struct pgpu_run){.driver = driver, .module = module, .region = source->region};
  run->start = pgpu_microseconds();
  return run;
}

void *polyrs_gpu_begin_if(int32_t worth, void **slot, const char *region, const char *ptx, int64_t ptx_bytes) {
  struct pgpu_source source = {region, ptx, ptx_bytes};
  struct pgpu_why why;
  struct pgpu_run *run = start(worth, slot, &source, &why);
  if (!run)
    pgpu_leave_to_cpu(region, &why);
  return run;
}

void *polyrs_gpu_begin(void **slot, const char *region, const char *ptx, int64_t ptx_bytes) {
  return polyrs_gpu_begin_if(1, slot, region, ptx, ptx_bytes);
}

bool pgpu_run_goes_on(struct pgpu_run *run) {
  if (!run || run->failed)
    return false;
  if (!pgpu_is_forked())
    return true;
  struct pgpu_why why;
  pgpu_expected(&why, "the process was forked in the middle of the region");
  pgpu_run_fail(run, &why);
  return false;
}

void pgpu_run_fail(struct pgpu_run *run, struct pgpu_why *why) {
  run->failed = true;
  if (run->uses_device_memory && run->launches > 0) {
    fprintf(stderr,
            "polyrs-gpu: error: %s: %s; kernels may have changed memory of the device, so the CPU cannot run it\n",
            run->region, why->text);
    abort();
  }
  pgpu_tell_once(why, &run->module->told);
  pgpu_leave_to_cpu(run->region, why);
}

bool pgpu_wait(const struct pgpu_run *run, struct pgpu_why *why) {
  pgpu_result result = run->driver->cuStreamSynchronize(PGPU_THREAD_STREAM);
  // An error is that of anything since the last wait.
  return run->kernel ? pgpu_succeeded(result, why, "kernel %s, or what was before it: cuStreamSynchronize", run->kernel)
                     : pgpu_succeeded(result, why, "cuStreamSynchronize");
}

static bool within(const char *kernel, const char *what, const int64_t size[3], const int limit[3],
                   struct pgpu_why *why) {
  for (int i = 0; i < 3; i++)
    if (size[i] < 0 || size[i] > limit[i])
      return pgpu_unexpected(why, "kernel %s: a %s of %lld x %lld x %lld, and the device takes %d x %d x %d", kernel,
                             what, (long long)size[0], (long long)size[1], (long long)size[2], limit[0], limit[1],
                             limit[2]);
  return true;
}

struct launch {
  const char *kernel;
  int64_t grid[3], block[3], shared;
  void **args;
};

static bool launch_is_possible(const struct pgpu_run *run, const struct launch *launch, struct pgpu_why *why) {
  const struct pgpu_limits *limits = &run->module->limits;
  if (!within(launch->kernel, "grid", launch->grid, limits->grid, why) ||
      !within(launch->kernel, "block", launch->block, limits->block, why))
    return false;
  int64_t threads = launch->block[0] * launch->block[1] * launch->block[2];
  if (threads < 1 || threads > limits->threads)
    return pgpu_unexpected(why, "kernel %s: a block of %lld threads, and the device takes 1 to %d", launch->kernel,
                           (long long)threads, limits->threads);
  return true;
}

static bool do_launch(struct pgpu_run *run, const struct launch *launch, struct pgpu_why *why) {
  pgpu_function function;
  const int64_t *grid = launch->grid, *block = launch->block;
  if (!launch_is_possible(run, launch, why) ||
      !pgpu_kernel_find(run->driver, run->module, launch->kernel, launch->shared, &function, why))
    return false;
  if (!grid[0] || !grid[1] || !grid[2])
    return true;
  int64_t start = pgpu_microseconds();
  pgpu_result result = run->driver->cuLaunchKernel(
      function, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2], (unsigned)block[0], (unsigned)block[1],
      (unsigned)block[2], (unsigned)launch->shared, PGPU_THREAD_STREAM, launch->args, NULL);
  if (!pgpu_succeeded(result, why, "kernel %s: cuLaunchKernel", launch->kernel))
    return false;
  run->launches++;
  run->kernel = launch->kernel;
  if (!pgpu_traces())
    return true;
  if (!pgpu_wait(run, why))
    return false;
  pgpu_trace(run->region, "kernel %s, grid %lld x %lld x %lld, block %lld x %lld x %lld, shared %lld, %lld us",
             launch->kernel, (long long)grid[0], (long long)grid[1], (long long)grid[2], (long long)block[0],
             (long long)block[1], (long long)block[2], (long long)launch->shared,
             (long long)(pgpu_microseconds() - start));
  return true;
}

void polyrs_gpu_launch(void *opaque, const char *kernel, int64_t grid_x, int64_t grid_y, int64_t grid_z,
                       int64_t block_x, int64_t block_y, int64_t block_z, int64_t shared_bytes, void **args) {
  struct pgpu_run *run = opaque;
  if (!pgpu_run_goes_on(run))
    return;
  struct launch launch = {
      kernel, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, args,
  };
  struct pgpu_why why;
  if (!do_launch(run, &launch, &why))
    pgpu_run_fail(run, &why);
}

// Nothing of the device is kept, whatever happened. True if results wait to be committed.
static bool leave_device(struct pgpu_run *run) {
  struct pgpu_why why;
  int64_t before = pgpu_microseconds();
  bool done = !run->failed && pgpu_wait(run, &why);
  int64_t waited = pgpu_microseconds();
  done = done && pgpu_buffers_stage(run, &why);
  if (!run->failed && !done)
    pgpu_run_fail(run, &why);
  // Copies under way could still read the program's memory, or use what is freed below.
  if (!done)
    run->driver->cuStreamSynchronize(PGPU_THREAD_STREAM);
  else
    pgpu_trace(run->region, "waited %lld us, %lld bytes out, %lld us", (long long)(waited - before),
               (long long)run->bytes_out, (long long)(pgpu_microseconds() - waited));
  // The results are right even if this fails; after an error that is kept by the context there is nothing new to say.
  if (!pgpu_buffers_release(run, &why) && done)
    pgpu_warn(run->region, "%s", why.text);
  if (!pgpu_context_leave(run->driver, &why))
    pgpu_warn(run->region, "%s", why.text);
  return done;
}

int32_t polyrs_gpu_end(void *opaque) {
  struct pgpu_run *run = opaque;
  if (!run)
    return 0;
  // A fork leaves the device's side of the run to its parent.
  pgpu_run_goes_on(run);
  bool done = !pgpu_is_forked() && leave_device(run);
  if (done) {
    pgpu_buffers_commit(run);
    pgpu_trace(run->region, "on the GPU: %lld launches, %lld bytes in, %lld bytes out, %lld us",
               (long long)run->launches, (long long)run->bytes_in, (long long)run->bytes_out,
               (long long)(pgpu_microseconds() - run->start));
  }
  pgpu_buffers_forget(run);
  free(run);
  return done;
}
