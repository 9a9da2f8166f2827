//! What a run leaves behind.

use super::fault::Fault;
use super::trace::InstanceId;

/// A value: `None` is undefined.
pub(super) type Value = Option<u64>;

/// What a run leaves behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The final value of every element.
    pub(super) memory: Vec<Value>,
    /// How often each instance was run.
    pub(super) count: Vec<usize>,
    /// What each instance read, as a hash, in the order in which they were run.
    pub(super) reads: Vec<(InstanceId, Value)>,
    /// What is wrong in kernels, in this order.
    pub(super) faults: Vec<Fault>,
}
