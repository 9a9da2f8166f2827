//! The body of a kernel with barriers, as loops over the threads of one block.
//!
//! What stands between two barriers is a loop over all threads; loops and conditions with a barrier in them stay
//! around such loops, since all threads go through them together. A value that is needed behind a barrier is computed
//! again there, as nothing keeps one for each thread.

use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, BlockRef, OperationRef, Region, Value, ValueLike};

use super::numbers::{Direction, all_numbers};
use super::private::Private;
use crate::mlir::ir::operation::{arguments, blocks, contains, is, name, nested, operands, operations, regions};
use crate::mlir::ir::value::{argument, defining};
use crate::mlir::ir::{Builder, ValueMap, captures};

/// What all threads of a block wait at.
pub const BARRIER: &str = "gpu.barrier";

/// Whether there is a barrier in an operation, or it is one.
pub fn has_barrier(operation: OperationRef<'_, '_>) -> bool {
    nested(operation).into_iter().any(|inner| is(inner, BARRIER))
}

/// A kernel that is written as loops.
#[derive(Clone, Copy)]
pub struct Phases<'c, 'a, 's> {
    /// The `gpu.launch`.
    pub launch: OperationRef<'c, 'a>,
    /// How many threads a block has along x, y and z.
    pub threads: &'s [Value<'c, 'a>],
    /// The numbers of a thread, in the kernel.
    pub numbers: &'s [Value<'c, 'a>],
    /// The memory that each thread has for itself.
    pub private: &'s [Private<'c, 'a>],
    pub direction: Direction,
}

impl<'c, 'a> Phases<'c, 'a, '_> {
    /// Writes a block of the kernel's code for all threads, with what is known to be the same for all of them.
    ///
    /// # Errors
    /// A barrier that some threads may not come to, or a value behind a barrier that cannot be computed again.
    pub fn write(self, code: BlockRef<'c, 'a>, map: &mut ValueMap<'c, 'a>, at: Builder<'c, 'a>) -> Result<(), String> {
        let all = operations(code);
        let Some((_, all)) = all.split_last() else { return Ok(()) };
        for part in all.chunk_by(|left, right| !has_barrier(*left) && !has_barrier(*right)) {
            match part {
                [one] if is(*one, BARRIER) => {}
                [one] if has_barrier(*one) => self.around(*one, map, at)?,
                _ => self.between(part, map, at)?,
            }
        }
        Ok(())
    }

    /// Loops over all threads around what stands between two barriers.
    fn between(self, part: &[OperationRef<'c, 'a>], map: &ValueMap<'c, 'a>, at: Builder<'c, 'a>) -> Result<(), String> {
        // Who needs these values computes them.
        if part.iter().all(|operation| is_pure(*operation)) {
            return Ok(());
        }
        let mut own = map.inner();
        let mut body = at;
        for axis in [2, 1, 0] {
            let (inner, number) =
                all_numbers(body, self.threads[axis], self.direction).map_err(|error| error.to_string())?;
            own.insert(self.numbers[axis], number);
            body = inner;
        }
        for one in self.private {
            one.provide(self.numbers, &mut own, body)?;
        }
        let behind =
            |maker: &str| format!("what '{maker}' gives is used behind a barrier, which cannot run on the CPU");
        for operation in part {
            for value in operands(*operation).into_iter().chain(captures(*operation)) {
                self.provide(value, &mut own, body).map_err(|maker| behind(&maker))?;
            }
            own.clone_at(*operation, body);
        }
        Ok(())
    }

    /// A loop or a condition that all threads of the block go through together.
    fn around(
        self,
        operation: OperationRef<'c, 'a>,
        map: &mut ValueMap<'c, 'a>,
        at: Builder<'c, 'a>,
    ) -> Result<(), String> {
        let kind = name(operation);
        if !["scf.for", "scf.if"].contains(&&*kind) {
            return Err(format!("a barrier in '{kind}' cannot run on the CPU"));
        }
        // Beside its bounds a loop has the values that it starts with.
        if operation.result_count() > 0 {
            return Err(format!("a barrier in '{kind}' with results cannot run on the CPU"));
        }
        let apart = |maker: &str| match maker {
            THREAD => format!("a barrier in '{kind}' that not all threads go through alike cannot run on the CPU"),
            _ => format!("a barrier in '{kind}' that depends on what '{maker}' gives cannot run on the CPU"),
        };
        for value in operands(operation) {
            self.provide(value, map, at).map_err(|maker| apart(&maker))?;
        }
        let mut inside = Vec::new();
        for region in regions(operation) {
            inside.push(match blocks(region)[..] {
                [] => Region::new(),
                [code] => self.region(code, &mut map.inner(), at)?,
                _ => return Err(format!("a barrier in '{kind}' of several blocks cannot run on the CPU")),
            });
        }
        let operands: Vec<_> = operands(operation).into_iter().map(|value| map.get(value)).collect();
        at.build_with(&kind, &operands, &[], &[], inside).map_err(|error| error.to_string())?;
        Ok(())
    }

    /// The region of a loop or a condition, with the same arguments.
    fn region(
        self,
        code: BlockRef<'c, 'a>,
        map: &mut ValueMap<'c, 'a>,
        at: Builder<'c, 'a>,
    ) -> Result<Region<'c>, String> {
        let before = arguments(code);
        let kinds: Vec<_> = before.iter().map(|value| (value.r#type(), at.location())).collect();
        let (region, body) = at.region(&kinds);
        for (before, after) in before.into_iter().zip(arguments(body.block())) {
            map.insert(before, after);
        }
        self.write(code, map, body)?;
        body.build("scf.yield", &[], &[], &[]).map_err(|error| error.to_string())?;
        Ok(region)
    }

    /// Sees to it that the map has a value where operations are added: one of the kernel's that the map lacks is
    /// computed again. If that cannot be, the error says what makes it.
    fn provide(self, value: Value<'c, 'a>, map: &mut ValueMap<'c, 'a>, at: Builder<'c, 'a>) -> Result<(), String> {
        if map.contains(value) {
            return Ok(());
        }
        let Some((maker, _)) = defining(value) else {
            let owner = argument(value).and_then(|(block, _)| block.parent_operation());
            let own = owner.is_some_and(|owner| contains(self.launch, owner));
            return if own { Err(THREAD.to_owned()) } else { Ok(()) };
        };
        if !contains(self.launch, maker) {
            return Ok(());
        }
        if !is_pure(maker) {
            return Err(name(maker));
        }
        for operand in operands(maker) {
            self.provide(operand, map, at)?;
        }
        map.clone_at(maker, at);
        Ok(())
    }
}

/// What makes the number of a thread.
const THREAD: &str = "gpu.thread_id";

/// Whether an operation gives the same whenever it runs, and does nothing else.
fn is_pure(operation: OperationRef<'_, '_>) -> bool {
    let name = name(operation);
    let dialect = name.split('.').next().unwrap_or_default();
    ["arith", "math"].contains(&dialect) || name == "memref.dim"
}
