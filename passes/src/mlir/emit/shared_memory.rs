//! The shared memory of the kernel that is being emitted.

use std::collections::BTreeMap;

use melior::ir::Value;
use polyrs_core::codegen::{Expr, IteratorId, Kernel, SharedTile};

use super::error::EmitError;

/// The shared memory of a kernel.
#[derive(Default)]
pub struct SharedMemory<'c, 'a> {
    /// There is a kernel around.
    pub(super) in_kernel: bool,
    /// The threads of a block: how many there are, and the number of each.
    pub(super) threads: (i64, Vec<(IteratorId, i64)>),
    /// The places of tiles, by their numbers.
    pub(super) buffers: BTreeMap<usize, Value<'c, 'a>>,
    /// Nothing is overwritten: tiles are copied once.
    pub(super) is_once: bool,
    /// The tiles around.
    pub(super) open: Vec<SharedTile>,
}

impl SharedMemory<'_, '_> {
    /// That of a kernel, without the places yet.
    pub(super) fn of_kernel(kernel: &Kernel) -> Self {
        let sizes: Option<Vec<_>> = kernel.threads.iter().map(|axis| Some((axis.iterator, axis.most?))).collect();
        let axes = sizes.unwrap_or_default();
        let all = axes.iter().map(|(_, size)| size).product();
        Self { in_kernel: true, threads: (all, axes), is_once: kernel.copies_once(), ..Self::default() }
    }

    /// The number of the thread at hand in its block, x fastest.
    pub(super) fn thread(&self) -> Result<Expr, EmitError> {
        let mut number = Expr::Const(0);
        for (axis, size) in &self.threads.1 {
            number = number.times(*size)?.plus(&Expr::Iterator(*axis))?;
        }
        Ok(number)
    }
}
