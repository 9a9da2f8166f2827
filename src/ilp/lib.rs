//! An exact solver for lexicographic linear problems, rational and integer.
//!
//! Given linear equalities and inequalities over non-negative variables `x_0, x_1, …`, a [`Solver`] finds the point at
//! which `x_0` is least, among those the one at which `x_1` is least, and so on. Constraints are added and taken back
//! ([`Solver::push`], [`Solver::pop`]), and each search starts from the end of the last. The scheduler's problems are
//! of this kind (ppcg report, section 6), with regions that must not be zero ([`Solver::non_trivial_lexmin`], section
//! 6.5.7).
//!
//! ```
//! use polyrs_ilp::{Budget, Outcome, Solver};
//!
//! let mut solver = Solver::new(2);
//! // 2x + 3y ≥ 7
//! solver.add_ge(&[-7, 2, 3]);
//! let Outcome::Optimal(rational) = solver.lexmin_rational(&mut Budget::new(100)) else { panic!() };
//! assert_eq!((rational.to_i64().unwrap(), rational.is_integer()), (vec![0, 7], false)); // thirds
//! let Outcome::Optimal(integer) = solver.lexmin_integer(&mut Budget::new(100)) else { panic!() };
//! assert_eq!(integer.to_i64().unwrap(), [0, 3]);
//!
//! solver.push();
//! // y ≤ 1
//! solver.add_ge_sparse(1, &[(1, -1)]);
//! let Outcome::Optimal(bounded) = solver.lexmin_integer(&mut Budget::new(100)) else { panic!() };
//! assert_eq!(bounded.to_i64().unwrap(), [2, 1]);
//! solver.pop();
//! ```
//!
//! [`generators()`] are the other half of a scheduler's linear algebra: what Farkas' lemma says of a dependence.
//!
//! # Method
//! The lexicographic dual simplex method (Feautrier, *Parametric integer programming*, 1988) with Gomory's cuts. The
//! textbook tableau has a row for each constraint, and a pivot rewrites them all. Scheduling problems have many more
//! constraints than variables, and most never become active; here a constraint is only a sparse row over the variables,
//! and the tableau is a simplicial cone: a vertex and rays (`tableau.rs`).
//!
//! - The cone is `{ v + Σ t_k r_k : t_k ≥ 0 }`. It contains every point that satisfies the constraints.
//! - Each ray `r_k` has an owner, an inequality whose slack grows along `r_k`; it is zero at `v` and along all other
//!   rays. At first the vertex is 0, and the rays are the axes, owned by `x_i ≥ 0`.
//! - Each ray is lexicographically positive, so the vertex is the least point of the cone. When it satisfies all
//!   constraints, it is the minimum.
//! - Every equality up to `eliminated` is zero all over the cone; there are as many rays as variables less independent
//!   equalities.
//!
//! When `v` violates a row `a`, the least point of the cone with `a(x) ≥ 0` lies along the ray with `a(r_k) > 0` for
//! which `r_k / a(r_k)` is lexicographically least. With `r_j` chosen, `v` and each other `r_k` become the positive
//! multiple of `r_k − a(r_k)/a(r_j) · r_j` that is in lowest terms, and `a` owns `r_j`, which itself does not change.
//! If there is no such ray, no point satisfies the constraints, and `a` with the owners of rays along which it falls
//! proves it (Farkas). A pivot costs the square of the number of variables, whatever the number of constraints; looking
//! for a violated row costs the rows' non-zeros. An equality leads `v` to it likewise; then its ray leaves the cone.
//!
//! The vertex grows lexicographically with each pivot, so no rule against cycles is needed.
//!
//! # Numbers
//! The vertex has a common denominator, and the length of a ray has no meaning, so all entries are integers. The whole
//! tableau is of one type: [`i64`], on overflow carried over to [`i128`], then to [`BigInt`] (`number`). Vectors are
//! written anew, not changed, so an overflow half-way through a pivot leaves the narrower tableau intact and the wider
//! one starts from it; and a snapshot shares vectors with the state it was taken from (`arena.rs`). Undoing is free of
//! arithmetic.
//!
//! # Bounded work
//! A [`Budget`] counts the arithmetic. When it is spent the answer is [`Outcome::Budget`], and the search can go on
//! with another. Integer problems without a solution may need cuts without end; nothing else bounds them.

