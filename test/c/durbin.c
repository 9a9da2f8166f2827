// durbin: the Levinson-Durbin recursion for a Toeplitz system
#include "polybench.h"

#define N POLYBENCH_SIZE(39, 119, 40, 120, 400, 2000)

static void init_array(double r[N], double y[N]) {
  for (int i = 0; i < N; i++) {
    r[i] = N + 1 - i;
    y[i] = 0.0;
  }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_durbin(double r[POLYBENCH_RESTRICT N], double y[POLYBENCH_RESTRICT N]) {
  double z[N];
  double alpha, beta, sum;
  y[0] = -r[0];
  beta = 1.0;
  alpha = -r[0];
  for (int k = 1; k < N; k++) {
    beta = (1.0 - alpha * alpha) * beta;
    sum = 0.0;
    for (int i = 0; i < k; i++)
      sum += r[k - i - 1] * y[i];
    alpha = -(r[k] + sum) / beta;
    for (int i = 0; i < k; i++)
      z[i] = y[i] + alpha * y[k - i - 1];
    for (int i = 0; i < k; i++)
      y[i] = z[i];
    y[k] = alpha;
  }
}
#endif

static void print_array(double y[N]) {
  bench_array(polybench_tag("y"));
  for (int i = 0; i < N; i++)
    bench_value_f64(y[i]);
}

void polybench_run(void) {
  double(*r)[N] = polybench_alloc(sizeof *r);
  double(*y)[N] = polybench_alloc(sizeof *y);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*r, *y);
    bench_start();
    POLYBENCH_KERNEL(kernel_durbin(*r, *y));
    bench_stop();
  }
  print_array(*y);
  free(r);
  free(y);
}
