// correlation: the matrix of the correlation coefficients of the columns of data
#include <math.h>

#include "polybench.h"

#define M POLYBENCH_SIZE(29, 79, 28, 80, 240, 1200)
#define N POLYBENCH_SIZE(33, 97, 32, 100, 260, 1400)

static void init_array(double data[N][M], double corr[M][M], double mean[M], double stddev[M]) {
  // PolyBench's data are i * j / m + i throughout. Some columns are nearly constant here, so that
  // the kernel has a deviation below its threshold to replace. PolyBench leaves the other arrays as
  // they were allocated, which is mostly zero: that the kernel clears them would change nothing.
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      data[i][j] = j % 7 == 3 ? i % 2 * 0.125 : (double)(i * j) / M + i;
  for (int i = 0; i < M; i++) {
    mean[i] = -1.0;
    stddev[i] = -1.0;
    for (int j = 0; j < M; j++)
      corr[i][j] = -1.0;
  }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_correlation(double float_n, double data[POLYBENCH_RESTRICT N][M],
                               double corr[POLYBENCH_RESTRICT M][M],
                               double mean[POLYBENCH_RESTRICT M],
                               double stddev[POLYBENCH_RESTRICT M]) {
  for (int j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < N; i++)
      mean[j] += data[i][j];
    mean[j] /= float_n;
  }
  for (int j = 0; j < M; j++) {
    stddev[j] = 0.0;
    for (int i = 0; i < N; i++)
      stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    stddev[j] /= float_n;
    stddev[j] = sqrt(stddev[j]);
    // a column that hardly deviates is not divided by nearly zero
    stddev[j] = stddev[j] <= 0.1 ? 1.0 : stddev[j];
  }
  // centre and reduce the columns
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      data[i][j] -= mean[j];
      data[i][j] /= sqrt(float_n) * stddev[j];
    }
  for (int i = 0; i < M - 1; i++) {
    corr[i][i] = 1.0;
    for (int j = i + 1; j < M; j++) {
      corr[i][j] = 0.0;
      for (int k = 0; k < N; k++)
        corr[i][j] += data[k][i] * data[k][j];
      corr[j][i] = corr[i][j];
    }
  }
  corr[M - 1][M - 1] = 1.0;
}
#endif

static void print_array(double corr[M][M]) {
  bench_array(polybench_tag("corr"));
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      bench_value_f64(corr[i][j]);
}

void polybench_run(void) {
  double float_n = N;
  double(*data)[N][M] = polybench_alloc(sizeof *data);
  double(*corr)[M][M] = polybench_alloc(sizeof *corr);
  double(*mean)[M] = polybench_alloc(sizeof *mean);
  double(*stddev)[M] = polybench_alloc(sizeof *stddev);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*data, *corr, *mean, *stddev);
    bench_start();
    POLYBENCH_KERNEL(kernel_correlation(float_n, *data, *corr, *mean, *stddev));
    bench_stop();
  }
  print_array(*corr);
  free(data);
  free(corr);
  free(mean);
  free(stddev);
}