#![forbid(unsafe_code)]

mod arena;
mod cuts;
mod description;
mod generators;
mod number;
mod pivot;
mod regions;
mod rows;
mod solver;
mod tableau;
#[cfg(test)]
mod tests;

pub use generators::{Faces, Generators, GeneratorsError, faces, generators, generators_and_faces};
pub use regions::{Improve, NonTrivialRegion};
pub use solver::Solver;

use num_bigint::BigInt;

/// A row of the caller, counted from 0 in the order in which they were added; rows that were taken back do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(pub u32);

/// The work that searches may take, in operations of about 50 nanoseconds, as isl counts its own.
#[derive(Debug, Clone)]
pub struct Budget {
    left: u64,
    /// Cells of an operation that is not full yet.
    cells: u64,
}

/// Entries of vectors in 64 bits that are computed in the time of an operation.
const CELLS: u64 = 64;

impl Budget {
    /// So many operations.
    pub fn new(operations: u64) -> Budget {
        Budget { left: operations, cells: 0 }
    }

    /// The operations that are left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Takes at most so many operations of these, as a budget of its own, for a search that may fail.
    pub fn split(&mut self, operations: u64) -> Budget {
        let part = Budget::new(self.left.min(operations));
        self.left -= part.left;
        part
    }

    /// Gives back what is left of a part.
    pub fn join(&mut self, part: Budget) {
        self.left += part.left;
    }

    /// Counts one operation, and takes it. False: none was left.
    fn take(&mut self) -> bool {
        self.count(CELLS)
    }

    /// Counts the computation of so many entries. False: nothing was left for it.
    fn count(&mut self, cells: u64) -> bool {
        let some = self.left > 0;
        self.cells += cells;
        self.left = self.left.saturating_sub(self.cells / CELLS);
        self.cells %= CELLS;
        some
    }
}

/// How a search ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<T> {
    /// With the minimum.
    Optimal(T),
    /// No point satisfies the constraints.
    Infeasible,
    /// Not at all: the budget was spent. Nothing is known.
    Budget,
}

/// A rational point, in lowest terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// The common denominator, positive: 1 for an integer point.
    pub denominator: BigInt,
    /// The variables' values times the denominator.
    pub numerators: Vec<BigInt>,
}

impl Point {
    /// All values are integers.
    pub fn is_integer(&self) -> bool {
        self.denominator == BigInt::from(1)
    }

    /// The numerators, if all fit.
    pub fn to_i64(&self) -> Option<Vec<i64>> {
        self.numerators.iter().map(|x| i64::try_from(x).ok()).collect()
    }
}

/// The inequality to which a ray of a [`Certificate`] belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// `x_i ≥ 0`.
    Variable(usize),
    /// A row of the caller.
    Row(RowId),
    /// A cut: only after an integer search.
    Cut,
}

/// What proves that a point is the rational minimum.
///
/// The rays span the directions in which all equalities stay as they are. The owner of each is zero at the point, grows
/// along its ray and is constant along the others; so every point that satisfies the owners is the given one plus
/// non-negative multiples of the rays. Each ray's first entry that is not zero is positive. For objective `i`, with
/// those before it at their minimum, the entries `i` of the rays whose first non-zero entry is not before `i`, divided
/// by the owners' growth, are the dual multipliers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The minimum.
    pub point: Point,
    /// Owner and direction of each ray.
    pub rays: Vec<(Owner, Vec<BigInt>)>,
}
