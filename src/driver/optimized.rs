//! What an optimized region is.

use super::candidate::Candidate;
use super::phases::Phases;
use super::prediction::Prediction;
use super::step_down::StepDown;
use super::unprofitable::Unprofitable;
use crate::codegen::Ast;
use crate::isl::Schedule;
use crate::layout::SizeCondition;
use crate::schedule_tree::Statistics;

/// What [`super::optimize`] found, with trees of some form.
#[derive(Debug, Clone)]
pub struct Optimized<Tree = Schedule> {
    /// The final tree, tiles and marks included.
    pub tree: Tree,
    /// The code for it.
    pub ast: Ast,
    /// The code is expected to be better than that of the region as it is for sizes for which all of these hold.
    pub pays_where: Vec<SizeCondition>,
    /// What the tree has: bands, members, coincident members, tiles, parallel loops.
    pub statistics: Statistics,
    /// What the tree seems to cost, in the units of [`crate::cost::cost`]; 0 for a loaded tree.
    pub cost: u64,
    /// The candidate that was taken. As [`super::Options::candidate`] it finds the same tree again, with otherwise the
    /// same options, unless it took a second mode of dependences to find it, or most of the budget.
    pub candidate: Candidate,
    /// All candidates that were realized, best first, whether or not the checker would accept them, with their costs in
    /// the units of [`crate::cost::cost`].
    pub considered: Vec<(Candidate, u64)>,
    /// The orders of these, without tiles, each once.
    pub schedules: Vec<Tree>,
    /// The code is that of the original order: there is nothing to rewrite.
    pub same_as_original: bool,
    /// Why, if it is, unless the tree was loaded.
    pub unprofitable: Option<Unprofitable>,
    /// Some loop could run in parallel, but has too little work to pay for starting threads.
    pub too_little_work: bool,
    /// What the change is expected to bring. Unknown for a loaded tree and for code that stays as it is.
    pub prediction: Option<Prediction>,
    /// What was done with less than was wanted, in the order of the steps.
    pub stepped_down: Vec<StepDown>,
    /// How long each step took.
    pub phases: Phases,
}

impl<Tree> Optimized<Tree> {
    /// The same with trees of another form, as nobody has waited for it; `None` where one of them has none.
    pub(super) fn with_trees<Other>(&self, form: impl Fn(&Tree) -> Option<Other>) -> Option<Optimized<Other>> {
        Some(Optimized {
            tree: form(&self.tree)?,
            ast: self.ast.clone(),
            pays_where: self.pays_where.clone(),
            statistics: self.statistics,
            cost: self.cost,
            candidate: self.candidate.clone(),
            considered: self.considered.clone(),
            schedules: self.schedules.iter().map(form).collect::<Option<_>>()?,
            same_as_original: self.same_as_original,
            unprofitable: self.unprofitable.clone(),
            too_little_work: self.too_little_work,
            prediction: self.prediction,
            stepped_down: self.stepped_down.clone(),
            phases: Phases::default(),
        })
    }
}
