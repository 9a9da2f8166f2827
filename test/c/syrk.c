// syrk: symmetric update of rank k of the lower half of C, C = alpha A A^T + beta C
#include "polybench.h"

#define N POLYBENCH_SIZE(29, 77, 30, 80, 240, 1200)
#define M POLYBENCH_SIZE(19, 61, 20, 60, 200, 1000)

static void init_array(double *alpha, double *beta, double C[N][N], double A[N][M]) {
  *alpha = 1.5;
  *beta = 1.2;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      A[i][j] = (double)((i * j + 1) % N) / N;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      C[i][j] = (double)((i * j + 2) % M) / M;
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_syrk(double alpha, double beta, double C[POLYBENCH_RESTRICT N][N],
                        double A[POLYBENCH_RESTRICT N][M]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j <= i; j++)
      C[i][j] *= beta;
    for (int k = 0; k < M; k++)
      for (int j = 0; j <= i; j++)
        C[i][j] += alpha * A[i][k] * A[j][k];
  }
}
#endif

static void print_array(double C[N][N]) {
  bench_array(polybench_tag("C"));
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      bench_value_f64(C[i][j]);
}

void polybench_run(void) {
  double alpha, beta;
  double(*C)[N][N] = polybench_alloc(sizeof *C);
  double(*A)[N][M] = polybench_alloc(sizeof *A);
  for (int64_t r = bench_repetitions(); r > 0; r--) {
    init_array(&alpha, &beta, *C, *A);
    bench_start();
    POLYBENCH_KERNEL(kernel_syrk(alpha, beta, *C, *A));
    bench_stop();
  }
  print_array(*C);
  free(C);
  free(A);
}
