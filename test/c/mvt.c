// mvt: two products of one matrix with a vector, the second with its transpose
#include "polybench.h"

#define N POLYBENCH_SIZE(37, 121, 40, 120, 400, 2000)

static void init_array(double x1[N], double x2[N], double y_1[N], double y_2[N], double A[N][N]) {
  for (int i = 0; i < N; i++) {
    x1[i] = (double)(i % N) / N;
    x2[i] = (double)((i + 1) % N) / N;
    y_1[i] = (double)((i + 3) % N) / N;
    y_2[i] = (double)((i + 4) % N) / N;
    for (int j = 0; j < N; j++)
      A[i][j] = (double)(i * j % N) / N;
  }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_mvt(double x1[POLYBENCH_RESTRICT N], double x2[POLYBENCH_RESTRICT N],
                       double y_1[POLYBENCH_RESTRICT N], double y_2[POLYBENCH_RESTRICT N],
                       double A[POLYBENCH_RESTRICT N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      x1[i] = x1[i] + A[i][j] * y_1[j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      x2[i] = x2[i] + A[j][i] * y_2[j];
}
#endif

static void print_array(double x1[N], double x2[N]) {
  bench_array(polybench_tag("x1"));
  for (int i = 0; i < N; i++)
    bench_value_f64(x1[i]);
  bench_array(polybench_tag("x2"));
  for (int i = 0; i < N; i++)
    bench_value_f64(x2[i]);
}

void polybench_run(void) {
  double(*x1)[N] = polybench_alloc(sizeof *x1);
  double(*x2)[N] = polybench_alloc(sizeof *x2);
  double(*y_1)[N] = polybench_alloc(sizeof *y_1);
  double(*y_2)[N] = polybench_alloc(sizeof *y_2);
  double(*A)[N][N] = polybench_alloc(sizeof *A);
  for (int64_t r = bench_repetitions(); r > 0; r--) {
    init_array(*x1, *x2, *y_1, *y_2, *A);
    bench_start();
    POLYBENCH_KERNEL(kernel_mvt(*x1, *x2, *y_1, *y_2, *A));
    bench_stop();
  }
  print_array(*x1, *x2);
  free(x1);
  free(x2);
  free(y_1);
  free(y_2);
  free(A);
}
