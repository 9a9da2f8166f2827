//! The unit of all times, and what a chain of operations waits.

use super::clock::{Times, time};
use std::hint::black_box;

/// The time of an operation, measured in two ways that give about the same where nothing else runs.
#[derive(Debug)]
pub struct Operation {
    /// A single number of `c[i] = a[i] + b[i]`, when many are under way and all are in the nearest cache: an instance
    /// of the simplest loop with its accesses, which is what the cost model counts as one operation. Additions alone
    /// would be half as long on many processors, and no loop does nothing else.
    pub instance: Times,
    /// A cycle. What else runs on the same core, as a second thread, makes instances longer, but not this.
    pub cycle: Times,
}

impl Operation {
    /// Measures both.
    pub fn measure() -> Operation {
        Operation { instance: instance(), cycle: cycle() }
    }

    /// The time of an operation in nanoseconds: the shorter of both, as both can only be too long.
    pub fn nanoseconds(&self) -> f64 {
        self.instance.least().min(self.cycle.least())
    }
}

/// Every third element is used, so that no compiler makes vectors of them.
fn instance() -> Times {
    const STEP: usize = 3;
    const NUMBERS: usize = 512;
    const ROUNDS: usize = 2_000;
    // In one piece: where the allocator puts three, some processors take what is written in one for what is read in
    // another, which differs in the upper digits of its address alone.
    let mut all = vec![1.0f32; 3 * STEP * NUMBERS + STEP];
    let (c, rest) = all.split_at_mut(STEP * NUMBERS);
    let (a, b) = rest.split_at(STEP * (NUMBERS + 1));
    let mut round = || {
        let (a, b) = (black_box(a), black_box(b));
        for ((c, a), b) in c.chunks_exact_mut(STEP).zip(a.chunks_exact(STEP)).zip(b.chunks_exact(STEP)) {
            c[0] = a[0] + b[0];
        }
        black_box(&mut *c);
    };
    let mut rounds = || time(|| (0..ROUNDS).for_each(|_| round())) / (ROUNDS * NUMBERS) as f64;
    // Processors that had nothing to do take some time until they are as fast as they can be.
    for _ in 0..200 {
        rounds();
    }
    Times::of(200, rounds)
}

/// A chain of operations on integers, which take a cycle each; of two kinds, so that no compiler sums them up.
fn cycle() -> Times {
    const LINKS: usize = 1_000_000;
    Times::of(50, || {
        let (mask, more) = (black_box(0x5555u64), black_box(3u64));
        let chain = || (0..LINKS / 2).fold(black_box(1u64), |number, _| (number ^ mask).wrapping_add(more));
        time(chain) / LINKS as f64
    })
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
