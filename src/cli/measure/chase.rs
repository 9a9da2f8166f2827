//! What a line takes that only the line before leads to, by how much memory the lines are in.

use super::clock::{Times, time};
use super::random::Random;
use super::steps::Point;
use std::hint::black_box;

/// The smallest footprint in bytes, which every nearest cache holds.
const SMALLEST: u64 = 8 << 10;

/// The order in which lines are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// All lines of a page one after the other, in any order, and then another page: what finding a page takes is
    /// shared by many lines.
    PageByPage,
    /// In any order: nearly every line is in another page than the one before.
    Any,
}

/// Lines and pages in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// The size of a line.
    pub line: u32,
    /// The size of a page.
    pub page: u64,
}

/// Footprints, from small ones up to this one in powers of two and half as much again, and the time of a line in each.
pub fn curve(largest: u64, sizes: Sizes) -> Vec<Point> {
    let measure = |bytes| Point { bytes, nanoseconds: nanoseconds(bytes, sizes, Order::PageByPage) };
    footprints(largest).into_iter().map(measure).collect()
}

fn footprints(largest: u64) -> Vec<u64> {
    let powers = (0..u64::BITS).map_while(|power| SMALLEST.checked_mul(1 << power));
    powers.flat_map(|bytes| [bytes, bytes + bytes / 2]).take_while(|bytes| *bytes <= largest).collect()
}

/// The time of a line in a footprint, in nanoseconds.
pub fn nanoseconds(bytes: u64, sizes: Sizes, order: Order) -> f64 {
    const LINES: usize = 1 << 18;
    let next = ring(bytes, sizes, order);
    let count = (bytes / u64::from(sizes.line)) as usize;
    // The first walk brings near what can stay there; each goes on where the last one ended, so that all lines are
    // visited equally often.
    let mut at = chase(&next, 0, count);
    let times = Times::of(5, || time(|| at = chase(&next, at, LINES)) / LINES as f64);
    black_box(at);
    times.least()
}

fn chase(next: &[u32], start: u32, lines: usize) -> u32 {
    let next = black_box(next);
    (0..lines).fold(start, |at, _| next[at as usize])
}

/// Where the next line begins, at the begin of each line: one ring of all lines.
fn ring(bytes: u64, sizes: Sizes, order: Order) -> Vec<u32> {
    let line = sizes.line as usize / size_of::<u32>();
    let lines = (bytes / u64::from(sizes.line)) as u32;
    let mut random = Random::new();
    let mut visits: Vec<u32> = (0..lines).collect();
    match order {
        Order::Any => random.shuffle(&mut visits),
        Order::PageByPage => {
            let mut pages: Vec<&mut [u32]> =
                visits.chunks_mut((sizes.page / u64::from(sizes.line)).max(1) as usize).collect();
            pages.iter_mut().for_each(|page| random.shuffle(page));
            random.shuffle(&mut pages);
            visits = pages.into_iter().flat_map(|page| page.iter().copied()).collect();
        }
    }
    let mut next = vec![1; lines as usize * line];
    let following = visits.iter().cycle().skip(1);
    for (here, there) in visits.iter().zip(following) {
        next[*here as usize * line] = there * line as u32;
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_visit_each_line_once() {
        for order in [Order::PageByPage, Order::Any] {
            let next = ring(1 << 14, Sizes { line: 64, page: 4096 }, order);
            let mut visited: Vec<u32> = (0..256).map(|lines| chase(&next, 0, lines)).collect();
            let moved = visited.windows(2).filter(|pair| pair[0] / 1024 != pair[1] / 1024).count();
            assert_eq!(order == Order::PageByPage, moved <= 4, "{moved}");
            assert_eq!(chase(&next, 0, 256), 0);
            visited.sort_unstable();
            assert_eq!(visited, (0..256).map(|line| line * 16).collect::<Vec<_>>());
        }
    }

    #[test]
    fn footprints_grow_by_half_and_a_third() {
        assert_eq!(footprints(32 << 10), [8 << 10, 12 << 10, 16 << 10, 24 << 10, 32 << 10]);
        assert!(footprints(0).is_empty());
    }
}
