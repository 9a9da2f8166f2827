// gemver: A += u1 * v1^T + u2 * v2^T; x += beta * A^T * y + z; w += alpha * A * x
#include "polybench.h"

#define N POLYBENCH_SIZE(39, 119, 40, 120, 400, 2000)

static void init_array(double A[N][N], double u1[N], double v1[N], double u2[N], double v2[N],
                       double w[N], double x[N], double y[N], double z[N]) {
  for (int i = 0; i < N; i++) {
    u1[i] = i;
    u2[i] = (double)(i + 1) / N / 2.0;
    v1[i] = (double)(i + 1) / N / 4.0;
    v2[i] = (double)(i + 1) / N / 6.0;
    y[i] = (double)(i + 1) / N / 8.0;
    z[i] = (double)(i + 1) / N / 9.0;
    x[i] = 0.0;
    w[i] = 0.0;
    for (int j = 0; j < N; j++)
      A[i][j] = (double)(i * j % N) / N;
  }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_gemver(double alpha, double beta, double A[POLYBENCH_RESTRICT N][N],
                          double u1[POLYBENCH_RESTRICT N], double v1[POLYBENCH_RESTRICT N],
                          double u2[POLYBENCH_RESTRICT N], double v2[POLYBENCH_RESTRICT N],
                          double w[POLYBENCH_RESTRICT N], double x[POLYBENCH_RESTRICT N],
                          double y[POLYBENCH_RESTRICT N], double z[POLYBENCH_RESTRICT N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      x[i] = x[i] + beta * A[j][i] * y[j];
  for (int i = 0; i < N; i++)
    x[i] = x[i] + z[i];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      w[i] = w[i] + alpha * A[i][j] * x[j];
}
#endif

static void print_array(double w[N]) {
  bench_array(polybench_tag("w"));
  for (int i = 0; i < N; i++)
    bench_value_f64(w[i]);
}

void polybench_run(void) {
  double alpha = 1.5;
  double beta = 1.2;
  double(*A)[N][N] = polybench_alloc(sizeof *A);
  double(*u1)[N] = polybench_alloc(sizeof *u1);
  double(*v1)[N] = polybench_alloc(sizeof *v1);
  double(*u2)[N] = polybench_alloc(sizeof *u2);
  double(*v2)[N] = polybench_alloc(sizeof *v2);
  double(*w)[N] = polybench_alloc(sizeof *w);
  double(*x)[N] = polybench_alloc(sizeof *x);
  double(*y)[N] = polybench_alloc(sizeof *y);
  double(*z)[N] = polybench_alloc(sizeof *z);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*A, *u1, *v1, *u2, *v2, *w, *x, *y, *z);
    bench_start();
    POLYBENCH_KERNEL(kernel_gemver(alpha, beta, *A, *u1, *v1, *u2, *v2, *w, *x, *y, *z));
    bench_stop();
  }
  print_array(*w);
  free(A);
  free(u1);
  free(v1);
  free(u2);
  free(v2);
  free(w);
  free(x);
  free(y);
  free(z);
}
