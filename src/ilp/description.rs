//! The state of the double description method: a cone by its lines and rays, and which inequalities are zero on which
//! rays.

use super::Budget;
use super::arena::{Arena, Slot};
use super::number::{Number, Overflow, RowRef, Support, support};
use std::cmp::Ordering;

/// Why generators were not found.
pub(super) enum Stop {
    /// A number is too wide; those of another width may do.
    Overflow,
    /// There are too many rays.
    Limit,
    /// The budget is spent.
    Budget,
}

impl From<Overflow> for Stop {
    fn from(_: Overflow) -> Stop {
        Stop::Overflow
    }
}

/// Adds a member to a set of numbers, a bit each.
fn set(bits: &mut [u64], index: usize) {
    bits[index / 64] |= 1 << (index % 64);
}

/// A cone, by generators. Inequalities have numbers.
pub(super) struct Description<N> {
    vectors: Arena<N>,
    dimension: usize,
    /// The dimension of the space that the equalities leave.
    space: usize,
    lines: Vec<Slot>,
    rays: Vec<Slot>,
    /// The words of a set of inequalities.
    words: usize,
    /// For each ray the set of the inequalities that were added and are zero on it.
    tight: Vec<u64>,
    /// The inequalities that were added.
    added: Vec<u64>,
    /// The row that is being added.
    row: Row<N>,
    /// Its values at the lines, then at the rays.
    values: Vec<N>,
}

/// A row without its zeros.
struct Row<N> {
    index: Vec<u32>,
    coefficient: Vec<N>,
    norm: u32,
    support: Support,
}

impl<N: Number> Row<N> {
    fn read(&mut self, row: &[i64]) {
        self.index.clear();
        self.coefficient.clear();
        for (i, &a) in row.iter().enumerate() {
            if a != 0 {
                self.index.push(i as u32);
                self.coefficient.push(N::from_i64(a));
            }
        }
        self.norm = N::norm(&self.coefficient);
        self.support = support(self.index.iter().map(|&i| (i as usize, true)));
    }

    fn borrow(&self) -> RowRef<'_, N> {
        RowRef { index: &self.index, coefficient: &self.coefficient, norm: self.norm, support: self.support }
    }
}

impl<N: Number> Description<N> {
    /// The whole space. At most so many inequalities will be added.
    pub(super) fn whole(dimension: usize, inequalities: usize) -> Description<N> {
        let mut vectors = Arena::new(dimension);
        let lines = vectors.insert_units();
        let words = inequalities.div_ceil(64);
        Description {
            vectors,
            dimension,
            space: dimension,
            lines,
            rays: Vec::with_capacity(2 * dimension),
            words,
            tight: Vec::with_capacity(2 * dimension * words),
            added: vec![0; words],
            row: Row {
                index: Vec::with_capacity(dimension),
                coefficient: Vec::with_capacity(dimension),
                norm: 0,
                support: 0,
            },
            values: Vec::with_capacity(2 * dimension),
        }
    }

    /// The number of rays.
    pub(super) fn len(&self) -> usize {
        self.rays.len()
    }

    /// Linearly independent directions in which the cone goes on both ways.
    pub(super) fn lines(&self) -> impl ExactSizeIterator<Item = &[N]> {
        self.lines.iter().map(|&line| self.vectors.vector(line))
    }

    /// The extreme rays, up to multiples of the lines.
    pub(super) fn rays(&self) -> impl ExactSizeIterator<Item = &[N]> {
        self.rays.iter().map(|&ray| self.vectors.vector(ray))
    }

    /// For each ray the set of the inequalities that are zero on it, a bit each, in so many words.
    pub(super) fn tight(&self) -> impl Iterator<Item = &[u64]> {
        (0..self.rays.len()).map(|ray| self.tight_on(ray))
    }

    fn tight_on(&self, ray: usize) -> &[u64] {
        &self.tight[ray * self.words..(ray + 1) * self.words]
    }

    /// Adds an inequality, by its number, or an equality. What is beyond the end of the row is zero.
    pub(super) fn restrict(&mut self, row: &[i64], inequality: Option<usize>, budget: &mut Budget) -> Result<(), Stop> {
        self.row.read(row);
        let vectors = self.lines.len() + self.rays.len();
        if !budget.count((vectors * (1 + self.row.index.len())) as u64) {
            return Err(Stop::Budget);
        }
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        for &vector in self.lines.iter().chain(&self.rays) {
            values.push(self.vectors.value(self.row.borrow(), vector)?);
        }
        let (on_lines, on_rays) = values.split_at(self.lines.len());
        match on_lines.iter().position(|value| !value.is_zero()) {
            Some(line) => {
                budget.count((vectors * self.dimension) as u64 * on_lines[line].weight());
                self.turn_line(line, on_lines, on_rays, inequality)?;
            }
            None => self.split(on_rays, inequality, budget)?,
        }
        if let Some(inequality) = inequality {
            set(&mut self.added, inequality);
        }
        self.values = values;
        Ok(())
    }

