//! The solver: a tableau of whichever width is needed, behind one interface.

use super::number::{Number, Overflow};
use super::pivot::Status;
use super::tableau::Tableau;
use super::{Budget, Certificate, Outcome, Owner, Point, RowId};
use num_bigint::BigInt;
use num_integer::Integer as _;

/// A lexicographic problem over non-negative variables, and its solution so far. See the [module](super).
#[derive(Debug)]
pub struct Solver {
    variables: usize,
    /// The number of rows of the caller.
    rows: usize,
    /// That number at each [`Solver::push`].
    row_counts: Vec<usize>,
    /// The tableau in use is the widest that is there. A narrower one below it is as it was at the overflow: going back
    /// beyond the snapshots of the wider one continues with it.
    narrow: Tableau<i64>,
    wide: Option<Box<Tableau<i128>>>,
    big: Option<Box<Tableau<BigInt>>>,
}

/// Does something with the tableau in use, whatever its width.
macro_rules! in_use {
    ($solver:expr, $tableau:ident => $body:expr) => {
        if let Some($tableau) = &mut $solver.big {
            $body
        } else if let Some($tableau) = &mut $solver.wide {
            $body
        } else {
            let $tableau = &mut $solver.narrow;
            $body
        }
    };
}

/// The same for reading.
macro_rules! seen {
    ($solver:expr, $tableau:ident => $body:expr) => {
        if let Some($tableau) = &$solver.big {
            $body
        } else if let Some($tableau) = &$solver.wide {
            $body
        } else {
            let $tableau = &$solver.narrow;
            $body
        }
    };
}

/// What a row says.
#[derive(Clone, Copy)]
enum Relation {
    Equality,
    Inequality,
}

