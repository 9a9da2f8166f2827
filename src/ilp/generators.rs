//! The rays and lines of a polyhedral cone: the double description method.
//!
//! An affine form `c_0 + c · x` is not negative on a polyhedron iff `(c_0, c)` has a non-negative product with each
//! ray, and the product 0 with each line, of the cone over the polyhedron in the coordinates `(1, x)`. So the
//! generators of a dependence are the constraints on schedule coefficients that Farkas' lemma gives with the
//! multipliers eliminated (ppcg report, 4.4), and none of them follows from the others. Eliminating multipliers one by
//! one passes through many more constraints than that: it is where isl's scheduler spends its time on dependences with
//! many bounds.
//!
//! # Method
//! Constraints are added one at a time to the generators of the whole space (Motzkin, Raiffa, Thompson and Thrall,
//! 1953; Fukuda and Prodon, *Double description method revisited*, 1996). While there is a line on which the new
//! constraint is not constant, that line becomes a ray and everything else is moved along it. Otherwise the rays on the
//! wrong side go, and each two rays that are joined by an edge of the cone and lie on different sides give one on the
//! new face. Two rays are joined iff no third one satisfies with equality all the constraints that both do.

use super::Budget;
use super::description::{Description, Stop};
use super::number::Number;
use num_bigint::BigInt;

/// The generators of a cone. All vectors are integers in lowest terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Generators {
    /// Directions in which the cone goes on both ways, linearly independent.
    pub lines: Vec<Vec<i64>>,
    /// The extreme rays, up to multiples of the lines.
    pub rays: Vec<Vec<i64>>,
}

/// Which inequalities of a cone are zero wherever another one is, as told by the rays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faces {
    /// The words of a set of inequalities, a bit each.
    words: usize,
    /// For each inequality those that are zero wherever it is.
    sets: Vec<u64>,
    /// Those that are zero everywhere.
    everywhere: Vec<u64>,
}

impl Faces {
    /// One inequality is zero wherever another one is: the former's face of the cone contains the latter's.
    pub fn contains(&self, one: usize, other: usize) -> bool {
        self.sets[other * self.words + one / 64] >> (one % 64) & 1 == 1
    }

    /// An inequality is zero all over the cone.
    pub fn is_everywhere(&self, inequality: usize) -> bool {
        self.everywhere[inequality / 64] >> (inequality % 64) & 1 == 1
    }

    /// The faces of so many inequalities, from the sets of those that are zero on a ray, for each ray.
    fn of<'t>(inequalities: usize, tight: impl Iterator<Item = &'t [u64]>) -> Faces {
        let words = inequalities.div_ceil(64);
        let mut faces = Faces { words, sets: vec![u64::MAX; inequalities * words], everywhere: vec![u64::MAX; words] };
        let meet = |set: &mut [u64], tight: &[u64]| set.iter_mut().zip(tight).for_each(|(all, word)| *all &= word);
        for tight in tight {
            meet(&mut faces.everywhere, tight);
            for (word, members) in tight.iter().enumerate() {
                let mut rest = *members;
                while rest != 0 {
                    let inequality = 64 * word + rest.trailing_zeros() as usize;
                    meet(&mut faces.sets[inequality * words..(inequality + 1) * words], tight);
                    rest &= rest - 1;
                }
            }
        }
        faces
    }
}

/// Why there are no generators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GeneratorsError {
    /// More rays than allowed, at some time.
    #[error("more than {0} rays")]
    Limit(usize),
    /// The budget is spent.
    #[error("the budget ran out")]
    Budget,
    /// An entry does not fit 64 bits.
    #[error("a generator beyond 64 bits")]
    Wide,
}

