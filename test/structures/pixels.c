// Pixels of four channels, three of which are weighted and summed over many frames.

#include "harness.h"

__attribute__((noinline)) static void gray(int n, int frames, float image[restrict n][4], float out[restrict n]) {
  for (int t = 0; t < frames; t++)
    for (int i = 0; i < n; i++)
      out[i] = out[i] * 0.5f + 0.3f * image[i][0] + 0.59f * image[i][1] + 0.11f * image[i][2];
}

int main(void) {
  float *image = floats(4L * 1000000), *out = floats(1000000);
  MEASURE("pixels-4k-5000", gray(4000, 5000, (float(*)[4])image, out), out, 4L * 4000);
  MEASURE("pixels-1m-20", gray(1000000, 20, (float(*)[4])image, out), out, 4L * 1000000);
  MEASURE("pixels-1m-1", gray(1000000, 1, (float(*)[4])image, out), out, 4L * 1000000);
}