    /// The constraint is not constant on a line: everything is moved along it to where the constraint is zero.
    fn turn_line(
        &mut self,
        index: usize,
        on_lines: &[N],
        on_rays: &[N],
        inequality: Option<usize>,
    ) -> Result<(), Overflow> {
        let (mut line, mut growth) = (self.lines.remove(index), on_lines[index].clone());
        if growth.is_negative() {
            growth = growth.negated()?;
            line = self.vectors.negate(line)?;
        }
        let on_others = on_lines[..index].iter().chain(&on_lines[index + 1..]);
        for (vector, value) in self.lines.iter_mut().chain(&mut self.rays).zip(on_others.chain(on_rays)) {
            if !value.is_zero() {
                let (p, c) = N::lowest_terms(&growth, value)?;
                let moved = self.vectors.subtract(&p, *vector, &c, line)?;
                self.vectors.release(*vector);
                *vector = moved;
            }
        }
        match inequality {
            None => {
                self.vectors.release(line);
                self.space -= 1;
            }
            Some(inequality) => {
                self.tight.chunks_exact_mut(self.words).for_each(|tight| set(tight, inequality));
                // A line is zero on all the constraints before.
                self.rays.push(line);
                self.tight.extend_from_slice(&self.added);
            }
        }
        Ok(())
    }

    /// The constraint is zero on all lines: it cuts through the rays.
    fn split(&mut self, values: &[N], inequality: Option<usize>, budget: &mut Budget) -> Result<(), Stop> {
        let old = self.rays.len();
        let (mut common, mut tight) = (vec![0; self.words], Vec::new());
        for (down, n) in values.iter().enumerate().filter(|(_, value)| value.is_negative()) {
            for (up, p) in values.iter().enumerate().filter(|(_, value)| value.is_positive()) {
                let (is_edge, cells) = self.is_edge(up, down, old, &mut common);
                if !budget.count(cells) {
                    return Err(Stop::Budget);
                }
                if !is_edge {
                    continue;
                }
                budget.count(2 * self.dimension as u64 * n.weight());
                let (p, c) = N::lowest_terms(p, n)?;
                let fresh = self.vectors.subtract(&p, self.rays[down], &c, self.rays[up])?;
                self.rays.push(fresh);
                tight.extend_from_slice(&common);
            }
        }
        if let Some(inequality) = inequality {
            tight.chunks_exact_mut(self.words).for_each(|tight| set(tight, inequality));
        }
        self.keep(values, inequality);
        self.tight.extend_from_slice(&tight);
        Ok(())
    }

    /// Of the rays with these values, which are the first, those remain on which the constraint holds.
    fn keep(&mut self, values: &[N], inequality: Option<usize>) {
        let mut kept = 0;
        for (ray, value) in values.iter().enumerate() {
            let remains = match (value.sign(), inequality) {
                (Ordering::Less, _) | (Ordering::Greater, None) => false,
                (Ordering::Equal, Some(inequality)) => {
                    set(&mut self.tight[ray * self.words..], inequality);
                    true
                }
                _ => true,
            };
            if !remains {
                self.vectors.release(self.rays[ray]);
            } else {
                if kept < ray {
                    self.rays[kept] = self.rays[ray];
                    self.tight.copy_within(ray * self.words..(ray + 1) * self.words, kept * self.words);
                }
                kept += 1;
            }
        }
        self.rays.drain(kept..values.len());
        self.tight.truncate(kept * self.words);
    }

    /// Whether an edge joins two of the first rays, and how many words it took to tell; the inequalities that are zero
    /// on both.
    fn is_edge(&self, ray: usize, other: usize, rays: usize, common: &mut [u64]) -> (bool, u64) {
        let mut count = 0;
        for (both, (x, y)) in common.iter_mut().zip(self.tight_on(ray).iter().zip(self.tight_on(other))) {
            *both = x & y;
            count += both.count_ones() as usize;
        }
        // The face of an edge has two dimensions beyond the lines, so at least that many constraints are zero on it.
        if count + 2 < self.space - self.lines.len() {
            return (false, self.words as u64);
        }
        let holds = |third: usize| common.iter().zip(self.tight_on(third)).all(|(x, y)| x & !y == 0);
        match (0..rays).find(|&third| holds(third) && third != ray && third != other) {
            Some(third) => (false, (self.words + third) as u64),
            None => (true, (self.words + rays) as u64),
        }
    }
}
