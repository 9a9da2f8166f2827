//! What is run in which order, and what is left unordered.

use crate::scop::StatementId;

/// An instance of the interpreter: its position among all instances.
pub(super) type InstanceId = usize;

/// A part of a run.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// One instance.
    Instance(InstanceId),
    /// One after the other.
    Sequence(Vec<Step>),
    /// In any order and at the same time.
    Unordered {
        /// The parts.
        children: Vec<Step>,
        /// The positions of the arrays of which each part has its own copy.
        private: Vec<usize>,
    },
}

/// A run with its freedom: made by [`super::Interpreter::original`], [`super::Interpreter::tree`] or
/// [`super::Interpreter::ast`].
#[derive(Debug, Clone)]
pub struct Trace {
    pub(super) root: Step,
    /// Instances that the region does not have.
    pub(super) foreign: Vec<(StatementId, Vec<i64>)>,
}
