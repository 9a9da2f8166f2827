//! The rays and lines of a polyhedral cone: the double description method.
//!
//! An affine form `c_0 + c · x` is not negative on a polyhedron iff `(c_0, c)` has a non-negative product with each ray, and the
//! product 0 with each line, of the cone over the polyhedron in the coordinates `(1, x)`. So the generators of a dependence are
//! the constraints on schedule coefficients that Farkas' lemma gives with the multipliers eliminated (ppcg report, 4.4), and none
//! of them follows from the others. Eliminating multipliers one by one passes through many more constraints than that: it is
//! where isl's scheduler spends its time on dependences with many bounds.
//!
//! # Method
//! Constraints are added one at a time to the generators of the whole space (Motzkin, Raiffa, Thompson and Thrall, 1953; Fukuda
//! and Prodon, *Double description method revisited*, 1996). While there is a line on which the new constraint is not constant,
//! that line becomes a ray and everything else is moved along it. Otherwise the rays on the wrong side go, and each two rays that
//! are joined by an edge of the cone and lie on different sides give one on the new face. Two rays are joined iff no third one
//! satisfies with equality all the constraints that both do.

use super::number::{Number, Overflow, RowRef, Scaled, Support};
use num_bigint::BigInt;
use std::cmp::Ordering;

/// The generators of a cone. All vectors are integers in lowest terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Generators {
    /// Directions in which the cone goes on both ways, linearly independent.
    pub lines: Vec<Vec<i64>>,
    /// The extreme rays, up to multiples of the lines.
    pub rays: Vec<Vec<i64>>,
}

/// Why there are no generators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GeneratorsError {
    /// More rays than allowed, at some time.
    #[error("more than {0} rays")]
    Limit(usize),
    /// An entry does not fit 64 bits.
    #[error("a generator beyond 64 bits")]
    Wide,
}

/// The generators of `{ y : e · y = 0 for e in equalities, a · y ≥ 0 for a in inequalities }`, in a space of `dimension`
/// coordinates, with at most `limit` rays at any time. Their order depends on the order of the rows alone.
///
/// For a polyhedron the coordinates are `(1, x)`, and the row `(1, 0, …)` must be among the inequalities. It is empty, over the
/// rationals, if no ray has a positive entry 0. To project variables out, drop their entries.
///
/// ```
/// use polyrs::ilp::generators;
///
/// // 0 ≤ x ≤ n in (1, n, x): a form c_0 + c_n n + c_x x is not negative there iff c_0 ≥ 0, c_n ≥ 0 and c_n + c_x ≥ 0.
/// let triangle = [vec![1, 0, 0], vec![0, 0, 1], vec![0, 1, -1]];
/// let found = generators(3, &[], &triangle, 1000).unwrap();
/// assert!(found.lines.is_empty());
/// assert_eq!(found.rays.len(), 3);
/// for corner in [vec![1, 0, 0], vec![0, 1, 0], vec![0, 1, 1]] {
///     assert!(found.rays.contains(&corner));
/// }
/// ```
///
/// # Errors
/// When there are more rays, or a result does not fit 64 bits.
///
/// # Panics
/// Each row must have `dimension` entries.
pub fn generators(
    dimension: usize,
    equalities: &[Vec<i64>],
    inequalities: &[Vec<i64>],
    limit: usize,
) -> Result<Generators, GeneratorsError> {
    let problem = Input { dimension, equalities, inequalities, limit };
    assert!(equalities.iter().chain(inequalities).all(|row| row.len() == dimension), "the rows' length");
    problem
        .generate::<i64>()
        .or_else(|stop| stop.retry(|| problem.generate::<i128>()))
        .or_else(|stop| stop.retry(|| problem.generate::<BigInt>()))
        .map_err(|stop| match stop {
            Stop::Limit => GeneratorsError::Limit(limit),
            Stop::Overflow => GeneratorsError::Wide,
        })
}

struct Input<'a> {
    dimension: usize,
    equalities: &'a [Vec<i64>],
    inequalities: &'a [Vec<i64>],
    limit: usize,
}

