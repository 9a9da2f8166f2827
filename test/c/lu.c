// lu: LU decomposition without pivoting, in place
#include "polybench.h"

#define N POLYBENCH_SIZE(37, 101, 40, 120, 400, 2000)

static void init_array(double A[N][N]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j <= i; j++)
      A[i][j] = (double)(-j % N) / N + 1;
    for (int j = i + 1; j < N; j++)
      A[i][j] = 0;
    A[i][i] = 1;
  }
  // A times its transpose is symmetric positive definite: no pivot vanishes.
  double(*B)[N] = polybench_alloc(sizeof(double[N][N]));
  for (int r = 0; r < N; r++)
    for (int s = 0; s < N; s++)
      B[r][s] = 0;
  for (int t = 0; t < N; t++)
    for (int r = 0; r < N; r++)
      for (int s = 0; s < N; s++)
        B[r][s] += A[r][t] * A[s][t];
  for (int r = 0; r < N; r++)
    for (int s = 0; s < N; s++)
      A[r][s] = B[r][s];
  free(B);
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_lu(double A[POLYBENCH_RESTRICT N][N]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < N; j++)
      for (int k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
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
  for (int64_t r = bench_repetitions(); r > 0; r--) {
    init_array(*A);
    bench_start();
    POLYBENCH_KERNEL(kernel_lu(*A));
    bench_stop();
  }
  print_array(*A);
  free(A);
}
