enum { N = 50 };
void matmul(double C[restrict N][N], double A[restrict N][N], double B[restrict N][N]);
