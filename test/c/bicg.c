// bicg: s = A^T * r and q = A * p, a step of the biconjugate gradient method
#include "polybench.h"

#define M POLYBENCH_SIZE(37, 113, 38, 116, 390, 1900)
#define N POLYBENCH_SIZE(43, 127, 42, 124, 410, 2100)

static void init_array(double A[N][M], double s[M], double q[N], double p[M], double r[N]) {
  // PolyBench leaves s and q as they were allocated, which is mostly zero: that the kernel
  // clears them would then change nothing.
  for (int i = 0; i < M; i++) {
    s[i] = -1.0;
    p[i] = (double)(i % M) / M;
  }
  for (int i = 0; i < N; i++) {
    q[i] = -1.0;
    r[i] = (double)(i % N) / N;
    for (int j = 0; j < M; j++)
      A[i][j] = (double)(i * (j + 1) % N) / N;
  }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_bicg(double A[POLYBENCH_RESTRICT N][M], double s[POLYBENCH_RESTRICT M],
                        double q[POLYBENCH_RESTRICT N], double p[POLYBENCH_RESTRICT M],
                        double r[POLYBENCH_RESTRICT N]) {
  for (int i = 0; i < M; i++)
    s[i] = 0.0;
  for (int i = 0; i < N; i++) {
    q[i] = 0.0;
    for (int j = 0; j < M; j++) {
      s[j] = s[j] + r[i] * A[i][j];
      q[i] = q[i] + A[i][j] * p[j];
    }
  }
}
#endif

static void print_array(double s[M], double q[N]) {
  bench_array(polybench_tag("s"));
  for (int i = 0; i < M; i++)
    bench_value_f64(s[i]);
  bench_array(polybench_tag("q"));
  for (int i = 0; i < N; i++)
    bench_value_f64(q[i]);
}

void polybench_run(void) {
  double(*A)[N][M] = polybench_alloc(sizeof *A);
  double(*s)[M] = polybench_alloc(sizeof *s);
  double(*q)[N] = polybench_alloc(sizeof *q);
  double(*p)[M] = polybench_alloc(sizeof *p);
  double(*r)[N] = polybench_alloc(sizeof *r);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*A, *s, *q, *p, *r);
    bench_start();
    POLYBENCH_KERNEL(kernel_bicg(*A, *s, *q, *p, *r));
    bench_stop();
  }
  print_array(*s, *q);
  free(A);
  free(s);
  free(q);
  free(p);
  free(r);
}
