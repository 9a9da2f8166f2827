//! A region with a layout, as data: what its statements and arrays are to the region without.

use super::sizes::SizeBound;
use crate::check::layout::{LayoutError, PartialResults, check_layout, joined};
use crate::codegen::Expr;
use crate::scop::{Scop, StatementId};
use std::collections::BTreeSet;

/// A region with a layout.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The region: its statements in their old order with their old numbers, then the copies; its arrays likewise, then
    /// the new ones.
    pub scop: Scop,
    /// Where the arrays of the layout are now, in the order of its maps, then of its redistributions and expansions.
    pub placed: Vec<Placed>,
    /// The copies, in the order of the region's last statements.
    pub copies: Vec<Copied>,
    /// The reductions with partial results; their statements come behind the copies.
    pub reduced: Vec<Reduced>,
    /// What is to be proved of these.
    pub claims: Vec<PartialResults>,
    /// Statements that are parts of old ones, behind these.
    pub parts: Vec<PartOf>,
    /// The sizes that it is for: it computes what the region does for these alone.
    pub sizes: Vec<SizeBound>,
}

/// The statements of a reduction with partial results.
#[derive(Debug, Clone)]
pub struct Reduced {
    /// The statement that gathers values. Its instances have other iterators than in the region.
    pub update: StatementId,
    /// Those that it had: expressions over those that it has.
    pub former: Vec<Expr>,
    /// Writes neutral elements; its first iterator is the partial result.
    pub neutral: StatementId,
    /// Gathers partial results, with the same iterators.
    pub combine: StatementId,
    /// The subscripts of the element that is gathered, where the program has it: expressions over the iterators of `neutral`
    /// and `combine`.
    pub element: Vec<Expr>,
    /// The subscripts of a partial result, likewise.
    pub partial: Vec<Expr>,
    /// Where partial results are, by its position in [`Applied::placed`].
    pub placed: usize,
}

/// A statement that has some of the instances of an old one, which keeps the others.
#[derive(Debug, Clone, Copy)]
pub struct PartOf {
    /// The statement of the new region.
    pub statement: StatementId,
    /// The one of which it is a part.
    pub of: StatementId,
    /// So many iterations of the outermost loop keep operands at a time.
    pub iterations: i64,
}

/// The new place of an array.
#[derive(Debug, Clone)]
pub struct Placed {
    /// The array, by its position.
    pub array: usize,
    /// The array that its elements are in, by its position in the new region.
    pub field: usize,
    /// The first subscripts there are the values of these of an instance's iterators: those that it has in the old region.
    pub loops: Vec<usize>,
    /// The first one is an iterator that an update has in the new region: the number of its partial result.
    pub part: Option<usize>,
    /// Those that copies have in the place of these: expressions over the old subscripts and parameters.
    pub last_iteration: Vec<Expr>,
    /// The other subscripts there: expressions over the old ones ([`Expr::Iterator`] number `k`) and parameters.
    pub address: Vec<Expr>,
    /// The statements that access the array there; `None`: all that access it.
    pub statements: Option<BTreeSet<StatementId>>,
    /// Of these, the reads with these subscripts, which are expressions over iterators and parameters; `None`: all accesses.
    pub subscripts: Option<Vec<Expr>>,
}

/// A statement that copies elements of an array, with their old subscripts as its instance vector.
#[derive(Debug, Clone)]
pub struct Copied {
    /// The statement of the new region.
    pub statement: StatementId,
    /// The array, by its position.
    pub array: usize,
    /// Where it is copied from, by its position in [`Applied::placed`]; `None`: where the program has the array.
    pub from: Option<usize>,
    /// Where it is copied to, likewise.
    pub to: Option<usize>,
}

impl Applied {
    /// What a statement is a part of, and for how many iterations that keeps operands; `None` for one that is whole.
    pub fn part_of(&self, name: &str) -> Option<(StatementId, i64)> {
        let is_it = |id: StatementId| self.scop.statement(id).name == name;
        let part = self.parts.iter().find(|part| is_it(part.statement) || is_it(part.of))?;
        Some((part.of, part.iterations))
    }

    /// Proves that it computes what the region without the layout does.
    ///
    /// # Errors
    /// As [`check_layout`].
    pub fn check(&self, before: &Scop) -> Result<(), LayoutError> {
        check_layout(before, &self.whole()?, &self.claims)
    }

    /// The region with statements that are whole.
    ///
    /// # Errors
    /// Parts that are none; failures of isl.
    pub fn whole(&self) -> Result<Scop, LayoutError> {
        let name = |id| self.scop.statement(id).name.clone();
        let parts: Vec<_> = self.parts.iter().map(|part| (name(part.statement), name(part.of))).collect();
        joined(&self.scop, &parts)
    }
}