/// Why a width gave up.
enum Stop {
    Overflow,
    Limit,
}

impl Stop {
    /// After an overflow another width may do.
    fn retry<T>(self, next: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
        match self {
            Stop::Overflow => next(),
            Stop::Limit => Err(Stop::Limit),
        }
    }
}

impl From<Overflow> for Stop {
    fn from(_: Overflow) -> Stop {
        Stop::Overflow
    }
}

impl Input<'_> {
    fn generate<N: Number>(&self) -> Result<Generators, Stop> {
        let mut cone = Cone::<N>::whole(self.dimension, self.inequalities.len());
        for row in self.equalities {
            cone.restrict(row, None)?;
            cone.check(self.limit)?;
        }
        for (index, row) in self.inequalities.iter().enumerate() {
            cone.restrict(row, Some(index))?;
            cone.check(self.limit)?;
        }
        let narrow = |vector: &Vector<N>| -> Result<Vec<i64>, Stop> {
            vector.entries.iter().map(|x| i64::try_from(x.to_big()).map_err(|_| Stop::Overflow)).collect()
        };
        let lines = cone.lines.iter().map(|line| lowest_terms(narrow(line)?)).collect::<Result<_, _>>()?;
        let rays = cone.rays.iter().map(|ray| lowest_terms(narrow(&ray.vector)?)).collect::<Result<_, _>>()?;
        Ok(Generators { lines, rays })
    }
}

fn lowest_terms(mut vector: Vec<i64>) -> Result<Vec<i64>, Stop> {
    let divisor = vector.iter().fold(0, |divisor, &x| num_integer::gcd(divisor, i128::from(x)));
    if divisor > 1 {
        for x in &mut vector {
            *x = i64::try_from(i128::from(*x) / divisor).map_err(|_| Stop::Overflow)?;
        }
    }
    Ok(vector)
}

#[derive(Debug, Clone)]
struct Vector<N> {
    entries: Vec<N>,
    bits: u32,
}

impl<N: Number> Vector<N> {
    fn negated(&self) -> Result<Vector<N>, Overflow> {
        let entries = self.entries.iter().map(N::negated).collect::<Result<_, _>>()?;
        Ok(Vector { entries, bits: self.bits })
    }

    /// A positive multiple of `p · self − c · other`, for a positive `p`.
    fn minus(&self, p: &N, other: &Vector<N>, c: &N) -> Result<Vector<N>, Overflow> {
        let (p, c) = N::lowest_terms(p, c)?;
        let mut entries = vec![N::zero(); self.entries.len()];
        let x = Scaled { factor: &p, vector: &self.entries, bits: self.bits };
        let y = Scaled { factor: &c, vector: &other.entries, bits: other.bits };
        let bits = N::subtract(&mut entries, x, y)?;
        Ok(Vector { entries, bits })
    }
}

struct Ray<N> {
    vector: Vector<N>,
    /// Bit `i`: inequality `i` was added and is zero on the ray.
    tight: Vec<u64>,
}

fn set(bits: &mut [u64], index: usize) {
    bits[index / 64] |= 1 << (index % 64);
}

struct Cone<N> {
    /// The dimension of the space that the equalities leave.
    space: usize,
    lines: Vec<Vector<N>>,
    rays: Vec<Ray<N>>,
    /// The inequalities that were added.
    added: Vec<u64>,
}

impl<N: Number> Cone<N> {
    fn whole(dimension: usize, inequalities: usize) -> Cone<N> {
        let unit = |i: usize| {
            let entries: Vec<N> = (0..dimension).map(|j| if i == j { N::one() } else { N::zero() }).collect();
            Vector { bits: N::bits(&entries), entries }
        };
        let lines = (0..dimension).map(unit).collect();
        Cone { space: dimension, lines, rays: Vec::new(), added: vec![0; inequalities.div_ceil(64)] }
    }

    fn check(&self, limit: usize) -> Result<(), Stop> {
        if self.rays.len() > limit { Err(Stop::Limit) } else { Ok(()) }
    }

