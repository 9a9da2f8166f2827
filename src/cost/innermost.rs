//! The member of a band that suits the innermost place best (unified report, section 2.3, formula 2).
//!
//! For a member with `s` accesses that it moves along a row, `l` that it leaves in place and `o` others, summed over
//! the `n` statements that it is a loop for, where a walk through structures counts as neither:
//!
//! `n * (2 s + 4 l - 16 o + 8 v - 8 latency * c)`
//!
//! `v` is 1 where the loop makes vectors, and `c`, which the report does not have, counts the operations that lead from
//! one iteration to the next, where each updates the same elements again, or reads the neighbour that the one before
//! has written.

use super::step::{Locality, Loops, Step, role, step_locality, wait};
use crate::isl::{Result, ScheduleNode, UnionPwAff};
use crate::machine::Machine;
use crate::schedule_tree::band::{Band, leaves_below, point_members_above};
use crate::scop::{AccessKind, Scop, Statement};

/// What makes a member the innermost one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formula {
    /// Formula (2) as the unified report has it: memory alone.
    Memory,
    /// The same, but a loop along which an operation waits for the one before is worth less.
    Latency {
        /// The operations that could have been done meanwhile.
        operations: u32,
        /// Neighbours that the iteration before has written are waited for, as what is updated is.
        neighbours: bool,
    },
}

impl Formula {
    /// Memory and the latency of a machine.
    pub fn of(machine: &Machine) -> Formula {
        Formula::Latency { operations: machine.latency, neighbours: false }
    }

    /// The same with neighbours.
    pub fn with_neighbours(machine: &Machine) -> Formula {
        Formula::Latency { operations: machine.latency, neighbours: true }
    }
}

/// What suits the innermost place of a band.
pub(crate) struct Innermost {
    /// The member.
    pub member: usize,
    /// Every access stays or walks along a row.
    pub is_along_rows: bool,
    /// The members that leave in place what is updated.
    pub updating: Vec<usize>,
    /// The members along which iterations wait for the one before, as they read what it has written; with
    /// [`Formula::with_neighbours`] alone.
    pub waiting: Vec<usize>,
    /// All members, from the one that suits it best to the one that suits it least.
    pub ranking: Vec<usize>,
}

/// The member with the greatest value of the formula; of equals a coincident one, which makes vectors (Pluto paper,
/// section 5.4), of those the one along which more is written along rows, as lines that are written are read as well, and of
/// those the innermost. Measured: tiles of 32 by 32 doubles that are transposed take a third to a seventh of the time in the
/// order in which they are written, as long as in squares of vectors that are transposed in registers.
pub(crate) fn best_innermost(scop: &Scop, node: &ScheduleNode, band: &Band, formula: Formula) -> Result<Innermost> {
    let mut scores = vec![Score::default(); band.members.len()];
    let above = point_members_above(node)?;
    for (leaf, below) in leaves_below(node)? {
        for statement in &scop.statements {
            let domain = statement.domain.clone().to_union_set()?.intersect(leaf.clone())?;
            if domain.is_empty()? {
                continue;
            }
            // Only equalities matter for strides.
            let domain = domain.affine_hull()?;
            let all: Vec<UnionPwAff> = above.iter().chain(&band.members).chain(&below).cloned().collect();
            let all = Loops::new(&domain, &all)?;
            for (j, score) in scores.iter_mut().enumerate() {
                if let Some(step) = all.step(above.len() + j)? {
                    score.add(scop, statement, &step, formula)?;
                }
            }
        }
    }
    let values: Vec<i64> = scores.iter().map(|score| score.value(formula)).collect();
    let mut ranking: Vec<usize> = (0..values.len()).collect();
    ranking.sort_by_key(|i| std::cmp::Reverse((values[*i], band.coincident[*i], scores[*i].written, *i)));
    let member = ranking.first().copied().unwrap_or(0);
    let updating = (0..values.len()).filter(|i| scores[*i].recurrences > 0).collect();
    let waiting = (0..values.len()).filter(|i| scores[*i].waits > 0).collect();
    Ok(Innermost { member, is_along_rows: scores[member].neither == 0, updating, waiting, ranking })
}

/// The sums of the formula for one member.
#[derive(Debug, Clone, Default)]
struct Score {
    statements: i64,
    spatial: i64,
    /// Of those, the ones that write.
    written: i64,
    temporal: i64,
    neither: i64,
    /// Written elements that the next iteration updates again: a recurrence of operations that wait for each other.
    recurrences: i64,
    /// Operations in recurrences through neighbours.
    waits: i64,
}

/// What a recurrence of updates costs in the formula, which does not know of it: without leave to reassociate,
/// iterations that update one element run at the latency of an operation, one at a time, while those of any other loop
/// overlap or make vectors. Each operation that could have been done meanwhile counts as much as a vector gains. With a
/// latency of 4 the 32 outweigh an access without locality along the other loop.
fn recurrence(formula: Formula) -> i64 {
    match formula {
        Formula::Memory => 0,
        Formula::Latency { operations, .. } => VECTOR * i64::from(operations),
    }
}

/// What a loop that makes vectors gains in the formula.
const VECTOR: i64 = 8;

impl Score {
    /// `n_s * (sum (2 s + 4 l - 16 o) + 8 v - recurrence c)`, the last term our own.
    fn value(&self, formula: Formula) -> i64 {
        let recurrences = if formula == Formula::Memory { 0 } else { self.recurrences + self.waits };
        let vector = i64::from(self.neither == 0 && recurrences == 0);
        let accesses = 2 * self.spatial + 4 * self.temporal - 16 * self.neither;
        self.statements * (accesses + VECTOR * vector - recurrence(formula) * recurrences)
    }

    /// Adds a statement for which the member is a loop.
    fn add(&mut self, scop: &Scop, statement: &Statement, step: &Step, formula: Formula) -> Result<()> {
        self.statements += 1;
        if matches!(formula, Formula::Latency { neighbours: true, .. }) {
            self.waits += wait(statement, step)?.map_or(0, i64::from);
        }
        for access in statement.accesses.iter().filter(|a| a.kind != AccessKind::Kill) {
            match step_locality(scop.array_of(access)?, access, step)? {
                Some(Locality::Temporal) => {
                    self.temporal += 1;
                    self.recurrences += i64::from(role(statement, access)?.is_update());
                }
                Some(Locality::Spatial) => {
                    self.spatial += 1;
                    self.written += i64::from(access.kind.is_write());
                }
                Some(Locality::None) => self.neither += 1,
                Some(Locality::Strided(_)) | None => {}
            }
        }
        Ok(())
    }
}
