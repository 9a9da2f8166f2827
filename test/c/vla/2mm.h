// 2mm: D = alpha * A * B * C + beta * D
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_2mm_vla(int ni, int nj, int nk, int nl, double alpha, double beta,
                    double tmp[POLYBENCH_RESTRICT ni][nj], double A[POLYBENCH_RESTRICT ni][nk],
                    double B[POLYBENCH_RESTRICT nk][nj], double C[POLYBENCH_RESTRICT nj][nl],
                    double D[POLYBENCH_RESTRICT ni][nl]) {
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      tmp[i][j] = 0.0;
      for (int k = 0; k < nk; k++)
        tmp[i][j] += alpha * A[i][k] * B[k][j];
    }
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nl; j++) {
      D[i][j] *= beta;
      for (int k = 0; k < nj; k++)
        D[i][j] += tmp[i][k] * C[k][j];
    }
}

static void kernel_2mm(double alpha, double beta, double tmp[POLYBENCH_RESTRICT NI][NJ],
                       double A[POLYBENCH_RESTRICT NI][NK], double B[POLYBENCH_RESTRICT NK][NJ],
                       double C[POLYBENCH_RESTRICT NJ][NL], double D[POLYBENCH_RESTRICT NI][NL]) {
  kernel_2mm_vla(NI, NJ, NK, NL, alpha, beta, tmp, A, B, C, D);
}
