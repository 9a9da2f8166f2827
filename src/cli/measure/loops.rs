//! What an innermost loop takes to begin and to end.

use super::clock::{Difference, time};
use super::random::Random;
use std::hint::black_box;

/// The elements that loops write; with those that they read they are in the nearest cache.
const ELEMENTS: usize = 1024;

/// The elements between arrays: half a page of 4 KiB.
const APART: usize = 256;

/// The shortest loop, and how many lengths there are, in units of [`VECTORS`]: 32 iterations on average, as in tiles,
/// but nobody foresees which is the last.
const LENGTHS: (u64, u64) = (6, 5);

/// What each length is a multiple of, so that nothing is left beside whole vectors.
const VECTORS: u64 = 4;

/// The loops of a round: so many that no processor learns their lengths.
const RUNS: usize = 1 << 17;

/// The nanoseconds that a run of an innermost loop takes besides its iterations: short loops of a stencil beside long
/// ones.
pub fn start() -> Difference {
    let mut random = Random::new();
    let lengths: Vec<u8> = (0..RUNS).map(|_| (VECTORS * (LENGTHS.0 + random.below(LENGTHS.1))) as u8).collect();
    let total: usize = lengths.iter().map(|length| usize::from(*length)).sum();
    // In one piece, a half page apart: see `operation.rs`.
    let mut all = vec![1.0f64; 2 * (ELEMENTS + APART)];
    let (from, to) = all.split_at_mut(ELEMENTS + APART);
    let (from, mut to) = (&*from, to);
    let rounds = total / ELEMENTS;
    // The long loops have as many iterations for a run, though no whole number of them.
    let share = total as f64 / (rounds * ELEMENTS) as f64 / RUNS as f64;
    Difference::of(
        20,
        &mut to,
        |to| time(|| short(&lengths, from, to)) / RUNS as f64,
        |to| time(|| (0..rounds).for_each(|_| stencil(black_box(from), &mut to[..ELEMENTS]))) * share,
    )
}

/// One short loop after the other.
fn short(lengths: &[u8], from: &[f64], to: &mut [f64]) {
    let mut at = 0;
    for length in lengths.iter().map(|length| usize::from(*length)) {
        stencil(black_box(&from[at..at + length + 2]), &mut to[at..at + length]);
        at = (at + length) % (ELEMENTS / 2);
    }
}

/// A call is a part of each run: code of tiles finds out its bounds instead.
#[inline(never)]
fn stencil(from: &[f64], to: &mut [f64]) {
    let length = to.len();
    let (left, middle, right) = (&from[..length], &from[1..=length], &from[2..length + 2]);
    for i in 0..length {
        to[i] = left[i] + middle[i] + right[i];
    }
    black_box(to);
}
