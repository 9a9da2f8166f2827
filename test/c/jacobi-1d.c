// jacobi-1d: three-point Jacobi stencil in one dimension, two arrays
#include "polybench.h"

#define TSTEPS POLYBENCH_SIZE(13, 51, 20, 40, 100, 500)
#define N POLYBENCH_SIZE(37, 131, 30, 120, 400, 2000)

static void init_array(double A[N], double B[N]) {
  for (int i = 0; i < N; i++) {
    A[i] = ((double)i + 2) / N;
    B[i] = ((double)i + 3) / N;
  }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_jacobi_1d(double A[POLYBENCH_RESTRICT N], double B[POLYBENCH_RESTRICT N]) {
  for (int t = 0; t < TSTEPS; t++) {
    for (int i = 1; i < N - 1; i++)
      B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
    for (int i = 1; i < N - 1; i++)
      A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
  }
}
#endif

static void print_array(double A[N]) {
  bench_array(polybench_tag("A"));
  for (int i = 0; i < N; i++)
    bench_value_f64(A[i]);
}

void polybench_run(void) {
  double(*A)[N] = polybench_alloc(sizeof *A);
  double(*B)[N] = polybench_alloc(sizeof *B);
  for (int64_t r = bench_repetitions(); r > 0; r--) {
    init_array(*A, *B);
    bench_start();
    POLYBENCH_KERNEL(kernel_jacobi_1d(*A, *B));
    bench_stop();
  }
  print_array(*A);
  free(A);
  free(B);
}
