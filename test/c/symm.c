// symm: product with a symmetric matrix of which the lower half is stored,
// C = alpha A B + beta C
//
// The scalar temp2 of the C code is the value that the k loop carries in iter_args.
#include "polybench.h"

#define M POLYBENCH_SIZE(19, 61, 20, 60, 200, 1000)
#define N POLYBENCH_SIZE(29, 77, 30, 80, 240, 1200)

static void init_array(double *alpha, double *beta, double C[M][N], double A[M][M],
                       double B[M][N]) {
  *alpha = 1.5;
  *beta = 1.2;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      C[i][j] = (double)((i + j) % 100) / M;
      B[i][j] = (double)((N + i - j) % 100) / M;
    }
  for (int i = 0; i < M; i++) {
    for (int j = 0; j <= i; j++)
      A[i][j] = (double)((i + j) % 100) / M;
    // The upper half is never read.
    for (int j = i + 1; j < M; j++)
      A[i][j] = -999;
  }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_symm(double alpha, double beta, double C[POLYBENCH_RESTRICT M][N],
                        double A[POLYBENCH_RESTRICT M][M], double B[POLYBENCH_RESTRICT M][N]) {
  double temp2;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      temp2 = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        temp2 += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * temp2;
    }
}
#endif

static void print_array(double C[M][N]) {
  bench_array(polybench_tag("C"));
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      bench_value_f64(C[i][j]);
}

void polybench_run(void) {
  double alpha, beta;
  double(*C)[M][N] = polybench_alloc(sizeof *C);
  double(*A)[M][M] = polybench_alloc(sizeof *A);
  double(*B)[M][N] = polybench_alloc(sizeof *B);
  for (int64_t r = bench_repetitions(); r > 0; r--) {
    init_array(&alpha, &beta, *C, *A, *B);
    bench_start();
    POLYBENCH_KERNEL(kernel_symm(alpha, beta, *C, *A, *B));
    bench_stop();
  }
  print_array(*C);
  free(C);
  free(A);
  free(B);
}
