// 3mm: G = (A * B) * (C * D)
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_3mm_pointers(int ni, int nj, int nk, int nl, int nm, double *POLYBENCH_RESTRICT E,
                         double *POLYBENCH_RESTRICT A, double *POLYBENCH_RESTRICT B,
                         double *POLYBENCH_RESTRICT F, double *POLYBENCH_RESTRICT C,
                         double *POLYBENCH_RESTRICT D, double *POLYBENCH_RESTRICT G) {
  // E = A * B
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      E[i * nj + j] = 0.0;
      for (int k = 0; k < nk; k++)
        E[i * nj + j] += A[i * nk + k] * B[k * nj + j];
    }
  // F = C * D
  for (int i = 0; i < nj; i++)
    for (int j = 0; j < nl; j++) {
      F[i * nl + j] = 0.0;
      for (int k = 0; k < nm; k++)
        F[i * nl + j] += C[i * nm + k] * D[k * nl + j];
    }
  // G = E * F
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nl; j++) {
      G[i * nl + j] = 0.0;
      for (int k = 0; k < nj; k++)
        G[i * nl + j] += E[i * nj + k] * F[k * nl + j];
    }
}

static void kernel_3mm(double E[POLYBENCH_RESTRICT NI][NJ], double A[POLYBENCH_RESTRICT NI][NK],
                       double B[POLYBENCH_RESTRICT NK][NJ], double F[POLYBENCH_RESTRICT NJ][NL],
                       double C[POLYBENCH_RESTRICT NJ][NM], double D[POLYBENCH_RESTRICT NM][NL],
                       double G[POLYBENCH_RESTRICT NI][NL]) {
  kernel_3mm_pointers(NI, NJ, NK, NL, NM, &E[0][0], &A[0][0], &B[0][0], &F[0][0], &C[0][0],
                      &D[0][0], &G[0][0]);
}
