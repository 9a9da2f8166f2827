//! What a loop accesses of an array where all of it moves by the same step from one iteration to the next.
//!
//! Seen from where the iteration is, elements stand in *lines* along the step, each at a place of its own; in the next iteration
//! each is one place further down its line. So what an iteration reads at a place below the highest one of a line is what iterations
//! before have read or written there, and only the highest ones are new. The places of all lines that are in use make a window, a
//! buffer of a few elements that are passed on, place by place.

use std::collections::BTreeMap;

/// An array's elements of which a window has more stay where they are: no CPU has so many registers.
const MOST_SLOTS: i64 = 1024;

/// More accesses than this are not looked at one by one.
const MOST_ACCESSES: usize = 4096;

/// Elements are passed on at most so many times.
const MOST_PASSED: i64 = 8;

/// A sum of the iterators of a block's loops times constants, outermost first, and a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offset {
    /// The constant.
    pub constant: i64,
    /// A factor for each loop.
    pub factors: Vec<i64>,
}

impl Offset {
    /// Its value at a point of the block.
    fn at(&self, point: &[i64]) -> Option<i64> {
        let terms = self.factors.iter().zip(point);
        terms
            .map(|(factor, value)| factor.checked_mul(*value))
            .try_fold(self.constant, |sum, term| sum.checked_add(term?))
    }

    /// `own * self + other * factor + constant`
    fn combined(&self, own: i64, (other, factor): (&Offset, i64), constant: i64) -> Option<Offset> {
        let sum = |one: i64, two: i64| one.checked_mul(own)?.checked_add(two.checked_mul(factor)?);
        let factors = self.factors.iter().zip(&other.factors).map(|(one, two)| sum(*one, *two));
        let constant = sum(self.constant, other.constant)?.checked_add(constant)?;
        Some(Offset { constant, factors: factors.collect::<Option<_>>()? })
    }
}

/// An access at each point of a block.
#[derive(Debug, Clone)]
pub struct Moving {
    /// It writes.
    pub writes: bool,
    /// How far the element is from where the iteration is, in each dimension.
    pub offset: Vec<Offset>,
}

/// The window of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// By how much all of it moves, in each dimension.
    step: Vec<i64>,
    /// A dimension with a step of 1 or -1, which tells places.
    pivot: usize,
    /// The least coordinate of lines in each dimension; at the pivot the highest place of all.
    first: Vec<i64>,
    /// The extent of a buffer for all slots.
    pub extent: Vec<i64>,
    /// The lines, in order.
    pub lines: Vec<Line>,
}

/// The places of a window along one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The coordinates of place 0.
    at: Vec<i64>,
    /// The places that are accessed, with whether the first access of an iteration there is a read.
    places: BTreeMap<i64, bool>,
    /// The places that are written.
    written: Vec<i64>,
}

impl Line {
    /// The places from the highest one down to the lowest one that is accessed.
    pub fn highest(&self) -> i64 {
        self.places.last_key_value().map_or(0, |(place, _)| *place)
    }

    /// The lowest one.
    pub fn lowest(&self) -> i64 {
        self.places.first_key_value().map_or(0, |(place, _)| *place)
    }

    /// Something along it is written.
    pub fn is_written(&self) -> bool {
        !self.written.is_empty()
    }

    /// Each iteration reads what is at the highest place from memory.
    pub fn is_read(&self) -> bool {
        self.places.last_key_value().is_some_and(|(_, reads)| *reads)
    }

    /// How many iterations after the first one an element is accessed that is at a place then.
    pub fn iterations_to(&self, place: i64) -> Option<i64> {
        self.places.range(..=place).next_back().map(|(accessed, _)| place - accessed)
    }

    /// Something is read that iterations before have written.
    fn hands_on(&self) -> bool {
        self.written.iter().any(|written| self.places.range(..written).any(|(_, reads)| *reads))
    }
}

impl Window {
    /// The window of accesses at all points of a block whose loops run from zero to these extents, the last one fastest, in the
    /// order in which they follow each other at a point. `None` where there is none that a CPU's registers hold, or it
    /// would hand nothing on.
    pub fn of(step: &[i64], extents: &[i64], accesses: &[Moving]) -> Option<Window> {
        let pivot = step.iter().position(|step| step.abs() == 1)?;
        let points =
            extents.iter().try_fold(1_i64, |all, extent| all.checked_mul(*extent)).filter(|points| *points > 0)?;
        if usize::try_from(points).ok()?.checked_mul(accesses.len())? > MOST_ACCESSES {
            return None;
        }
        let mut lines: BTreeMap<Vec<i64>, Line> = BTreeMap::new();
        for number in 0..points {
            let point = point_of(number, extents);
            for access in accesses {
                let offset = access.offset.iter().map(|offset| offset.at(&point)).collect::<Option<Vec<_>>>()?;
                let place = offset[pivot].checked_mul(step[pivot])?;
                let along = |(offset, step): (&i64, &i64)| offset.checked_sub(place.checked_mul(*step)?);
                let at = offset.iter().zip(step).map(along).collect::<Option<Vec<_>>>()?;
                let empty = || Line { at: at.clone(), places: BTreeMap::new(), written: Vec::new() };
                let line = lines.entry(at.clone()).or_insert_with(empty);
                line.places.entry(place).or_insert(!access.writes);
                line.written.extend(access.writes.then_some(place));
            }
        }
        let lines: Vec<Line> = lines.into_values().collect();
        let is_short = |line: &Line| line.highest() - line.lowest() <= MOST_PASSED;
        if !lines.iter().any(Line::hands_on) || !lines.iter().all(is_short) {
            return None;
        }
        Window::around(step, pivot, lines)
    }

