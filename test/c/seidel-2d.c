// seidel-2d: nine-point Gauss-Seidel stencil in two dimensions, in place
//
// PolyBench starts from a bilinear function, which the stencil maps to itself: no update would
// change a value. This start wraps around modulo n instead.
#include "polybench.h"

#define TSTEPS POLYBENCH_SIZE(11, 37, 20, 40, 100, 500)
#define N POLYBENCH_SIZE(27, 83, 40, 120, 400, 2000)

static void init_array(double A[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = (double)((i * (j + 2) + 2) % N) / N;
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_seidel_2d(double A[POLYBENCH_RESTRICT N][N]) {
  for (int t = 0; t <= TSTEPS - 1; t++)
    for (int i = 1; i <= N - 2; i++)
      for (int j = 1; j <= N - 2; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1]
                   + A[i][j - 1] + A[i][j] + A[i][j + 1]
                   + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
}
#endif

static void print_array(double A[N][N]) {
  bench_array(polybench_tag("A"));
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      bench_value_f64(A[i][j]);
}

void polybench_run(void) {
  double(*A)[N][N] = polybench_alloc(sizeof *A);
  for (int64_t r = bench_repetitions(); r > 0; r--) {
    init_array(*A);
    bench_start();
    POLYBENCH_KERNEL(kernel_seidel_2d(*A));
    bench_stop();
  }
  print_array(*A);
  free(A);
}
