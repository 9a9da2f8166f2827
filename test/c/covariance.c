// covariance: the matrix of the covariances of the columns of data
#include "polybench.h"

#define M POLYBENCH_SIZE(29, 79, 28, 80, 240, 1200)
#define N POLYBENCH_SIZE(33, 97, 32, 100, 260, 1400)

static void init_array(double data[N][M], double cov[M][M], double mean[M]) {
  // PolyBench leaves cov and mean as they were allocated, which is mostly zero: that the kernel
  // clears them would then change nothing.
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      data[i][j] = (double)(i * j) / M;
  for (int i = 0; i < M; i++) {
    mean[i] = -1.0;
    for (int j = 0; j < M; j++)
      cov[i][j] = -1.0;
  }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_covariance(double float_n, double data[POLYBENCH_RESTRICT N][M],
                              double cov[POLYBENCH_RESTRICT M][M],
                              double mean[POLYBENCH_RESTRICT M]) {
  for (int j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < N; i++)
      mean[j] += data[i][j];
    mean[j] /= float_n;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      data[i][j] -= mean[j];
  for (int i = 0; i < M; i++)
    for (int j = i; j < M; j++) {
      cov[i][j] = 0.0;
      for (int k = 0; k < N; k++)
        cov[i][j] += data[k][i] * data[k][j];
      cov[i][j] /= float_n - 1.0;
      cov[j][i] = cov[i][j];
    }
}
#endif

static void print_array(double cov[M][M]) {
  bench_array(polybench_tag("cov"));
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      bench_value_f64(cov[i][j]);
}

void polybench_run(void) {
  double float_n = N;
  double(*data)[N][M] = polybench_alloc(sizeof *data);
  double(*cov)[M][M] = polybench_alloc(sizeof *cov);
  double(*mean)[M] = polybench_alloc(sizeof *mean);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*data, *cov, *mean);
    bench_start();
    POLYBENCH_KERNEL(kernel_covariance(float_n, *data, *cov, *mean));
    bench_stop();
  }
  print_array(*cov);
  free(data);
  free(cov);
  free(mean);
}
