// An image is blurred along rows and columns, sharpened, and summed up.
#include <stdio.h>
#include <stdlib.h>

enum { H = 1500, W = 2000, TIMES = 6 };
static float image[H][W], rows[H][W], both[H][W];

__attribute__((noinline)) static void blur(int h, int w, float (*restrict in)[W], float (*restrict across)[W],
                                           float (*restrict out)[W]) {
  for (int x = 2; x < w - 2; x++)
    for (int y = 0; y < h; y++)
      across[y][x] = (in[y][x - 2] + 4 * in[y][x - 1] + 6 * in[y][x] + 4 * in[y][x + 1] + in[y][x + 2]) / 16;
  for (int x = 2; x < w - 2; x++)
    for (int y = 2; y < h - 2; y++)
      out[y][x] = (across[y - 2][x] + 4 * across[y - 1][x] + 6 * across[y][x] + 4 * across[y + 1][x] + across[y + 2][x]) / 16;
}

__attribute__((noinline)) static void sharpen(int h, int w, float (*restrict in)[W], float (*restrict smooth)[W]) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      in[y][x] += 0.25f * (in[y][x] - smooth[y][x]);
}

int main(void) {
  unsigned state = 1;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      image[y][x] = (state = state * 1103515245u + 12345u) >> 24;
  for (int t = 0; t < TIMES; t++) {
    blur(H, W, image, rows, both);
    sharpen(H, W, image, both);
  }
  double sum = 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      sum += image[y][x] * (x % 3 + 1);
  printf("%.6e\n", sum);
}
