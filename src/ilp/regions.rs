//! Solutions that are not zero where they must not be (ppcg report, 6.5.7).
//!
//! Each level of the search belongs to a region that came out trivial, and has a snapshot of the solver. The levels are
//! a list, not calls.

use super::pivot::Status;
use super::{Budget, Outcome, Point, RowId, Solver};
use num_bigint::BigInt;

/// Linear forms over the variables, without constants, of which at least one must not be zero. A region without forms
/// asks for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NonTrivialRegion {
    /// Each form as `(variable, coefficient)`, in ascending order of variable.
    pub forms: Vec<Vec<(usize, i64)>>,
}

impl NonTrivialRegion {
    /// The forms `matrix · (x_first, x_first+1, …)`.
    pub fn from_matrix(first: usize, matrix: &[Vec<i64>]) -> NonTrivialRegion {
        let sparse = |row: &Vec<i64>| {
            row.iter().enumerate().filter(|(_, a)| **a != 0).map(|(i, &a)| (first + i, a)).collect::<Vec<_>>()
        };
        NonTrivialRegion { forms: matrix.iter().map(sparse).collect() }
    }

    fn is_trivial(&self, solver: &Solver) -> bool {
        !self.forms.is_empty() && self.forms.iter().all(|form| solver.form_is_zero(form))
    }
}

/// One trivial region and how far its cases are done.
struct Level {
    region: usize,
    /// Case `2k` makes form `k` positive, case `2k + 1` negative, both with the forms before `k` zero.
    next_case: usize,
    /// A solution was found since the last case: the next ones must be better.
    improve: bool,
    /// So many leading objectives were forced to zero here.
    zeroed: usize,
}

/// What follows after a case was solved.
enum Next {
    /// Split on this region.
    Split(usize),
    /// Leave the case.
    Backtrack,
    /// End the search.
    End,
}

/// What is asked of further solutions after one was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Improve {
    /// The first of the leading variables that is not zero, and all before, are zero (ppcg report, 6.5.7). A solution
    /// whose leading variables are all zero ends the search.
    LeadingZero,
    /// The leading variables are lexicographically less. After so many further cases the best solution so far will do.
    Lexicographic(usize),
    /// Nothing: the first solution ends the search.
    First,
}

struct Search<'a> {
    solver: &'a mut Solver,
    regions: &'a [NonTrivialRegion],
    significant: usize,
    improve: Improve,
    /// Cases looked at after the first solution.
    further: usize,
    levels: Vec<Level>,
    best: Option<Point>,
    on_conflict: &'a mut dyn FnMut(&[RowId]),
}

impl Solver {
    /// An integer point on which no region is zero, as section 6.5.7 of the ppcg report searches it: the cases of a
    /// trivial region are tried in order, each with its lexicographic minimum, and after a solution was found, the next
    /// must improve on its `significant` leading variables. The last solution found is the answer.
    ///
    /// Calls `on_conflict` with [`Solver::conflict`] for each case without a solution. Leaves the solver as it was.
    pub fn non_trivial_lexmin(
        &mut self,
        regions: &[NonTrivialRegion],
        significant: usize,
        improve: Improve,
        budget: &mut Budget,
        on_conflict: &mut dyn FnMut(&[RowId]),
    ) -> Outcome<Point> {
        self.push();
        let significant = significant.min(self.variables());
        let (levels, best) = (Vec::new(), None);
        let mut search = Search { solver: self, regions, significant, improve, further: 0, levels, best, on_conflict };
        let finished = search.run(budget);
        let (levels, best) = (search.levels.len(), search.best);
        for _ in 0..=levels {
            self.pop();
        }
        match (finished, best) {
            (false, _) => Outcome::Budget,
            (true, Some(point)) => Outcome::Optimal(point),
            (true, None) => Outcome::Infeasible,
        }
    }
}

