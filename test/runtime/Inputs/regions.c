// Two regions as the compiler writes them, each with a version for the CPU. Says for each run of one where it ran, and
// at the end whether all results are right. Fails if memory changed though the GPU's version gave up.
#include "polyrs/gpu.h"

#include <stdio.h>
#include <string.h>

enum { N = 1000, STEPS = 3 };

// Shared memory that has to be asked for.
enum { SHARED = 60000 };

struct arrays {
  double a[N], b[N], c[N], d[N];
};

static struct arrays host, kept, expected;

static const char ptx[] = "\n.version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry sweep_add()\n.visible .entry sweep_finish()\n.visible .entry scale_0()\n";

static void add(double *t, const double *a, const double *b, int64_t step) {
  for (int i = 0; i < N; i++)
    t[i] = a[i] + (double)step * b[i];
}

static void finish(double *a, double *c, double *d, const double *t) {
  for (int i = 0; i < N; i++) {
    a[i] = t[N - 1 - i] + 1;
    c[i] = 2 * a[i];
    d[i] += a[i];
  }
}

static void multiply(double *d) {
  for (int i = 0; i < N; i++)
    d[i] *= 3;
}

#define KERNEL(name)                                                                                                   \
  void name(void **args, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes);                      \
  void name(void **args, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes)
#define UNUSED_SIZES (void)grid, (void)block, (void)shared_bytes

KERNEL(sweep_add) {
  UNUSED_SIZES;
  add(*(double **)args[0], *(double **)args[1], *(double **)args[2], *(int64_t *)args[3]);
}

KERNEL(sweep_finish) {
  UNUSED_SIZES;
  finish(*(double **)args[0], *(double **)args[1], *(double **)args[2], *(double **)args[3]);
}

KERNEL(scale_0) {
  UNUSED_SIZES;
  multiply(*(double **)args[0]);
}

static void sweep_on_cpu(struct arrays *x) {
  double t[N];
  for (int64_t step = 0; step < STEPS; step++) {
    add(t, x->a, x->b, step);
    finish(x->a, x->c, x->d, t);
  }
}

// Says where a region ran; `done` is whether the GPU did it.
static int ran(const char *region, int done) {
  printf("%s %s\n", region, done ? "gpu" : "cpu");
  if (!done && memcmp(&host, &kept, sizeof host) != 0)
    printf("PARTIAL: %s changed memory\n", region);
  return done;
}

static void sweep(void) {
  static void *slot;
  kept = host;
  void *run = polyrs_gpu_begin(&slot, "sweep", ptx, sizeof ptx - 1);
  if (run) {
    void *a = polyrs_gpu_buffer(run, host.a, sizeof host.a, POLYRS_GPU_IN | POLYRS_GPU_OUT);
    void *b = polyrs_gpu_buffer(run, host.b, sizeof host.b, POLYRS_GPU_IN);
    void *c = polyrs_gpu_buffer(run, host.c, sizeof host.c, POLYRS_GPU_OUT);
    void *d = polyrs_gpu_buffer(run, host.d, sizeof host.d, POLYRS_GPU_IN | POLYRS_GPU_OUT | POLYRS_GPU_CHANGED);
    void *t = polyrs_gpu_buffer(run, NULL, sizeof host.a, 0);
    for (int64_t step = 0; step < STEPS; step++) {
      polyrs_gpu_launch(run, "sweep_add", 8, 1, 1, 128, 1, 1, 0, (void *[]){&t, &a, &b, &step});
      polyrs_gpu_launch(run, "sweep_finish", 4, 2, 1, 64, 2, 1, SHARED, (void *[]){&a, &c, &d, &t});
    }
    if (ran("sweep", polyrs_gpu_end(run)))
      return;
  } else {
    ran("sweep", 0);
  }
  sweep_on_cpu(&host);
}

static void scale(void) {
  static void *slot;
  kept = host;
  void *run = polyrs_gpu_begin(&slot, "scale", ptx, sizeof ptx - 1);
  if (run) {
    void *d = polyrs_gpu_buffer(run, host.d, sizeof host.d, POLYRS_GPU_IN | POLYRS_GPU_OUT);
    polyrs_gpu_launch(run, "scale_0", 1, 1, 1, 256, 1, 1, 0, (void *[]){&d});
    if (ran("scale", polyrs_gpu_end(run)))
      return;
  } else {
    ran("scale", 0);
  }
  multiply(host.d);
}

int main(void) {
  for (int i = 0; i < N; i++) {
    host.a[i] = i;
    host.b[i] = i % 7;
    host.c[i] = -1;
    host.d[i] = 5 * i;
  }
  expected = host;
  sweep();
  scale();
  sweep();
  sweep_on_cpu(&expected);
  multiply(expected.d);
  sweep_on_cpu(&expected);
  int right = memcmp(&host, &expected, sizeof host) == 0;
  puts(right ? "right" : "WRONG");
  return !right;
}
