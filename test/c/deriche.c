// deriche: Deriche's recursive edge detector
//
// Each of the two directions is filtered forwards into y1 and backwards into y2. The horizontal
// passes carry their scalars through iter_args, the vertical ones through memory.
#include <math.h>

#include "polybench.h"

#define W POLYBENCH_SIZE(37, 97, 64, 192, 720, 4096)
#define H POLYBENCH_SIZE(43, 107, 64, 128, 480, 2160)

static void init_array(float imgIn[W][H], float imgOut[W][H]) {
  for (int i = 0; i < W; i++)
    for (int j = 0; j < H; j++) {
      imgIn[i][j] = (float)((313 * i + 991 * j) % 65536) / 65535.0f;
      imgOut[i][j] = -1.0f;
    }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_deriche(float alpha, float imgIn[POLYBENCH_RESTRICT W][H],
                           float imgOut[POLYBENCH_RESTRICT W][H], float y1[POLYBENCH_RESTRICT W][H],
                           float y2[POLYBENCH_RESTRICT W][H]) {
  float ym1, ym2, xm1, yp1, yp2, xp1, xp2, tm1, tp1, tp2;
  float k = (1.0f - expf(-alpha)) * (1.0f - expf(-alpha)) /
            (1.0f + 2.0f * alpha * expf(-alpha) - expf(2.0f * alpha));
  float a1 = k, a5 = k;
  float a2 = k * expf(-alpha) * (alpha - 1.0f), a6 = a2;
  float a3 = k * expf(-alpha) * (alpha + 1.0f), a7 = a3;
  float a4 = -k * expf(-2.0f * alpha), a8 = a4;
  float b1 = powf(2.0f, -alpha);
  float b2 = -expf(-2.0f * alpha);
  float c1 = 1.0f, c2 = 1.0f;
  for (int i = 0; i < W; i++) {
    ym1 = 0.0f;
    ym2 = 0.0f;
    xm1 = 0.0f;
    for (int j = 0; j < H; j++) {
      y1[i][j] = a1 * imgIn[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
      xm1 = imgIn[i][j];
      ym2 = ym1;
      ym1 = y1[i][j];
    }
  }
  for (int i = 0; i < W; i++) {
    yp1 = 0.0f;
    yp2 = 0.0f;
    xp1 = 0.0f;
    xp2 = 0.0f;
    for (int j = H - 1; j >= 0; j--) {
      y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
      xp2 = xp1;
      xp1 = imgIn[i][j];
      yp2 = yp1;
      yp1 = y2[i][j];
    }
  }
  for (int i = 0; i < W; i++)
    for (int j = 0; j < H; j++)
      imgOut[i][j] = c1 * (y1[i][j] + y2[i][j]);
  for (int j = 0; j < H; j++) {
    tm1 = 0.0f;
    ym1 = 0.0f;
    ym2 = 0.0f;
    for (int i = 0; i < W; i++) {
      y1[i][j] = a5 * imgOut[i][j] + a6 * tm1 + b1 * ym1 + b2 * ym2;
      tm1 = imgOut[i][j];
      ym2 = ym1;
      ym1 = y1[i][j];
    }
  }
  for (int j = 0; j < H; j++) {
    tp1 = 0.0f;
    tp2 = 0.0f;
    yp1 = 0.0f;
    yp2 = 0.0f;
    for (int i = W - 1; i >= 0; i--) {
      y2[i][j] = a7 * tp1 + a8 * tp2 + b1 * yp1 + b2 * yp2;
      tp2 = tp1;
      tp1 = imgOut[i][j];
      yp2 = yp1;
      yp1 = y2[i][j];
    }
  }
  for (int i = 0; i < W; i++)
    for (int j = 0; j < H; j++)
      imgOut[i][j] = c2 * (y1[i][j] + y2[i][j]);
}
#endif

static void print_array(float imgOut[W][H]) {
  bench_array(polybench_tag("imgOut"));
  for (int i = 0; i < W; i++)
    for (int j = 0; j < H; j++)
      bench_value_f32(imgOut[i][j]);
}

void polybench_run(void) {
  float alpha = 0.25f;
  float(*imgIn)[W][H] = polybench_alloc(sizeof *imgIn);
  float(*imgOut)[W][H] = polybench_alloc(sizeof *imgOut);
  float(*y1)[W][H] = polybench_alloc(sizeof *y1);
  float(*y2)[W][H] = polybench_alloc(sizeof *y2);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*imgIn, *imgOut);
    bench_start();
    POLYBENCH_KERNEL(kernel_deriche(alpha, *imgIn, *imgOut, *y1, *y2));
    bench_stop();
  }
  print_array(*imgOut);
  free(imgIn);
  free(imgOut);
  free(y1);
  free(y2);
}
