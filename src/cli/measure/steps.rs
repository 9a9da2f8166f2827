//! Where the time of a line grows with the memory that lines are in: the sizes of caches that can be used.

use polyrs::machine::Cache;

/// The time of a line in a footprint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The footprint.
    pub bytes: u64,
    /// The time.
    pub nanoseconds: f64,
}

/// A growth: what is larger is in something slower.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The largest footprint that is still as near as smaller ones, about.
    pub bytes: u64,
    /// The time of a line in nanoseconds where the growth begins.
    pub before: f64,
    /// The time where it ends.
    pub after: f64,
}

/// The growths of a curve whose footprints grow.
///
/// Points that follow each other belong to one growth while each takes a tenth more time than the one before; less is
/// what finding pages takes, or noise. A growth by less than half is none. As the time of less memory is never longer,
/// a point that takes longer than one after it was disturbed, and counts as that one.
pub fn steps(curve: &[Point]) -> Vec<Step> {
    const GROWS: f64 = 1.1;
    const COUNTS: f64 = 1.5;
    let mut points = curve.to_vec();
    for i in (1..points.len()).rev() {
        points[i - 1].nanoseconds = points[i - 1].nanoseconds.min(points[i].nanoseconds);
    }
    let growths = points.chunk_by(|one, next| next.nanoseconds >= GROWS * one.nanoseconds);
    let step = |growth: &[Point]| {
        let (before, after) = (growth[0].nanoseconds, growth[growth.len() - 1].nanoseconds);
        // As many times longer than before as after is than this.
        let middle = (before * after).sqrt();
        let inside = growth.iter().take_while(|point| point.nanoseconds <= middle).last()?;
        (after >= COUNTS * before).then_some(Step { bytes: inside.bytes, before, after })
    };
    growths.filter_map(step).collect()
}

/// For each cache the size that can be used, where a step of the curve is at most a factor of two from the size that
/// it has. Of the last one, which other machines on the same processor may use as well, less may be left: any step
/// does that is beyond the cache before, and of several the greatest, which leads to memory.
pub fn usable(caches: &[Cache], steps: &[Step]) -> Vec<Option<u64>> {
    let away = |step: &Step, bytes: u64| (step.bytes as f64 / bytes.max(1) as f64).log2().abs();
    let near = |bytes: u64| {
        let nearest = steps.iter().min_by(|a, b| away(a, bytes).total_cmp(&away(b, bytes)))?;
        (away(nearest, bytes) <= 1.0).then_some(nearest.bytes)
    };
    let size = |(index, cache): (usize, &Cache)| {
        let before = index.checked_sub(1).map(|before| caches[before].bytes);
        match before {
            Some(before) if index + 1 == caches.len() => {
                let beyond = |step: &&Step| step.bytes >= before + before / 2 && step.bytes <= 2 * cache.bytes;
                let growth = |step: &Step| step.after / step.before;
                let greatest = steps.iter().filter(beyond).max_by(|a, b| growth(a).total_cmp(&growth(b)));
                greatest.map(|step| step.bytes)
            }
            _ => near(cache.bytes),
        }
    };
    caches.iter().enumerate().map(size).collect()
}

/// The size of the last cache, if what can be used of it is at most half of the size that it has: less than that can
/// be other programs that use it for a moment.
pub fn smaller_last(caches: &[Cache], usable: &[Option<u64>]) -> Option<u64> {
    let (last, usable) = (caches.last()?, usable.last().copied().flatten()?);
    (caches.len() > 1 && usable <= last.bytes / 2).then_some(usable)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A curve whose footprints, in KiB, are powers of two and half as much again.
    fn curve(times: &[f64]) -> Vec<Point> {
        let sizes = (3..).flat_map(|power| [2u64 << power, 3 << power]);
        sizes.zip(times).map(|(kib, &nanoseconds)| Point { bytes: kib << 9, nanoseconds }).collect()
    }

    fn own(bytes: u64) -> Cache {
        Cache { bytes, cores: 1 }
    }

    #[test]
    fn plateaus_end_where_the_time_grows() {
        // 8 12 16 24 32 48 64 96 128 192 256 384 512 768 KiB
        let flat = curve(&[1.0, 1.0, 1.0, 1.0, 1.0, 2.5, 4.0, 4.1, 4.0, 4.2, 4.3, 4.5, 9.0, 16.0, 17.0]);
        let found = steps(&flat);
        let sizes: Vec<u64> = found.iter().map(|step| step.bytes >> 10).collect();
        assert_eq!(sizes, [32, 384]);
        assert_eq!((found[0].before, found[0].after), (1.0, 4.0));
        assert_eq!((found[1].before, found[1].after), (4.5, 16.0));
    }

    #[test]
    fn a_growth_that_begins_inside_a_cache_ends_in_the_middle() {
        let found = steps(&curve(&[1.0, 1.0, 1.2, 1.5, 1.9, 3.0, 4.0, 4.0]));
        assert_eq!(found.iter().map(|step| step.bytes >> 10).collect::<Vec<_>>(), [32]);
    }

    #[test]
    fn noise_and_slow_growth_are_no_steps() {
        assert_eq!(steps(&curve(&[1.0, 1.0, 9.0, 1.0, 1.05, 1.1, 1.15, 1.2, 1.25])), []);
        assert_eq!(steps(&curve(&[1.0, 1.2, 1.4, 1.4])), []);
        assert_eq!((steps(&[]), steps(&curve(&[1.0]))), (vec![], vec![]));
    }

    #[test]
    fn steps_belong_to_the_caches_whose_size_they_have() {
        let step = |kib: u64| Step { bytes: kib << 10, before: 1.0, after: 3.0 };
        let caches = [own(32 << 10), own(1 << 20), own(32 << 20)];
        let all = [step(32), step(768), step(4096)];
        let found = usable(&caches, &all);
        assert_eq!(found, [Some(32 << 10), Some(768 << 10), Some(4 << 20)]);
        assert_eq!(smaller_last(&caches, &found), Some(4 << 20));
        assert_eq!(smaller_last(&caches, &usable(&caches, &[step(24 << 10)])), None);
        // What comes after the last cache is no cache.
        let pages = Step { bytes: 24 << 20, before: 90.0, after: 140.0 };
        let beyond = Step { bytes: 96 << 20, before: 10.0, after: 140.0 };
        assert_eq!(usable(&caches, &[all[0], all[2], pages, beyond])[2], Some(4 << 20));
        // The last step is that of the cache before.
        assert_eq!(usable(&caches, &all[..2])[2], None);
        assert_eq!(usable(&caches, &[]), [None, None, None]);
        assert_eq!(usable(&caches[..1], &[step(8)]), [None], "a single cache is no share of one");
        assert_eq!((smaller_last(&caches[..1], &[Some(1)]), smaller_last(&[], &[])), (None, None));
    }
}
