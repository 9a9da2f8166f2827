// 2mm: D = alpha * A * B * C + beta * D
#include "polybench.h"

#define NI POLYBENCH_SIZE(17, 43, 16, 40, 180, 800)
#define NJ POLYBENCH_SIZE(19, 53, 18, 50, 190, 900)
#define NK POLYBENCH_SIZE(23, 71, 22, 70, 210, 1100)
#define NL POLYBENCH_SIZE(26, 83, 24, 80, 220, 1200)

static void init_array(double tmp[NI][NJ], double A[NI][NK], double B[NK][NJ], double C[NJ][NL],
                       double D[NI][NL]) {
  // PolyBench leaves tmp as it was allocated, which is mostly zero: that the kernel clears it
  // would then change nothing.
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++)
      tmp[i][j] = -1.0;
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NK; j++)
      A[i][j] = (double)((i * j + 1) % NI) / NI;
  for (int i = 0; i < NK; i++)
    for (int j = 0; j < NJ; j++)
      B[i][j] = (double)(i * (j + 1) % NJ) / NJ;
  for (int i = 0; i < NJ; i++)
    for (int j = 0; j < NL; j++)
      C[i][j] = (double)((i * (j + 3) + 1) % NL) / NL;
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NL; j++)
      D[i][j] = (double)(i * (j + 2) % NK) / NK;
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_2mm(double alpha, double beta, double tmp[POLYBENCH_RESTRICT NI][NJ],
                       double A[POLYBENCH_RESTRICT NI][NK], double B[POLYBENCH_RESTRICT NK][NJ],
                       double C[POLYBENCH_RESTRICT NJ][NL], double D[POLYBENCH_RESTRICT NI][NL]) {
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++) {
      tmp[i][j] = 0.0;
      for (int k = 0; k < NK; k++)
        tmp[i][j] += alpha * A[i][k] * B[k][j];
    }
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NL; j++) {
      D[i][j] *= beta;
      for (int k = 0; k < NJ; k++)
        D[i][j] += tmp[i][k] * C[k][j];
    }
}
#endif

static void print_array(double D[NI][NL]) {
  bench_array(polybench_tag("D"));
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NL; j++)
      bench_value_f64(D[i][j]);
}

void polybench_run(void) {
  double alpha = 1.5;
  double beta = 1.2;
  double(*tmp)[NI][NJ] = polybench_alloc(sizeof *tmp);
  double(*A)[NI][NK] = polybench_alloc(sizeof *A);
  double(*B)[NK][NJ] = polybench_alloc(sizeof *B);
  double(*C)[NJ][NL] = polybench_alloc(sizeof *C);
  double(*D)[NI][NL] = polybench_alloc(sizeof *D);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*tmp, *A, *B, *C, *D);
    bench_start();
    POLYBENCH_KERNEL(kernel_2mm(alpha, beta, *tmp, *A, *B, *C, *D));
    bench_stop();
  }
  print_array(*D);
  free(tmp);
  free(A);
  free(B);
  free(C);
  free(D);
}
