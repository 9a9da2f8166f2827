// gramschmidt: QR decomposition, A = Q R, by modified Gram-Schmidt
//
// The norm is a scalar of the C code; here it is a local memref of rank 0.
#include "polybench.h"

#include <math.h>

#define M POLYBENCH_SIZE(23, 71, 20, 60, 200, 1000)
#define N POLYBENCH_SIZE(19, 61, 30, 80, 240, 1200)

static void init_array(double A[M][N], double R[N][N], double Q[M][N]) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (((double)((i * j) % M) / M) * 100) + 10;
      Q[i][j] = 0.0;
    }
  // The kernel overwrites the upper half; what it overwrites is no zero.
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++)
      R[i][j] = 0.0;
    for (int j = i; j < N; j++)
      R[i][j] = 1.0;
  }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_gramschmidt(double A[POLYBENCH_RESTRICT M][N],
                               double R[POLYBENCH_RESTRICT N][N],
                               double Q[POLYBENCH_RESTRICT M][N]) {
  double nrm;
  for (int k = 0; k < N; k++) {
    nrm = 0.0;
    for (int i = 0; i < M; i++)
      nrm += A[i][k] * A[i][k];
    R[k][k] = sqrt(nrm);
    for (int i = 0; i < M; i++)
      Q[i][k] = A[i][k] / R[k][k];
    for (int j = k + 1; j < N; j++) {
      R[k][j] = 0.0;
      for (int i = 0; i < M; i++)
        R[k][j] += Q[i][k] * A[i][j];
      for (int i = 0; i < M; i++)
        A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
}
#endif

static void print_array(double R[N][N], double Q[M][N]) {
  bench_array(polybench_tag("R"));
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      bench_value_f64(R[i][j]);
  bench_array(polybench_tag("Q"));
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      bench_value_f64(Q[i][j]);
}

void polybench_run(void) {
  double(*A)[M][N] = polybench_alloc(sizeof *A);
  double(*R)[N][N] = polybench_alloc(sizeof *R);
  double(*Q)[M][N] = polybench_alloc(sizeof *Q);
  for (int64_t r = bench_repetitions(); r > 0; r--) {
    init_array(*A, *R, *Q);
    bench_start();
    POLYBENCH_KERNEL(kernel_gramschmidt(*A, *R, *Q));
    bench_stop();
  }
  print_array(*R, *Q);
  free(A);
  free(R);
  free(Q);
}
