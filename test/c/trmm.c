// trmm: product with the transpose of a unit lower triangular matrix, in place,
// B = alpha A^T B
#include "polybench.h"

#define M POLYBENCH_SIZE(19, 61, 20, 60, 200, 1000)
#define N POLYBENCH_SIZE(29, 77, 30, 80, 240, 1200)

static void init_array(double *alpha, double A[M][M], double B[M][N]) {
  *alpha = 1.5;
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < i; j++)
      A[i][j] = (double)((i + j) % M) / M;
    A[i][i] = 1.0;
    for (int j = 0; j < N; j++)
      B[i][j] = (double)((N + (i - j)) % N) / N;
  }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_trmm(double alpha, double A[POLYBENCH_RESTRICT M][M],
                        double B[POLYBENCH_RESTRICT M][N]) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      for (int k = i + 1; k < M; k++)
        B[i][j] += A[k][i] * B[k][j];
      B[i][j] = alpha * B[i][j];
    }
}
#endif

static void print_array(double B[M][N]) {
  bench_array(polybench_tag("B"));
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      bench_value_f64(B[i][j]);
}

void polybench_run(void) {
  double alpha;
  double(*A)[M][M] = polybench_alloc(sizeof *A);
  double(*B)[M][N] = polybench_alloc(sizeof *B);
  for (int64_t r = bench_repetitions(); r > 0; r--) {
    init_array(&alpha, *A, *B);
    bench_start();
    POLYBENCH_KERNEL(kernel_trmm(alpha, *A, *B));
    bench_stop();
  }
  print_array(*B);
  free(A);
  free(B);
}
