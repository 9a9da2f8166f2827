// cholesky: A = L * L^T, L over the lower triangle of A
#include <math.h>

#include "polybench.h"

#define N POLYBENCH_SIZE(39, 119, 40, 120, 400, 2000)

static void init_array(double A[N][N]) {
  // L, with a unit diagonal; the upper triangle is never read before it is written.
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++)
      A[i][j] = 1.0 - (double)j / N;
    A[i][i] = 1.0;
  }
  // A = L * L^T, positive definite, in place: from the last row and column backwards, an element
  // reads none that was overwritten. PolyBench sums the zeros of L as well, to the same bits.
  for (int i = N - 1; i >= 0; i--)
    for (int j = i; j >= 0; j--) {
      double sum = 0.0;
      for (int k = 0; k <= j; k++)
        sum += A[i][k] * A[j][k];
      A[i][j] = sum;
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++)
      A[j][i] = A[i][j];
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_cholesky(double A[POLYBENCH_RESTRICT N][N]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    for (int k = 0; k < i; k++)
      A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = sqrt(A[i][i]);
  }
}
#endif

static void print_array(double A[N][N]) {
  bench_array(polybench_tag("A"));
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      bench_value_f64(A[i][j]);
}

void polybench_run(void) {
  double(*A)[N][N] = polybench_alloc(sizeof *A);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*A);
    bench_start();
    POLYBENCH_KERNEL(kernel_cholesky(*A));
    bench_stop();
  }
  print_array(*A);
  free(A);
}