    /// The buffer for some lines.
    fn around(step: &[i64], pivot: usize, lines: Vec<Line>) -> Option<Window> {
        let (mut first, mut extent) = (Vec::new(), Vec::new());
        for dimension in 0..step.len() {
            let (least, greatest) = if dimension == pivot {
                (lines.iter().map(Line::lowest).min()?, lines.iter().map(Line::highest).max()?)
            } else {
                let values = || lines.iter().map(|line| line.at[dimension]);
                (values().min()?, values().max()?)
            };
            first.push(if dimension == pivot { greatest } else { least });
            extent.push(greatest.checked_sub(least)?.checked_add(1)?);
        }
        let slots = extent.iter().try_fold(1_i64, |all, extent| all.checked_mul(*extent))?;
        (slots <= MOST_SLOTS).then(|| Window { step: step.to_vec(), pivot, first, extent, lines })
    }

    /// How far the element at a place of a line is from where the iteration is, in each dimension.
    pub fn element(&self, line: &Line, place: i64) -> Vec<i64> {
        line.at.iter().zip(&self.step).map(|(at, step)| at + place * step).collect()
    }

    /// The line and the place of an element that is so far from where the iteration is; `None` where no access comes to that line.
    pub fn find(&self, element: &[i64]) -> Option<(&Line, i64)> {
        let place = element.get(self.pivot)?.checked_mul(self.step[self.pivot])?;
        let along = element.iter().zip(&self.step).map(|(offset, step)| offset.checked_sub(place.checked_mul(*step)?));
        let at = along.collect::<Option<Vec<_>>>()?;
        self.lines.iter().find(|line| line.at == at).map(|line| (line, place))
    }

    /// The subscripts in the buffer of a place of a line.
    pub fn slot(&self, line: &Line, place: i64) -> Vec<i64> {
        let subscript = |dimension: usize| match dimension == self.pivot {
            true => self.first[dimension] - place,
            false => line.at[dimension] - self.first[dimension],
        };
        (0..self.step.len()).map(subscript).collect()
    }

    /// The subscripts in the buffer of what an access comes to at each point of the block; `None` where numbers do not fit.
    pub fn slots(&self, offset: &[Offset]) -> Option<Vec<Offset>> {
        let along = &offset[self.pivot];
        let sign = self.step[self.pivot];
        let subscript = |dimension: usize| match dimension == self.pivot {
            true => along.combined(-sign, (along, 0), self.first[dimension]),
            false => {
                let per_place = self.step[dimension].checked_mul(-sign)?;
                offset[dimension].combined(1, (along, per_place), -self.first[dimension])
            }
        };
        (0..self.step.len()).map(subscript).collect()
    }
}

