// atax: y = A^T * (A * x)
#include "polybench.h"

#define M POLYBENCH_SIZE(37, 113, 38, 116, 390, 1900)
#define N POLYBENCH_SIZE(43, 127, 42, 124, 410, 2100)

static void init_array(double A[M][N], double x[N], double y[N], double tmp[M]) {
  // PolyBench leaves y and tmp as they were allocated, which is mostly zero: that the kernel
  // clears them would then change nothing.
  for (int i = 0; i < M; i++)
    tmp[i] = -1.0;
  for (int i = 0; i < N; i++) {
    y[i] = -1.0;
    x[i] = 1.0 + (double)i / N;
  }
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = (double)((i + j) % N) / (5 * M);
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_atax(double A[POLYBENCH_RESTRICT M][N], double x[POLYBENCH_RESTRICT N],
                        double y[POLYBENCH_RESTRICT N], double tmp[POLYBENCH_RESTRICT M]) {
  for (int i = 0; i < N; i++)
    y[i] = 0.0;
  for (int i = 0; i < M; i++) {
    tmp[i] = 0.0;
    for (int j = 0; j < N; j++)
      tmp[i] = tmp[i] + A[i][j] * x[j];
    for (int j = 0; j < N; j++)
      y[j] = y[j] + A[i][j] * tmp[i];
  }
}
#endif

static void print_array(double y[N]) {
  bench_array(polybench_tag("y"));
  for (int i = 0; i < N; i++)
    bench_value_f64(y[i]);
}

void polybench_run(void) {
  double(*A)[M][N] = polybench_alloc(sizeof *A);
  double(*x)[N] = polybench_alloc(sizeof *x);
  double(*y)[N] = polybench_alloc(sizeof *y);
  double(*tmp)[M] = polybench_alloc(sizeof *tmp);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*A, *x, *y, *tmp);
    bench_start();
    POLYBENCH_KERNEL(kernel_atax(*A, *x, *y, *tmp));
    bench_stop();
  }
  print_array(*y);
  free(A);
  free(x);
  free(y);
  free(tmp);
}
