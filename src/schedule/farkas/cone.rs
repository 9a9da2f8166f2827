//! Cones by their generators: projection, and a form that depends on nothing but the cone.

use crate::ilp::{self, GeneratorsError};
use crate::isl::Ctx;
use crate::schedule::work::counted;

/// A number did not fit, there were too many generators, or nothing was left to look for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::schedule) struct Failure;

impl From<GeneratorsError> for Failure {
    fn from(_: GeneratorsError) -> Failure {
        Failure
    }
}

/// The cone `{ Lλ + Rμ : μ ≥ 0 }`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::schedule) struct Cone {
    /// Directions in which the cone goes on both ways.
    pub lines: Vec<Vec<i64>>,
    /// Directions in which it goes on.
    pub rays: Vec<Vec<i64>>,
}

/// So many rays may there be at any time.
const LIMIT: usize = 5000;

/// The cone `{ x : equality · x = 0, inequality · x ≥ 0 }`, no ray a combination of others. With lines and rays of a
/// cone as equalities and inequalities this is its dual, whose lines and rays are the equalities and facets of the
/// first.
pub(in crate::schedule) fn generators(
    ctx: &Ctx,
    dimension: usize,
    equalities: &[Vec<i64>],
    inequalities: &[Vec<i64>],
) -> Result<Cone, Failure> {
    let generators = counted(ctx, |budget| ilp::generators(dimension, equalities, inequalities, LIMIT, budget))?;
    Ok(Cone { lines: generators.lines, rays: generators.rays })
}

impl Cone {
    /// The cone over some set, the homogeneous coordinate first, is one over a set with points.
    pub(in crate::schedule) fn has_points(&self) -> bool {
        self.rays.iter().any(|ray| ray[0] > 0)
    }

    /// The coordinates `from` of each generator, an entry `(a, Some(b))` being coordinate `a` less coordinate `b`: the
    /// projection of the cone.
    pub(in crate::schedule) fn project(&self, from: &[(usize, Option<usize>)]) -> Result<Cone, Failure> {
        let entry = |vector: &[i64], (a, b): (usize, Option<usize>)| match b {
            None => Ok(vector[a]),
            Some(b) => vector[a].checked_sub(vector[b]).ok_or(Failure),
        };
        let image = |vector: &Vec<i64>| from.iter().map(|&at| entry(vector, at)).collect::<Result<Vec<i64>, Failure>>();
        Ok(Cone {
            lines: self.lines.iter().map(image).collect::<Result<_, _>>()?,
            rays: self.rays.iter().map(image).collect::<Result<_, _>>()?,
        })
    }

    /// The same cone by the generators that it needs, in a form that depends only on the cone: lines in echelon form
    /// from the last coordinate, rays zero where a line has its last entry, in lowest terms, ascending.
    pub(in crate::schedule) fn canonical(mut self, ctx: &Ctx, dimension: usize) -> Result<Cone, Failure> {
        loop {
            self.simplify()?;
            // Two rays that are not opposite are not combinations of each other.
            if self.rays.len() <= 2 || are_independent(&self.rays) {
                return Ok(self);
            }
            // What is zero on all facets that a ray is on.
            let faces = counted(ctx, |budget| ilp::faces(dimension, &self.lines, &self.rays, LIMIT, budget))?;
            let all = 0..self.rays.len();
            let flat: Vec<bool> = all.clone().map(|i| faces.is_everywhere(i)).collect();
            if !flat.contains(&true) {
                // On no face of the cone that another ray has, too, and which is smaller.
                let smaller = |i: usize, j: usize| faces.contains(j, i) && !faces.contains(i, j);
                let extreme: Vec<bool> = all.clone().map(|i| !all.clone().any(|j| smaller(i, j))).collect();
                keep(&mut self.rays, &extreme);
                return Ok(self);
            }
            // A ray on all facets: so is its opposite.
            let mut lines = self.rays.clone();
            keep(&mut lines, &flat);
            self.lines.append(&mut lines);
        }
    }