/// The generators of `{ y : e · y = 0 for e in equalities, a · y ≥ 0 for a in inequalities }`, in a space of
/// `dimension` coordinates, with at most `limit` rays at any time. Their order depends on the order of the rows alone.
///
/// For a polyhedron the coordinates are `(1, x)`, and the row `(1, 0, …)` must be among the inequalities. It is empty,
/// over the rationals, if no ray has a positive entry 0. To project variables out, drop their entries.
///
/// ```
/// use polyrs_ilp::{Budget, generators};
///
/// // 0 ≤ x ≤ n in (1, n, x): a form c_0 + c_n n + c_x x is not negative there iff c_0 ≥ 0, c_n ≥ 0 and c_n + c_x ≥ 0.
/// let triangle = [vec![1, 0, 0], vec![0, 0, 1], vec![0, 1, -1]];
/// let found = generators(3, &[], &triangle, 1000, &mut Budget::new(100)).unwrap();
/// assert!(found.lines.is_empty());
/// assert_eq!(found.rays.len(), 3);
/// for corner in [vec![1, 0, 0], vec![0, 1, 0], vec![0, 1, 1]] {
///     assert!(found.rays.contains(&corner));
/// }
/// ```
///
/// # Errors
/// When there are more rays, the budget is spent, or a result does not fit 64 bits.
///
/// # Panics
/// Each row must have `dimension` entries.
pub fn generators(
    dimension: usize,
    equalities: &[Vec<i64>],
    inequalities: &[Vec<i64>],
    limit: usize,
    budget: &mut Budget,
) -> Result<Generators, GeneratorsError> {
    let problem = Input { dimension, equalities, inequalities, limit, ..Input::default() };
    Ok(problem.solve(Wanted { generators: true, faces: false }, budget)?.generators)
}

/// The faces of the inequalities of a cone, which [`generators`] describes.
///
/// ```
/// use polyrs_ilp::{Budget, faces};
///
/// // x ≥ 0, y ≥ 0 and x + y ≥ 0: the last is zero only where the others are.
/// let faces = faces(2, &[], &[vec![1, 0], vec![0, 1], vec![1, 1]], 1000, &mut Budget::new(100)).unwrap();
/// assert!(faces.contains(0, 2) && faces.contains(1, 2) && !faces.contains(2, 0));
/// ```
///
/// # Errors
/// As [`generators`].
///
/// # Panics
/// As [`generators`].
pub fn faces(
    dimension: usize,
    equalities: &[Vec<i64>],
    inequalities: &[Vec<i64>],
    limit: usize,
    budget: &mut Budget,
) -> Result<Faces, GeneratorsError> {
    let problem = Input { dimension, equalities, inequalities, limit, few: limit, ..Input::default() };
    problem.solve(Wanted { generators: false, faces: true }, budget)?.faces.ok_or(GeneratorsError::Limit(limit))
}

/// The generators of a cone, and the faces of the part of it where `more` inequalities hold: first those of the cone,
/// then those. Rows of `more` may be shorter than others; what is beyond their end is zero. There are no faces where
/// the part has more than `few` rays at some time.
///
/// ```
/// use polyrs_ilp::{Budget, generators_and_faces};
///
/// // 0 ≤ x ≤ n in (1, n, x), and of it the part with n ≥ 1.
/// let triangle = [vec![1, 0, 0], vec![0, 0, 1], vec![0, 1, -1]];
/// let mut budget = Budget::new(10_000);
/// let (found, faces) = generators_and_faces(3, &[], &triangle, &[vec![-1, 1]], 1000, 100, &mut budget).unwrap();
/// assert_eq!(found.rays.len(), 3);
/// // Each bound of x has a face of its own.
/// let faces = faces.unwrap();
/// assert!(!faces.contains(1, 2) && !faces.contains(2, 1));
/// ```
///
/// # Errors
/// As [`generators`].
///
/// # Panics
/// As [`generators`]; the rows of `more` are not longer.
pub fn generators_and_faces(
    dimension: usize,
    equalities: &[Vec<i64>],
    inequalities: &[Vec<i64>],
    more: &[Vec<i64>],
    limit: usize,
    few: usize,
    budget: &mut Budget,
) -> Result<(Generators, Option<Faces>), GeneratorsError> {
    let problem = Input { dimension, equalities, inequalities, more, limit, few };
    let solved = problem.solve(Wanted { generators: true, faces: true }, budget)?;
    Ok((solved.generators, solved.faces))
}

