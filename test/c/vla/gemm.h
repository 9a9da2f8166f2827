// gemm: C = alpha * A * B + beta * C
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_gemm_vla(int ni, int nj, int nk, double alpha, double beta,
                     double C[POLYBENCH_RESTRICT ni][nj], double A[POLYBENCH_RESTRICT ni][nk],
                     double B[POLYBENCH_RESTRICT nk][nj]) {
  for (int i = 0; i < ni; i++) {
    for (int j = 0; j < nj; j++)
      C[i][j] *= beta;
    for (int k = 0; k < nk; k++)
      for (int j = 0; j < nj; j++)
        C[i][j] += alpha * A[i][k] * B[k][j];
  }
}

static void kernel_gemm(double alpha, double beta, double C[POLYBENCH_RESTRICT NI][NJ],
                        double A[POLYBENCH_RESTRICT NI][NK], double B[POLYBENCH_RESTRICT NK][NJ]) {
  kernel_gemm_vla(NI, NJ, NK, alpha, beta, C, A, B);
}
