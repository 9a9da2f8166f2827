//! The costs of single operations, accesses and starts on a machine.

use super::reuse::Fresh;
use super::step::{Locality, Role};
use super::width::Width;
use crate::machine::Machine;
use crate::scop::Array;

/// The costs of what a statement does, in 64ths of a scalar operation: a vector of bytes is the shortest time of any.
pub(super) struct OperationCosts {
    /// An operation, alone or for one element of a vector that is gathered.
    scalar: u64,
    /// An operation's share in a vector of the statement's elements.
    vector: u64,
    /// An operation that the next one waits for.
    recurrence: u64,
    /// An innermost loop begins and ends.
    start: u64,
    /// A line from memory.
    line: u64,
    /// The wait for the first line of a row.
    row: u64,
    /// A line of memory that was just allocated.
    fresh_line: u64,
    /// The size of a line.
    line_bytes: u32,
}

impl OperationCosts {
    /// The largest elements of a statement, of those in the arrays that it uses, say how many a vector holds. 16 for a
    /// vector operation on doubles of 256 bits, 8 of 512.
    pub fn new<'a>(machine: &Machine, arrays: impl Iterator<Item = &'a Array>) -> OperationCosts {
        const OPERATION: u64 = 64;
        let widest = arrays.map(|array| array.element.bytes()).max().unwrap_or(1);
        OperationCosts {
            scalar: OPERATION,
            vector: (OPERATION / u64::from(machine.lanes(widest))).max(1),
            recurrence: OPERATION * u64::from(machine.latency),
            start: OPERATION * u64::from(machine.loop_start),
            line: OPERATION * u64::from(machine.line_cost),
            row: OPERATION * u64::from(machine.row_start),
            fresh_line: OPERATION * u64::from(machine.fresh_line),
            line_bytes: machine.line_bytes,
        }
    }

    /// The operation itself.
    pub fn operation(&self, width: Width) -> u64 {
        match width {
            Width::Scalar => self.scalar,
            Width::Vector => self.vector,
        }
    }

    /// An instance's share of the start of an innermost loop that runs at most so many times.
    pub fn start(&self, trips: u64) -> u64 {
        self.start / trips.max(1)
    }

    /// An instance's share of the wait for a row's first line, if it reads at most so many of its elements.
    pub fn row(&self, trips: u64) -> u64 {
        self.row / trips.max(1)
    }

    /// An instance's share of the start of a parallel loop over so many, on all cores.
    pub fn threads(&self, machine: &Machine, instances: u64) -> u64 {
        let start = machine.parallel_start.saturating_mul(self.scalar).saturating_mul(machine.cores.into());
        start / instances.max(1)
    }

    /// So many operations that each iteration waits for.
    pub fn wait(&self, delay: u32) -> u64 {
        self.recurrence.saturating_mul(delay.into())
    }

    /// An access that the innermost loop moves like this.
    pub fn access(&self, locality: Locality, role: Role, width: Width) -> u64 {
        match (locality, role) {
            (Locality::Temporal, Role::Update { delay }) if width == Width::Scalar => self.wait(delay),
            (Locality::Temporal, _) => 0,
            (Locality::Spatial, _) => self.vector,
            // As many vectors, from which the elements are picked.
            (Locality::Strided(step), _) => self.scalar.min(self.vector.saturating_mul(step.into())),
            (Locality::None, _) => self.scalar,
        }
    }

    /// An element of a column, where squares of vectors of rows are transposed: a load, and a shuffle for each bit of the numbers of
    /// lanes.
    pub fn transposed(&self) -> u64 {
        let lanes = (self.scalar / self.vector).max(1);
        self.scalar.min(self.vector.saturating_mul(1 + u64::from(lanes.ilog2())))
    }

    /// An element from memory: its share of a line, or all of it for an access that walks along no row. Through
    /// structures it is the share of all that is in one, for as many accesses as use it.
    pub fn memory(&self, array: &Array, locality: Option<Locality>, sharing: u32) -> u64 {
        let share = self.line * u64::from(array.element.bytes().min(self.line_bytes)) / u64::from(self.line_bytes);
        match locality {
            // Whatever cache has it, nothing has fetched it ahead.
            Some(Locality::None) => self.line.max(2 * self.scalar),
            Some(Locality::Strided(step)) => {
                let structure = share.saturating_mul(step.into()).min(self.line);
                (structure / u64::from(sharing.clamp(1, step))).max(share)
            }
            _ => share,
        }
    }

    /// An element of memory that was just allocated: its share of a line's; on average of all instances.
    pub fn fresh(&self, fresh: &Fresh<'_>) -> u64 {
        let element = u64::from(fresh.array.element.bytes().min(self.line_bytes));
        let each = self.fresh_line * element / u64::from(self.line_bytes);
        let all = u128::from(each) * u128::from(fresh.elements) / u128::from(fresh.instances.max(1));
        u64::try_from(all).unwrap_or(u64::MAX)
    }
}
