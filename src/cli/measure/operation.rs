//! The unit of all times, and what a chain of operations waits.

use super::clock::{Times, time};
use std::hint::black_box;

/// The time of an operation in nanoseconds: of `c[i] = a[i] + b[i]` on single numbers, when many are under way and all
/// are in the nearest cache.
///
/// That is an instance of the simplest loop with its accesses, which is what the cost model counts as one operation,
/// and about a cycle: processors write one number in a cycle. Additions alone would be half as long on many of them,
/// and no loop does nothing else. Every third element is used, so that no compiler makes vectors of them.
pub fn operation() -> Times {
    const STEP: usize = 3;
    const NUMBERS: usize = 512;
    const ROUNDS: usize = 2_000;
    let (a, b) = (vec![1.0f32; STEP * NUMBERS], vec![2.0f32; STEP * NUMBERS]);
    let mut c = vec![0.0f32; STEP * NUMBERS];
    let mut round = || {
        let (a, b) = (black_box(&a[..]), black_box(&b[..]));
        for ((c, a), b) in c.chunks_exact_mut(STEP).zip(a.chunks_exact(STEP)).zip(b.chunks_exact(STEP)) {
            c[0] = a[0] + b[0];
        }
        black_box(&mut c[..]);
    };
    let mut rounds = || time(|| (0..ROUNDS).for_each(|_| round())) / (ROUNDS * NUMBERS) as f64;
    // Processors that had nothing to do take some time until they are as fast as they can be.
    for _ in 0..200 {
        rounds();
    }
    Times::of(50, rounds)
}

/// The time until a floating-point sum can be used, in nanoseconds: a link of a chain of additions.
pub fn link() -> Times {
    const LINKS: usize = 1_000_000;
    Times::of(30, || {
        let more = black_box(1e-9f64);
        // Sums of floating-point numbers are made in the order in which they are written.
        time(|| (0..LINKS).fold(black_box(1.0f64), |sum, _| sum + more)) / LINKS as f64
    })
}
