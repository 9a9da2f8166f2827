// gesummv: sum of two matrix-vector products, y = alpha A x + beta B x
#include "polybench.h"

#define N POLYBENCH_SIZE(29, 89, 30, 90, 250, 1300)

static void init_array(double *alpha, double *beta, double A[N][N], double B[N][N], double tmp[N],
                       double x[N], double y[N]) {
  *alpha = 1.5;
  *beta = 1.2;
  for (int i = 0; i < N; i++) {
    x[i] = (double)(i % N) / N;
    for (int j = 0; j < N; j++) {
      A[i][j] = (double)((i * j + 1) % N) / N;
      B[i][j] = (double)((i * j + 2) % N) / N;
    }
    // The kernel overwrites these; what it overwrites is no zero.
    tmp[i] = N;
    y[i] = N;
  }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_gesummv(double alpha, double beta, double A[POLYBENCH_RESTRICT N][N],
                           double B[POLYBENCH_RESTRICT N][N], double tmp[POLYBENCH_RESTRICT N],
                           double x[POLYBENCH_RESTRICT N], double y[POLYBENCH_RESTRICT N]) {
  for (int i = 0; i < N; i++) {
    tmp[i] = 0.0;
    y[i] = 0.0;
    for (int j = 0; j < N; j++) {
      tmp[i] = A[i][j] * x[j] + tmp[i];
      y[i] = B[i][j] * x[j] + y[i];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}
#endif

static void print_array(double y[N]) {
  bench_array(polybench_tag("y"));
  for (int i = 0; i < N; i++)
    bench_value_f64(y[i]);
}

void polybench_run(void) {
  double alpha, beta;
  double(*A)[N][N] = polybench_alloc(sizeof *A);
  double(*B)[N][N] = polybench_alloc(sizeof *B);
  double(*tmp)[N] = polybench_alloc(sizeof *tmp);
  double(*x)[N] = polybench_alloc(sizeof *x);
  double(*y)[N] = polybench_alloc(sizeof *y);
  for (int64_t r = bench_repetitions(); r > 0; r--) {
    init_array(&alpha, &beta, *A, *B, *tmp, *x, *y);
    bench_start();
    POLYBENCH_KERNEL(kernel_gesummv(alpha, beta, *A, *B, *tmp, *x, *y));
    bench_stop();
  }
  print_array(*y);
  free(A);
  free(B);
  free(tmp);
  free(x);
  free(y);
}
