// jacobi-2d: five-point Jacobi stencil in two dimensions, two arrays
//
// PolyBench starts from a bilinear function, which the stencil maps to itself: no update would
// change a value. This start wraps around modulo n instead.
#include "polybench.h"

#define TSTEPS POLYBENCH_SIZE(11, 37, 20, 40, 100, 500)
#define N POLYBENCH_SIZE(27, 83, 30, 90, 250, 1300)

static void init_array(double A[N][N], double B[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (double)((i * (j + 2) + 2) % N) / N;
      B[i][j] = (double)((i * (j + 3) + 3) % N) / N;
    }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_jacobi_2d(double A[POLYBENCH_RESTRICT N][N],
                             double B[POLYBENCH_RESTRICT N][N]) {
  for (int t = 0; t < TSTEPS; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
  }
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
  double(*B)[N][N] = polybench_alloc(sizeof *B);
  for (int64_t r = bench_repetitions(); r > 0; r--) {
    init_array(*A, *B);
    bench_start();
    POLYBENCH_KERNEL(kernel_jacobi_2d(*A, *B));
    bench_stop();
  }
  print_array(*A);
  free(A);
  free(B);
}
