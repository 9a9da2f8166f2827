// adi: an alternating direction implicit solver of the heat equation
//
// The column sweep solves along j for v, the row sweep along i for u; the second loop of each runs
// backwards.
#include "polybench.h"

#define TSTEPS POLYBENCH_SIZE(7, 13, 20, 40, 100, 500)
#define N POLYBENCH_SIZE(21, 61, 20, 60, 200, 1000)

static void init_array(double u[N][N], double v[N][N], double p[N][N], double q[N][N]) {
  // PolyBench leaves v, p and q as they were allocated, which is mostly zero: that the kernel
  // clears a column of p would then change nothing.
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      u[i][j] = (double)(i + N - j) / N;
      v[i][j] = -1.0;
      p[i][j] = -1.0;
      q[i][j] = -1.0;
    }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_adi(double u[POLYBENCH_RESTRICT N][N], double v[POLYBENCH_RESTRICT N][N],
                       double p[POLYBENCH_RESTRICT N][N], double q[POLYBENCH_RESTRICT N][N]) {
  double dx = 1.0 / (double)N;
  double dy = 1.0 / (double)N;
  double dt = 1.0 / (double)TSTEPS;
  double mul1 = 2.0 * dt / (dx * dx);
  double mul2 = 1.0 * dt / (dy * dy);
  double a = -mul1 / 2.0;
  double b = 1.0 + mul1;
  double c = a;
  double d = -mul2 / 2.0;
  double e = 1.0 + mul2;
  double f = d;
  for (int t = 1; t <= TSTEPS; t++) {
    // column sweep
    for (int i = 1; i < N - 1; i++) {
      v[0][i] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = v[0][i];
      for (int j = 1; j < N - 1; j++) {
        p[i][j] = -c / (a * p[i][j - 1] + b);
        q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i] - f * u[j][i + 1] -
                   a * q[i][j - 1]) /
                  (a * p[i][j - 1] + b);
      }
      v[N - 1][i] = 1.0;
      for (int j = N - 2; j >= 1; j--)
        v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
    }
    // row sweep
    for (int i = 1; i < N - 1; i++) {
      u[i][0] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = u[i][0];
      for (int j = 1; j < N - 1; j++) {
        p[i][j] = -f / (d * p[i][j - 1] + e);
        q[i][j] = (-a * v[i - 1][j] + (1.0 + 2.0 * a) * v[i][j] - c * v[i + 1][j] -
                   d * q[i][j - 1]) /
                  (d * p[i][j - 1] + e);
      }
      u[i][N - 1] = 1.0;
      for (int j = N - 2; j >= 1; j--)
        u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
    }
  }
}
#endif

static void print_array(double u[N][N]) {
  bench_array(polybench_tag("u"));
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      bench_value_f64(u[i][j]);
}

void polybench_run(void) {
  double(*u)[N][N] = polybench_alloc(sizeof *u);
  double(*v)[N][N] = polybench_alloc(sizeof *v);
  double(*p)[N][N] = polybench_alloc(sizeof *p);
  double(*q)[N][N] = polybench_alloc(sizeof *q);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*u, *v, *p, *q);
    bench_start();
    POLYBENCH_KERNEL(kernel_adi(*u, *v, *p, *q));
    bench_stop();
  }
  print_array(*u);
  free(u);
  free(v);
  free(p);
  free(q);
}