impl Solver {
    /// No constraints but that the variables are not negative.
    pub fn new(variables: usize) -> Solver {
        Solver { variables, rows: 0, row_counts: Vec::new(), narrow: Tableau::new(variables), wide: None, big: None }
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// Adds `row[0] + Σ row[1 + i] x_i = 0`.
    ///
    /// # Panics
    /// The row must have one entry more than there are variables.
    pub fn add_eq(&mut self, row: &[i64]) -> RowId {
        self.add_dense(Relation::Equality, row)
    }

    /// Adds `row[0] + Σ row[1 + i] x_i ≥ 0`.
    ///
    /// # Panics
    /// The row must have one entry more than there are variables.
    pub fn add_ge(&mut self, row: &[i64]) -> RowId {
        self.add_dense(Relation::Inequality, row)
    }

    /// Adds `constant + Σ a x_i = 0` for the `(i, a)` in `terms`.
    ///
    /// # Panics
    /// The variables must be ascending and less than the number of variables.
    pub fn add_eq_sparse(&mut self, constant: i64, terms: &[(usize, i64)]) -> RowId {
        self.add_sparse(Relation::Equality, constant, terms)
    }

    /// Adds `constant + Σ a x_i ≥ 0` for the `(i, a)` in `terms`.
    ///
    /// # Panics
    /// The variables must be ascending and less than the number of variables.
    pub fn add_ge_sparse(&mut self, constant: i64, terms: &[(usize, i64)]) -> RowId {
        self.add_sparse(Relation::Inequality, constant, terms)
    }

    /// [`Solver::add_eq`] with coefficients of any size.
    ///
    /// # Panics
    /// The row must have one entry more than there are variables.
    pub fn add_eq_wide(&mut self, row: &[BigInt]) -> RowId {
        self.add_wide(Relation::Equality, row)
    }

    /// [`Solver::add_ge`] with coefficients of any size.
    ///
    /// # Panics
    /// The row must have one entry more than there are variables.
    pub fn add_ge_wide(&mut self, row: &[BigInt]) -> RowId {
        self.add_wide(Relation::Inequality, row)
    }

    fn add_dense(&mut self, relation: Relation, row: &[i64]) -> RowId {
        assert_eq!(row.len(), 1 + self.variables, "the row's length");
        self.add(relation, row.iter().enumerate().filter(|(_, a)| **a != 0).map(|(i, &a)| (i as u32, a)))
    }

    fn add_sparse(&mut self, relation: Relation, constant: i64, terms: &[(usize, i64)]) -> RowId {
        assert!(terms.is_sorted_by(|a, b| a.0 < b.0), "terms in ascending order of variable");
        assert!(terms.last().is_none_or(|last| last.0 < self.variables), "no such variable");
        self.add(relation, std::iter::once((0, constant)).chain(terms.iter().map(|&(i, a)| (1 + i as u32, a))))
    }

    fn add(&mut self, relation: Relation, entries: impl Iterator<Item = (u32, i64)>) -> RowId {
        let label = self.next_label();
        in_use!(self, tableau => insert(tableau, relation, entries.map(|(i, a)| (i, Number::from_i64(a))), label));
        label
    }

    fn add_wide(&mut self, relation: Relation, row: &[BigInt]) -> RowId {
        assert_eq!(row.len(), 1 + self.variables, "the row's length");
        let label = self.next_label();
        loop {
            let inserted = in_use!(self, tableau => insert_wide(tableau, relation, row, label));
            if inserted {
                return label;
            }
            self.widen();
        }
    }

    fn next_label(&mut self) -> RowId {
        self.rows += 1;
        RowId((self.rows - 1) as u32)
    }

    /// Remembers the state: the rows, and how far they are solved.
    pub fn push(&mut self) {
        self.row_counts.push(self.rows);
        in_use!(self, tableau => tableau.push());
    }

    /// Goes back to the state that was last remembered, and forgets it.
    ///
    /// # Panics
    /// There must have been a [`Solver::push`] for it.
    pub fn pop(&mut self) {
        self.rows = self.row_counts.pop().expect("a pop for each push");
        if self.big.as_ref().is_some_and(|big| big.depth() == 0) {
            self.big = None;
        }
        if self.big.is_none() && self.wide.as_ref().is_some_and(|wide| wide.depth() == 0) {
            self.wide = None;
        }
        let popped = in_use!(self, tableau => tableau.pop());
        debug_assert!(popped, "the tableau has a snapshot for each count");
    }

    /// The rational lexicographic minimum.
    pub fn lexmin_rational(&mut self, budget: &mut Budget) -> Outcome<Point> {
        let status = self.solve(false, budget);
        self.outcome(status)
    }

    /// The integer lexicographic minimum. Cuts that were needed stay until the next [`Solver::pop`]: rational minima
    /// after this one are of the cut problem.
    pub fn lexmin_integer(&mut self, budget: &mut Budget) -> Outcome<Point> {
        let status = self.solve(true, budget);
        self.outcome(status)
    }

    fn outcome(&self, status: Status) -> Outcome<Point> {
        match status {
            Status::Optimal => Outcome::Optimal(self.point()),
            Status::Infeasible => Outcome::Infeasible,
            Status::Budget => Outcome::Budget,
        }
    }

    /// Solves, going to wider numbers as often as needed.
    pub(super) fn solve(&mut self, integer: bool, budget: &mut Budget) -> Status {
        loop {
            let result = in_use!(self, tableau => match integer {
                true => tableau.settle_integer(budget),
                false => tableau.settle(budget),
            });
            match result {
                Ok(status) => return status,
                Err(Overflow) => self.widen(),
            }
        }
    }

    /// Carries the tableau in use over to the next width.
    fn widen(&mut self) {
        match &self.wide {
            None => self.wide = Some(Box::new(self.narrow.widened())),
            Some(wide) => self.big = Some(Box::new(wide.widened())),
        }
    }

    /// The vertex, in lowest terms.
    pub(super) fn point(&self) -> Point {
        seen!(self, tableau => lowest_terms(tableau.point()))
    }

    /// A form without a constant is zero at the vertex.
    pub(super) fn form_is_zero(&self, form: &[(usize, i64)]) -> bool {
        seen!(self, tableau => tableau.form_is_zero(form))
    }

    /// After [`Outcome::Infeasible`]: inequalities that, together with all equalities (and cuts, after an integer
    /// search), no point satisfies. Ascending, without repetition; not always a least such set.
    pub fn conflict(&self) -> Vec<RowId> {
        seen!(self, tableau => tableau.conflict.iter().map(|&label| RowId(label)).collect())
    }

    /// After [`Outcome::Optimal`]: what proves the minimum.
    pub fn certificate(&self) -> Certificate {
        seen!(self, tableau => certificate(tableau))
    }
}

fn insert<N: Number>(
    tableau: &mut Tableau<N>,
    relation: Relation,
    entries: impl Iterator<Item = (u32, N)>,
    label: RowId,
) {
    match relation {
        Relation::Equality => tableau.add_equality(entries),
        Relation::Inequality => tableau.add_inequality(entries, label.0),
    }
}

/// False: a coefficient is too wide for the tableau.
fn insert_wide<N: Number>(tableau: &mut Tableau<N>, relation: Relation, row: &[BigInt], label: RowId) -> bool {
    let Some(row) = row.iter().map(N::from_big).collect::<Option<Vec<N>>>() else { return false };
    insert(tableau, relation, row.into_iter().enumerate().map(|(i, a)| (i as u32, a)), label);
    true
}

fn lowest_terms<N: Number>(point: &[N]) -> Point {
    let mut entries: Vec<BigInt> = point.iter().map(N::to_big).collect();
    let one = BigInt::from(1);
    if entries[0] != one {
        let divisor = entries.iter().fold(BigInt::ZERO, |divisor, x| divisor.gcd(x));
        if divisor != one {
            for entry in &mut entries {
                *entry /= &divisor;
            }
        }
    }
    let denominator = entries.remove(0);
    Point { denominator, numerators: entries }
}

fn certificate<N: Number>(tableau: &Tableau<N>) -> Certificate {
    let ray = |ray: &super::tableau::Ray| {
        let owner = match ray.owner as usize {
            variable if variable < tableau.variables => Owner::Variable(variable),
            row => tableau.label(row).map_or(Owner::Cut, |label| Owner::Row(RowId(label))),
        };
        (owner, tableau.arena.vector(ray.vector)[1..].iter().map(N::to_big).collect())
    };
    Certificate { point: lowest_terms(tableau.point()), rays: tableau.rays.iter().map(ray).collect() }
}