    /// Adds an inequality, by its index, or an equality.
    fn restrict(&mut self, row: &[i64], inequality: Option<usize>) -> Result<(), Overflow> {
        let (index, coefficient): (Vec<u32>, Vec<N>) =
            row.iter().enumerate().filter(|(_, a)| **a != 0).map(|(i, &a)| (i as u32, N::from_i64(a))).unzip();
        let row =
            RowRef { index: &index, coefficient: &coefficient, norm: N::norm(&coefficient), support: Support::MAX };
        let value = |vector: &Vector<N>| N::dot(row, &vector.entries, vector.bits);
        let on_lines = self.lines.iter().map(value).collect::<Result<Vec<N>, _>>()?;
        let on_rays = self.rays.iter().map(|ray| value(&ray.vector)).collect::<Result<Vec<N>, _>>()?;
        match on_lines.iter().position(|x| !x.is_zero()) {
            Some(line) => self.turn_line(line, &on_lines, &on_rays, inequality)?,
            None => self.split(&on_rays, inequality)?,
        }
        if let Some(inequality) = inequality {
            set(&mut self.added, inequality);
        }
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
        let (mut line, mut growth) = (self.lines[index].clone(), on_lines[index].clone());
        if growth.is_negative() {
            (line, growth) = (line.negated()?, growth.negated()?);
        }
        let moved = |vector: &Vector<N>, value: &N| match value.sign() {
            Ordering::Equal => Ok(vector.clone()),
            _ => vector.minus(&growth, &line, value),
        };
        let others = self.lines.iter().zip(on_lines).enumerate().filter(|(other, _)| *other != index);
        let lines = others.map(|(_, (vector, value))| moved(vector, value)).collect::<Result<Vec<_>, _>>()?;
        for (ray, value) in self.rays.iter_mut().zip(on_rays) {
            ray.vector = moved(&ray.vector, value)?;
            if let Some(inequality) = inequality {
                set(&mut ray.tight, inequality);
            }
        }
        self.lines = lines;
        if inequality.is_none() {
            self.space -= 1;
        } else {
            // A line is zero on all the constraints before.
            self.rays.push(Ray { vector: line, tight: self.added.clone() });
        }
        Ok(())
    }

    /// The constraint is zero on all lines: it cuts through the rays.
    fn split(&mut self, values: &[N], inequality: Option<usize>) -> Result<(), Overflow> {
        let mut fresh = Vec::new();
        for (up, p) in values.iter().enumerate().filter(|(_, value)| value.is_positive()) {
            for (down, n) in values.iter().enumerate().filter(|(_, value)| value.is_negative()) {
                let Some(mut tight) = self.edge(up, down) else { continue };
                let vector = self.rays[down].vector.minus(p, &self.rays[up].vector, n)?;
                if let Some(inequality) = inequality {
                    set(&mut tight, inequality);
                }
                fresh.push(Ray { vector, tight });
            }
        }
        let mut value = values.iter();
        self.rays.retain_mut(|ray| match value.next().map_or(Ordering::Equal, N::sign) {
            Ordering::Less => false,
            Ordering::Greater => inequality.is_some(),
            Ordering::Equal => {
                if let Some(inequality) = inequality {
                    set(&mut ray.tight, inequality);
                }
                true
            }
        });
        self.rays.extend(fresh);
        Ok(())
    }

    /// The constraints that are zero on both rays, if an edge joins them.
    fn edge(&self, ray: usize, other: usize) -> Option<Vec<u64>> {
        let pair = || self.rays[ray].tight.iter().zip(&self.rays[other].tight);
        // The face of an edge has two dimensions beyond the lines, so at least that many constraints are zero on it.
        let count: usize = pair().map(|(x, y)| (x & y).count_ones() as usize).sum();
        if count + 2 < self.space - self.lines.len() {
            return None;
        }
        let common: Vec<u64> = pair().map(|(x, y)| x & y).collect();
        let holds = |third: &Ray<N>| common.iter().zip(&third.tight).all(|(x, y)| x & !y == 0);
        let between = self.rays.iter().enumerate().any(|(i, third)| i != ray && i != other && holds(third));
        (!between).then_some(common)
    }
}
