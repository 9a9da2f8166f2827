// gemm: C = alpha * A * B + beta * C
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_gemm_pointers(int ni, int nj, int nk, double alpha, double beta,
                          double *POLYBENCH_RESTRICT C, double *POLYBENCH_RESTRICT A,
                          double *POLYBENCH_RESTRICT B) {
  for (int i = 0; i < ni; i++) {
    for (int j = 0; j < nj; j++)
      C[i * nj + j] *= beta;
    for (int k = 0; k < nk; k++)
      for (int j = 0; j < nj; j++)
        C[i * nj + j] += alpha * A[i * nk + k] * B[k * nj + j];
  }
}

static void kernel_gemm(double alpha, double beta, double C[POLYBENCH_RESTRICT NI][NJ],
                        double A[POLYBENCH_RESTRICT NI][NK], double B[POLYBENCH_RESTRICT NK][NJ]) {
  kernel_gemm_pointers(NI, NJ, NK, alpha, beta, &C[0][0], &A[0][0], &B[0][0]);
}
