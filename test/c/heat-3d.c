// heat-3d: heat equation in three dimensions, explicit scheme, two arrays
//
// PolyBench starts from a linear function, which the stencil maps to itself: no update would
// change a value. This start wraps around modulo n instead.
#include "polybench.h"

#define TSTEPS POLYBENCH_SIZE(7, 13, 20, 40, 100, 500)
#define N POLYBENCH_SIZE(13, 29, 10, 20, 40, 120)

static void init_array(double A[N][N][N], double B[N][N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        A[i][j][k] = B[i][j][k] =
            (double)((i * (j + 1) + k * (j + 2)) % N) * 10 / N;
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_heat_3d(double A[POLYBENCH_RESTRICT N][N][N],
                           double B[POLYBENCH_RESTRICT N][N][N]) {
  for (int t = 1; t <= TSTEPS; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          B[i][j][k] = 0.125 * (A[i + 1][j][k] - 2.0 * A[i][j][k] + A[i - 1][j][k])
                       + 0.125 * (A[i][j + 1][k] - 2.0 * A[i][j][k] + A[i][j - 1][k])
                       + 0.125 * (A[i][j][k + 1] - 2.0 * A[i][j][k] + A[i][j][k - 1])
                       + A[i][j][k];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[i][j][k] = 0.125 * (B[i + 1][j][k] - 2.0 * B[i][j][k] + B[i - 1][j][k])
                       + 0.125 * (B[i][j + 1][k] - 2.0 * B[i][j][k] + B[i][j - 1][k])
                       + 0.125 * (B[i][j][k + 1] - 2.0 * B[i][j][k] + B[i][j][k - 1])
                       + B[i][j][k];
  }
}
#endif

static void print_array(double A[N][N][N]) {
  bench_array(polybench_tag("A"));
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        bench_value_f64(A[i][j][k]);
}

void polybench_run(void) {
  double(*A)[N][N][N] = polybench_alloc(sizeof *A);
  double(*B)[N][N][N] = polybench_alloc(sizeof *B);
  for (int64_t r = bench_repetitions(); r > 0; r--) {
    init_array(*A, *B);
    bench_start();
    POLYBENCH_KERNEL(kernel_heat_3d(*A, *B));
    bench_stop();
  }
  print_array(*A);
  free(A);
  free(B);
}