    /// Lines in echelon form, rays reduced by them, without repetition; opposite rays become lines. That makes the form
    /// canonical if no ray is a combination of others.
    pub(in crate::schedule) fn simplify(&mut self) -> Result<(), Failure> {
        loop {
            echelon(&mut self.lines)?;
            for ray in &mut self.rays {
                reduce(ray, &self.lines)?;
            }
            self.rays.retain(|ray| ray.iter().any(|x| *x != 0));
            self.rays.sort();
            self.rays.dedup();
            let negative =
                |ray: &Vec<i64>, other: &Vec<i64>| ray.iter().map(|x| x.wrapping_neg()).cmp(other.iter().copied());
            let opposite = |ray: &Vec<i64>| self.rays.binary_search_by(|other| negative(ray, other).reverse()).is_ok();
            let both: Vec<Vec<i64>> = self.rays.iter().filter(|ray| opposite(ray)).cloned().collect();
            if both.is_empty() {
                return Ok(());
            }
            self.rays.retain(|ray| !both.contains(ray));
            self.lines.extend(both);
        }
    }
}

/// No vector is a combination of others. May be false also where numbers get too large.
fn are_independent(vectors: &[Vec<i64>]) -> bool {
    let mut rows = vectors.concat();
    let width = vectors.first().map_or(0, Vec::len);
    if vectors.len() > width {
        return false;
    }
    let mut rest = &mut rows[..];
    while rest.len() > width {
        let (first, others) = rest.split_at_mut(width);
        let Some(column) = first.iter().position(|x| *x != 0) else { return false };
        let pivot = first[column];
        for row in others.chunks_exact_mut(width).filter(|row| row[column] != 0) {
            let factor = row[column];
            for (x, y) in row.iter_mut().zip(&*first) {
                let products = x.checked_mul(pivot).zip(y.checked_mul(factor));
                let Some(difference) = products.and_then(|(x, y)| x.checked_sub(y)) else { return false };
                *x = difference;
            }
        }
        rest = others;
    }
    rest.iter().any(|x| *x != 0)
}

fn keep(rays: &mut Vec<Vec<i64>>, which: &[bool]) {
    let mut which = which.iter();
    rays.retain(|_| which.next() == Some(&true));
}

/// The last coordinate that is not zero.
fn leading(vector: &[i64]) -> Option<usize> {
    vector.iter().rposition(|x| *x != 0)
}

/// Makes the rows independent; each has a positive last entry, in a column where the other rows are zero.
pub(in crate::schedule) fn echelon(rows: &mut Vec<Vec<i64>>) -> Result<(), Failure> {
    let mut done: Vec<Vec<i64>> = Vec::with_capacity(rows.len());
    for mut row in std::mem::take(rows) {
        reduce(&mut row, &done)?;
        let Some(column) = leading(&row) else { continue };
        if row[column] < 0 {
            row = row.iter().map(|x| x.checked_neg().ok_or(Failure)).collect::<Result<_, _>>()?;
        }
        for other in &mut done {
            reduce_by(other, &row, column)?;
        }
        done.push(row);
    }
    done.sort_by_key(|row| std::cmp::Reverse(leading(row)));
    *rows = done;
    Ok(())
}

/// Makes a vector zero in the last columns of rows in echelon form, scaled by a positive number to lowest terms.
pub(in crate::schedule) fn reduce(vector: &mut Vec<i64>, rows: &[Vec<i64>]) -> Result<(), Failure> {
    for row in rows {
        if let Some(column) = leading(row) {
            reduce_by(vector, row, column)?;
        }
    }
    lowest_terms(vector);
    Ok(())
}

fn reduce_by(vector: &mut Vec<i64>, row: &[i64], column: usize) -> Result<(), Failure> {
    if vector[column] != 0 {
        *vector = combination(row[column], vector, vector[column].checked_neg().ok_or(Failure)?, row)?;
    }
    Ok(())
}