#[derive(Default)]
struct Input<'a> {
    dimension: usize,
    equalities: &'a [Vec<i64>],
    inequalities: &'a [Vec<i64>],
    /// Inequalities of a part of the cone.
    more: &'a [Vec<i64>],
    /// So many rays may there be.
    limit: usize,
    /// So many may there be of the part.
    few: usize,
}

/// What is asked for.
#[derive(Clone, Copy)]
struct Wanted {
    /// The generators of the cone.
    generators: bool,
    /// The faces of the part.
    faces: bool,
}

/// What was asked for.
#[derive(Default)]
struct Solved {
    generators: Generators,
    /// None also: too many rays.
    faces: Option<Faces>,
}

impl Stop {
    /// After an overflow another width may do.
    fn retry<T>(self, next: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
        match self {
            Stop::Overflow => next(),
            other => Err(other),
        }
    }
}

impl Input<'_> {
    fn solve(&self, wanted: Wanted, budget: &mut Budget) -> Result<Solved, GeneratorsError> {
        let mut rows = self.equalities.iter().chain(self.inequalities);
        assert!(rows.all(|row| row.len() == self.dimension), "the rows' length");
        assert!(self.more.iter().all(|row| row.len() <= self.dimension), "the length of more rows");
        self.solve_in::<i64>(wanted, budget)
            .or_else(|stop| stop.retry(|| self.solve_in::<i128>(wanted, budget)))
            .or_else(|stop| stop.retry(|| self.solve_in::<BigInt>(wanted, budget)))
            .map_err(|stop| match stop {
                Stop::Limit => GeneratorsError::Limit(self.limit),
                Stop::Budget => GeneratorsError::Budget,
                Stop::Overflow => GeneratorsError::Wide,
            })
    }

    fn solve_in<N: Number>(&self, wanted: Wanted, budget: &mut Budget) -> Result<Solved, Stop> {
        let count = self.inequalities.len() + self.more.len();
        let mut cone = Description::<N>::whole(self.dimension, count);
        for row in self.equalities {
            cone.restrict(row, None, budget)?;
        }
        for (index, row) in self.inequalities.iter().enumerate() {
            cone.restrict(row, Some(index), budget)?;
            if cone.len() > self.limit {
                return Err(Stop::Limit);
            }
        }
        let mut solved = Solved::default();
        if wanted.generators {
            solved.generators = Generators { lines: vectors(cone.lines())?, rays: vectors(cone.rays())? };
        }
        if wanted.faces {
            for (index, row) in (self.inequalities.len()..).zip(self.more) {
                if cone.len() > self.few {
                    return Ok(solved);
                }
                cone.restrict(row, Some(index), budget)?;
            }
            solved.faces = (cone.len() <= self.few).then(|| Faces::of(count, cone.tight()));
        }
        Ok(solved)
    }
}

fn vectors<'v, N: Number + 'v>(vectors: impl ExactSizeIterator<Item = &'v [N]>) -> Result<Vec<Vec<i64>>, Stop> {
    let mut all = Vec::with_capacity(vectors.len());
    for vector in vectors {
        all.push(lowest_terms(vector)?);
    }
    Ok(all)
}

fn lowest_terms<N: Number>(vector: &[N]) -> Result<Vec<i64>, Stop> {
    let mut entries = Vec::with_capacity(vector.len());
    let mut divisor = 0;
    for x in vector {
        let x = x.to_i64().ok_or(Stop::Overflow)?;
        entries.push(x);
        if divisor != 1 && x != 0 {
            divisor = num_integer::gcd(divisor, x.unsigned_abs());
        }
    }
    if divisor > 1 {
        for x in &mut entries {
            *x = i64::try_from(i128::from(*x) / i128::from(divisor)).map_err(|_| Stop::Overflow)?;
        }
    }
    Ok(entries)
}
