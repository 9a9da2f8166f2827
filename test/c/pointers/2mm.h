// 2mm: D = alpha * A * B * C + beta * D
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_2mm_pointers(int ni, int nj, int nk, int nl, double alpha, double beta,
                         double *POLYBENCH_RESTRICT tmp, double *POLYBENCH_RESTRICT A,
                         double *POLYBENCH_RESTRICT B, double *POLYBENCH_RESTRICT C,
                         double *POLYBENCH_RESTRICT D) {
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      tmp[i * nj + j] = 0.0;
      for (int k = 0; k < nk; k++)
        tmp[i * nj + j] += alpha * A[i * nk + k] * B[k * nj + j];
    }
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nl; j++) {
      D[i * nl + j] *= beta;
      for (int k = 0; k < nj; k++)
        D[i * nl + j] += tmp[i * nj + k] * C[k * nl + j];
    }
}

static void kernel_2mm(double alpha, double beta, double tmp[POLYBENCH_RESTRICT NI][NJ],
                       double A[POLYBENCH_RESTRICT NI][NK], double B[POLYBENCH_RESTRICT NK][NJ],
                       double C[POLYBENCH_RESTRICT NJ][NL], double D[POLYBENCH_RESTRICT NI][NL]) {
  kernel_2mm_pointers(NI, NJ, NK, NL, alpha, beta, &tmp[0][0], &A[0][0], &B[0][0], &C[0][0],
                      &D[0][0]);
}