/// `row · vector`.
pub(in crate::schedule) fn dot(row: &[i64], vector: &[i64]) -> Result<i64, Failure> {
    let mut sum: i64 = 0;
    for (a, x) in row.iter().zip(vector) {
        if *a != 0 && *x != 0 {
            sum = a.checked_mul(*x).and_then(|product| sum.checked_add(product)).ok_or(Failure)?;
        }
    }
    Ok(sum)
}

/// `a x + b y` in lowest terms.
fn combination(a: i64, x: &[i64], b: i64, y: &[i64]) -> Result<Vec<i64>, Failure> {
    let divisor = gcd(a, b).max(1);
    let (a, b) = (a / divisor, b / divisor);
    let entry = |(x, y): (&i64, &i64)| {
        let (x, y) = (a.checked_mul(*x)?, b.checked_mul(*y)?);
        x.checked_add(y)
    };
    let mut sum = x.iter().zip(y).map(entry).collect::<Option<Vec<i64>>>().ok_or(Failure)?;
    lowest_terms(&mut sum);
    Ok(sum)
}

/// Divides by the greatest common divisor.
pub(in crate::schedule) fn lowest_terms(vector: &mut [i64]) {
    let mut divisor = 0;
    for x in vector.iter() {
        divisor = gcd(divisor, *x);
        if divisor == 1 {
            return;
        }
    }
    if divisor > 1 {
        vector.iter_mut().for_each(|x| *x /= divisor);
    }
}

/// The greatest common divisor, not negative but for that of `i64::MIN` and zero.
pub(in crate::schedule) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ctx() -> Ctx {
        Ctx::new()
    }

    #[test]
    fn a_cube_has_eight_vertices_and_gives_its_facets_back() {
        let ctx = Ctx::new();
        // [1, x, y, z] with 0 <= x, y, z <= 1.
        let mut rows = vec![vec![1, 0, 0, 0]];
        for i in 1..4 {
            let mut low = vec![0; 4];
            low[i] = 1;
            let mut high = vec![1, 0, 0, 0];
            high[i] = -1;
            rows.extend([low, high]);
        }
        let cube = generators(&ctx, 4, &[], &rows).unwrap();
        assert!(cube.lines.is_empty());
        assert_eq!(cube.rays.len(), 8);
        let facets = generators(&ctx, 4, &cube.lines, &cube.rays).unwrap().canonical(&ctx, 4).unwrap();
        let mut expected = rows[1..].to_vec();
        expected.sort();
        assert_eq!(facets, Cone { lines: Vec::new(), rays: expected });
    }

    #[test]
    fn equalities_and_opposite_inequalities_give_the_same_cone() {
        let by_equality = generators(&ctx(), 3, &[vec![1, 2, -3]], &[vec![1, 0, 0]]).unwrap();
        let by_two = generators(&ctx(), 3, &[], &[vec![1, 2, -3], vec![-1, -2, 3], vec![1, 0, 0]]).unwrap();
        assert_eq!(by_equality.canonical(&ctx(), 3).unwrap(), by_two.canonical(&ctx(), 3).unwrap());
    }

    #[test]
    fn canonical_drops_what_others_generate() {
        let cone = Cone { lines: Vec::new(), rays: vec![vec![2, 0, 0], vec![0, 1, 0], vec![3, 5, 0], vec![1, 1, 0]] };
        assert_eq!(cone.canonical(&ctx(), 3).unwrap().rays, [[0, 1, 0], [1, 0, 0]]);
        // A half-plane by four rays: one line, one ray.
        let half = Cone { lines: Vec::new(), rays: vec![vec![1, 0], vec![-1, 0], vec![1, 3], vec![-5, 2]] };
        assert_eq!(half.canonical(&ctx(), 2).unwrap(), Cone { lines: vec![vec![1, 0]], rays: vec![vec![0, 1]] });
        // The whole plane by three rays, no two opposite.
        let plane = Cone { lines: Vec::new(), rays: vec![vec![1, 0], vec![0, 1], vec![-1, -1]] };
        assert_eq!(plane.canonical(&ctx(), 2).unwrap(), Cone { lines: vec![vec![0, 1], vec![1, 0]], rays: Vec::new() });
    }
}
