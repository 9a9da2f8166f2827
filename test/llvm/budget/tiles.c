// Two statements that write one place, in tiles of parameters: bounds that are the smaller of two functions, and long steps.
double A[4];
void tiles(long p, long q, long r, long n, double v) {
  for (long t = 70 * p; t < (70 * p + 70 < n ? 70 * p + 70 : n); t++)
    for (long u = 0; u < n; u += 9)
      for (long w = 0; w < 90; w += 9)
        for (long x = 300 * q; x < (300 * q + 300 < n ? 300 * q + 300 : n); x++) {
          for (long y = 16 * r; y < 16 * r + 16; y++)
            for (long z = 3 * t; z < 3 * t + 3; z++) A[0] = v;
          for (long y = 70 * r; y < (16 * r + 16 < n ? 16 * r + 16 : n); y++)
            for (long z = 300 * t; z < (3 * t + 3 < n ? 3 * t + 3 : n); z++) A[0] = v;
        }
}
