//! What an innermost loop takes to begin and to end.

use super::clock::{Difference, time};
use super::random::Random;
use std::hint::black_box;

/// The elements that loops write; with those that they read they are in the nearest cache.
const ELEMENTS: usize = 1024;

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
    let from = vec![1.0f64; ELEMENTS + 2];
    // Loops of one kind write where the others do not: closures share nothing that they change.
    let (mut to, mut long_to) = (vec![0.0f64; ELEMENTS], vec![0.0f64; ELEMENTS]);
    let mut short = || {
        let mut at = 0;
        for length in lengths.iter().map(|length| usize::from(*length)) {
            stencil(black_box(&from[at..at + length + 2]), &mut to[at..at + length]);
            at = (at + length) % (ELEMENTS / 2);
        }
    };
    let rounds = total / ELEMENTS;
    let mut long = || (0..rounds).for_each(|_| stencil(black_box(&from), &mut long_to));
    // The long loops have as many iterations for a run, though no whole number of them.
    let share = total as f64 / (rounds * ELEMENTS) as f64 / RUNS as f64;
    Difference::of(20, || time(&mut short) / RUNS as f64, || time(&mut long) * share)
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
