// gemm: C = alpha * A * B + beta * C
#include "polybench.h"

#define NI POLYBENCH_SIZE(19, 61, 20, 60, 200, 1000)
#define NJ POLYBENCH_SIZE(23, 71, 25, 70, 220, 1100)
#define NK POLYBENCH_SIZE(29, 83, 30, 80, 240, 1200)

static void init_array(double C[NI][NJ], double A[NI][NK], double B[NK][NJ]) {
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++)
      C[i][j] = (double)((i * j + 1) % NI) / NI;
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NK; j++)
      A[i][j] = (double)(i * (j + 1) % NK) / NK;
  for (int i = 0; i < NK; i++)
    for (int j = 0; j < NJ; j++)
      B[i][j] = (double)(i * (j + 2) % NJ) / NJ;
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_gemm(double alpha, double beta, double C[POLYBENCH_RESTRICT NI][NJ],
                        double A[POLYBENCH_RESTRICT NI][NK], double B[POLYBENCH_RESTRICT NK][NJ]) {
  for (int i = 0; i < NI; i++) {
    for (int j = 0; j < NJ; j++)
      C[i][j] *= beta;
    for (int k = 0; k < NK; k++)
      for (int j = 0; j < NJ; j++)
        C[i][j] += alpha * A[i][k] * B[k][j];
  }
}
#endif

static void print_array(double C[NI][NJ]) {
  bench_array(polybench_tag("C"));
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++)
      bench_value_f64(C[i][j]);
}

void polybench_run(void) {
  double alpha = 1.5;
  double beta = 1.2;
  double(*C)[NI][NJ] = polybench_alloc(sizeof *C);
  double(*A)[NI][NK] = polybench_alloc(sizeof *A);
  double(*B)[NK][NJ] = polybench_alloc(sizeof *B);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*C, *A, *B);
    bench_start();
    POLYBENCH_KERNEL(kernel_gemm(alpha, beta, *C, *A, *B));
    bench_stop();
  }
  print_array(*C);
  free(C);
  free(A);
  free(B);
}
