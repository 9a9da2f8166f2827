//! What is possible: OpenBLAS on one thread, where the machine has it (Debian's `libopenblas-dev`). Nothing here is
//! built with it.
//!
//! OpenBLAS contracts multiply-adds and adds in an order of its own, so its results have other bits. The programs that
//! the benchmark compares do neither: where multiplications and additions share units, they can reach half of its rate.

use crate::command::Command;
use crate::project::{Project, llvm_tool};
use anyhow::{Context, Result};
use std::path::PathBuf;

/// The program that measures products.
pub struct OpenBlas {
    program: PathBuf,
}

impl OpenBlas {
    /// None if there is no OpenBLAS to link.
    ///
    /// # Errors
    /// When the program cannot be written.
    pub fn find(project: &Project) -> Result<Option<Self>> {
        let program = project.scratch("bench-limits")?.join("openblas");
        let source = program.with_extension("c");
        std::fs::write(&source, DRIVER)?;
        let clang = Command::new(llvm_tool("clang")).arg("-O2").arg(&source).arg("-o").arg(&program);
        let linked = clang.arg("-lopenblas").output()?.status.success();
        Ok(linked.then_some(Self { program }))
    }

    /// Seconds for a number of products, each of rows, columns and a depth, of elements of this type; none if OpenBLAS has
    /// no such products.
    ///
    /// # Errors
    /// When the program fails.
    pub fn seconds(&self, element: &str, count: u64, product: [u64; 3]) -> Result<Option<f64>> {
        let letter = match element {
            "f32" => "s",
            "f64" => "d",
            _ => return Ok(None),
        };
        let command = Command::new(&self.program).env("OPENBLAS_NUM_THREADS", "1").arg(letter);
        let sizes = std::iter::once(count).chain(product);
        let printed = command.args(sizes.map(|size: u64| size.to_string())).checked()?.stdout;
        Ok(Some(printed.trim().parse::<f64>().context("OpenBLAS' program printed no time")?))
    }
}

/// `s` or `d`, how many products, rows, columns, depth: prints the seconds of the fastest run.
const DRIVER: &str = "#include <stdio.h>
#include <stdlib.h>
#include <time.h>
enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };
#define PRODUCTS(type, letter) \\
  void cblas_##letter##gemm(int, int, int, int, int, int, type, const type *, int, const type *, int, type, type *, int); \\
  void cblas_##letter##gemv(int, int, int, int, type, const type *, int, const type *, int, type, type *, int); \\
  static void letter(long count, int m, int n, int k, type *a, type *b, type *c) { \\
    for (long i = 0; i < count; i++, a += (long)m * k, b += (long)k * n, c += (long)m * n) \\
      if (n == 1) \\
        cblas_##letter##gemv(ROW_MAJOR, PLAIN, m, k, 1, a, k, b, 1, 1, c, 1); \\
      else if (m == 1) \\
        cblas_##letter##gemv(ROW_MAJOR, TRANSPOSED, k, n, 1, b, n, a, 1, 1, c, 1); \\
      else \\
        cblas_##letter##gemm(ROW_MAJOR, PLAIN, PLAIN, m, n, k, 1, a, k, b, n, 1, c, n); \\
  }
PRODUCTS(float, s)
PRODUCTS(double, d)
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(int argc, char **argv) {
  if (argc != 6) return 1;
  int wide = *argv[1] == 'd';
  long count = atol(argv[2]), m = atol(argv[3]), n = atol(argv[4]), k = atol(argv[5]);
  long sizes[] = {m * k, k * n, m * n};
  void *arrays[3];
  for (int array = 0; array < 3; array++) {
    long size = count * sizes[array];
    arrays[array] = aligned_alloc(64, (8 * size + 63) / 64 * 64);
    for (long i = 0; i < size; i++)
      if (wide) ((double *)arrays[array])[i] = i % 255 / 64.0;
      else ((float *)arrays[array])[i] = i % 255 / 64.0f;
  }
  double best = 1e9, start = now();
  for (int run = 0; run < 3 || (now() - start < 0.3 && run < 1000); run++) {
    double before = now();
    if (wide) d(count, m, n, k, arrays[0], arrays[1], arrays[2]);
    else s(count, m, n, k, arrays[0], arrays[1], arrays[2]);
    double seconds = now() - before;
    if (seconds < best) best = seconds;
  }
  printf(\"%.9f\\n\", best);
}
";