/// The values of loops from zero to some extents, the last one fastest, in one of their iterations.
fn point_of(mut number: i64, extents: &[i64]) -> Vec<i64> {
    let mut point = vec![0; extents.len()];
    for (value, extent) in point.iter_mut().zip(extents).rev() {
        (*value, number) = (number % extent, number / extent);
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(constant: i64, factor: i64) -> Offset {
        Offset { constant, factors: vec![factor] }
    }

    /// `A[i + r][w - r]` of four rows `r`, from the neighbours above, to the left, and between these, in iterations `w`.
    fn alignment() -> (Vec<i64>, Vec<i64>, Vec<Moving>) {
        let read = |row, column| Moving { writes: false, offset: vec![at(row, 1), at(column, -1)] };
        let write = Moving { writes: true, offset: vec![at(0, 1), at(0, -1)] };
        (vec![0, 1], vec![4], vec![read(-1, -1), read(-1, 0), read(0, -1), write])
    }

    #[test]
    fn only_the_row_above_is_read_anew() {
        let (step, extents, accesses) = alignment();
        let window = Window::of(&step, &extents, &accesses).unwrap();
        assert_eq!(window.lines.len(), 5);
        let read: Vec<bool> = window.lines.iter().map(Line::is_read).collect();
        assert_eq!(read, [true, false, false, false, false]);
        let passed: Vec<i64> = window.lines.iter().map(|line| line.highest() - line.lowest()).collect();
        assert_eq!(passed, [1, 2, 2, 2, 1]);
    }

    /// Runs a loop on memory and through the window, where each iteration writes a mix of what it reads.
    fn is_same(step: &[i64], extents: &[i64], accesses: &[Moving], iterations: i64) -> bool {
        let window = Window::of(step, extents, accesses).unwrap();
        let element = |offset: &[i64], iteration: i64| -> Vec<i64> {
            offset.iter().zip(step).map(|(offset, step)| offset + step * iteration).collect()
        };
        let initial = |at: &Vec<i64>| at.iter().fold(7_i64, |hash, at| hash.wrapping_mul(31).wrapping_add(*at));
        let points: i64 = extents.iter().product();
        let mut memory = BTreeMap::new();
        for iteration in 0..iterations {
            for number in 0..points {
                let mut mixed = iteration;
                for access in accesses {
                    let offset: Vec<i64> =
                        access.offset.iter().map(|offset| offset.at(&point_of(number, extents)).unwrap()).collect();
                    let at = element(&offset, iteration);
                    if access.writes {
                        memory.insert(at, mixed);
                    } else {
                        let value = *memory.entry(at.clone()).or_insert_with(|| initial(&at));
                        mixed = mixed.wrapping_mul(17).wrapping_add(value);
                    }
                }
            }
        }
        let (mut held, mut slots) = (BTreeMap::new(), BTreeMap::new());
        let get = |held: &BTreeMap<Vec<i64>, i64>, at: &Vec<i64>| held.get(at).copied().unwrap_or_else(|| initial(at));
        for line in &window.lines {
            for place in line.lowest()..line.highest() {
                if line.iterations_to(place).unwrap() < iterations {
                    let value = get(&held, &element(&window.element(line, place), 0));
                    slots.insert(window.slot(line, place), value);
                }
            }
        }
        for iteration in 0..iterations {
            for line in window.lines.iter().filter(|line| line.is_read()) {
                let value = get(&held, &element(&window.element(line, line.highest()), iteration));
                slots.insert(window.slot(line, line.highest()), value);
            }
            for number in 0..points {
                let mut mixed = iteration;
                let point = point_of(number, extents);
                for access in accesses {
                    let values = |offset: &[Offset]| offset.iter().map(|o| o.at(&point).unwrap()).collect::<Vec<_>>();
                    let slot = values(&window.slots(&access.offset).unwrap());
                    assert!(slot.iter().zip(&window.extent).all(|(slot, extent)| (0..*extent).contains(slot)));
                    if access.writes {
                        held.insert(element(&values(&access.offset), iteration), mixed);
                        slots.insert(slot, mixed);
                    } else {
                        mixed = mixed.wrapping_mul(17).wrapping_add(slots[&slot]);
                    }
                }
            }
            for line in &window.lines {
                for place in line.lowest() + 1..=line.highest() {
                    if let Some(value) = slots.get(&window.slot(line, place)).copied() {
                        slots.insert(window.slot(line, place - 1), value);
                    }
                }
            }
        }
        held.iter().all(|(at, value)| memory.get(at) == Some(value))
    }

    #[test]
    fn windows_pass_on_what_memory_has() {
        let (step, extents, accesses) = alignment();
        for iterations in 0..6 {
            assert!(is_same(&step, &extents, &accesses, iterations));
        }
        // Steps down, along a diagonal, in several dimensions, over blocks of two loops: whatever there is a window for.
        let mut seed = 1_u64;
        let mut random = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i64::try_from((seed >> 33) % n).unwrap()
        };
        let mut compared = 0;
        for _ in 0..4000 {
            let (rank, loops) = (random(3) + 1, random(2) + 1);
            let step: Vec<i64> = (0..rank).map(|_| random(4) - 2).collect();
            let extents: Vec<i64> = (0..loops).map(|_| random(3) + 1).collect();
            let factors: Vec<Vec<i64>> = (0..rank).map(|_| (0..loops).map(|_| random(5) - 2).collect()).collect();
            let accesses: Vec<Moving> = (0..random(4) + 2)
                .map(|number| Moving {
                    writes: number == 0 || random(3) == 0,
                    offset: factors
                        .iter()
                        .map(|factors| Offset { constant: random(4) - 2, factors: factors.clone() })
                        .collect(),
                })
                .collect();
            let accesses: Vec<Moving> = accesses.into_iter().rev().collect();
            if Window::of(&step, &extents, &accesses).is_some() {
                compared += 1;
                for iterations in [0, 1, 2, 5] {
                    assert!(is_same(&step, &extents, &accesses, iterations), "{step:?} {extents:?} {accesses:?}");
                }
            }
        }
        assert!(compared > 500, "{compared}");
    }

    #[test]
    fn what_is_handed_on_to_nobody_needs_no_window() {
        let (_, extents, accesses) = alignment();
        // Along rows that nobody comes back to, and with a step that no dimension tells.
        assert!(Window::of(&[0, -1], &extents, &accesses[2..]).is_none());
        assert!(Window::of(&[0, 2], &extents, &accesses).is_none());
        assert!(Window::of(&[0, 1], &extents, &accesses[..3]).is_none());
    }
}