impl Search<'_> {
    /// False: the budget is spent. Each level that is left has a snapshot.
    fn run(&mut self, budget: &mut Budget) -> bool {
        loop {
            match self.enter(budget) {
                None => return false,
                Some(Next::End) => return true,
                Some(Next::Split(region)) => {
                    self.levels.push(Level { region, next_case: 0, improve: false, zeroed: 0 });
                }
                Some(Next::Backtrack) => {
                    if self.levels.is_empty() {
                        return true;
                    }
                    self.solver.pop();
                }
            }
            // The last level has no snapshot now; it gets one, or it goes.
            loop {
                match self.next_case(budget) {
                    None => {
                        self.solver.push();
                        return false;
                    }
                    Some(true) => break,
                    Some(false) => {
                        self.levels.pop();
                        if self.levels.is_empty() {
                            return true;
                        }
                        self.solver.pop();
                    }
                }
            }
        }
    }

    /// Solves the current case and looks at the solution. None: the budget is spent.
    fn enter(&mut self, budget: &mut Budget) -> Option<Next> {
        match self.solver.solve(true, budget) {
            Status::Budget => return None,
            Status::Infeasible => {
                (self.on_conflict)(&self.solver.conflict());
                return Some(Next::Backtrack);
            }
            Status::Optimal => {}
        }
        if let (Improve::Lexicographic(most), Some(best)) = (self.improve, &self.best) {
            self.further += 1;
            if self.further > most {
                return Some(Next::End);
            }
            // More constraints make nothing better.
            if self.solver.point().numerators[..self.significant] >= best.numerators[..self.significant] {
                return Some(Next::Backtrack);
            }
        }
        if let Some(region) = self.regions.iter().position(|region| region.is_trivial(self.solver)) {
            return Some(Next::Split(region));
        }
        let point = self.solver.point();
        let end = match self.improve {
            Improve::First => true,
            Improve::Lexicographic(_) => self.levels.is_empty(),
            Improve::LeadingZero => point.numerators[..self.significant].iter().all(|x| *x == BigInt::ZERO),
        };
        self.best = Some(point);
        if self.improve == Improve::LeadingZero {
            self.levels.iter_mut().for_each(|level| level.improve = true);
        }
        Some(if end { Next::End } else { Next::Backtrack })
    }

    /// Adds the constraints of the next case of the last level, behind a snapshot of what holds for the later cases
    /// too. Some(false): there are no more cases. None: the budget is spent.
    fn next_case(&mut self, budget: &mut Budget) -> Option<bool> {
        let Some(level) = self.levels.last_mut() else { return Some(false) };
        let forms = &self.regions[level.region].forms;
        let (form, negative) = (level.next_case / 2, level.next_case % 2 == 1);
        if form >= forms.len() {
            return Some(false);
        }
        let mut changed = false;
        if std::mem::take(&mut level.improve) {
            let best = self.best.as_ref().expect("levels are improved after a solution");
            let Some(last) = (level.zeroed..self.significant).find(|&i| best.numerators[i] != BigInt::ZERO) else {
                return Some(false);
            };
            for objective in level.zeroed..=last {
                self.solver.add_eq_sparse(0, &[(objective, 1)]);
            }
            level.zeroed = last + 1;
            changed = true;
        }
        if !negative && form > 0 {
            self.solver.add_eq_sparse(0, &forms[form - 1]);
            changed = true;
        }
        level.next_case += 1;
        if changed {
            match self.solver.solve(false, budget) {
                Status::Budget => return None,
                Status::Infeasible => {
                    (self.on_conflict)(&self.solver.conflict());
                    return Some(false);
                }
                Status::Optimal => {}
            }
        }
        self.solver.push();
        let sign = if negative { -1 } else { 1 };
        let terms: Vec<(usize, i64)> = forms[form].iter().map(|&(i, a)| (i, sign * a)).collect();
        self.solver.add_ge_sparse(-1, &terms);
        Some(true)
    }
}
