// trisolv: forward substitution, L x = b with a lower triangular L
#include "polybench.h"

#define N POLYBENCH_SIZE(37, 121, 40, 120, 400, 2000)

static void init_array(double L[N][N], double x[N], double b[N]) {
  for (int i = 0; i < N; i++) {
    x[i] = -999;
    b[i] = i;
    for (int j = 0; j <= i; j++)
      L[i][j] = (double)(i + N - j + 1) * 2 / N;
  }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_trisolv(double L[POLYBENCH_RESTRICT N][N], double x[POLYBENCH_RESTRICT N],
                           double b[POLYBENCH_RESTRICT N]) {
  for (int i = 0; i < N; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] -= L[i][j] * x[j];
    x[i] = x[i] / L[i][i];
  }
}
#endif

static void print_array(double x[N]) {
  bench_array(polybench_tag("x"));
  for (int i = 0; i < N; i++)
    bench_value_f64(x[i]);
}

void polybench_run(void) {
  double(*L)[N][N] = polybench_alloc(sizeof *L);
  double(*x)[N] = polybench_alloc(sizeof *x);
  double(*b)[N] = polybench_alloc(sizeof *b);
  for (int64_t r = bench_repetitions(); r > 0; r--) {
    init_array(*L, *x, *b);
    bench_start();
    POLYBENCH_KERNEL(kernel_trisolv(*L, *x, *b));
    bench_stop();
  }
  print_array(*x);
  free(L);
  free(x);
  free(b);
}
