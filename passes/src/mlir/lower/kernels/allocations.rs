//! Memory that there is none of, where kernels run on the CPU for tests.
//!
//! Where a device has no memory for a buffer, the runtime does nothing more, and the code for the CPU takes over
//! (docs/gpu.md, "Failure"). Here it is the same:
//!
//!     %a = memref.alloc; %b = memref.alloc; %there = ...; scf.if %there { copies, kernels }; free; yield %there

use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationMutLike, OperationRefMut};
use melior::ir::r#type::IntegerType;
use melior::ir::{BlockLike, OperationRef, Region, Value};

use super::KernelRegion;
use crate::mlir::ir::operation::{erase, is, only_block, operands, operations};
use crate::mlir::ir::value::defining;
use crate::mlir::ir::{Builder, ValueMap};

/// That two numbers are not the same.
const DIFFERENT: i64 = 1;

impl<'c, 'a> KernelRegion<'c, 'a> {
    /// Has what comes behind the last of its device's buffers run where there is memory for them; `made` are those of the
    /// function.
    ///
    /// # Errors
    /// MLIR refuses to build something.
    pub fn run_where_there_is_memory(self, context: &'c Context, made: &[Value<'c, 'a>]) -> Result<(), melior::Error> {
        let Some(block) = only_block(self.scope, 0) else { return Ok(()) };
        let all = operations(block);
        let place = |buffer: &Value<'c, 'a>| {
            let (maker, _) = defining(*buffer)?;
            all.iter().position(|operation| *operation == maker)
        };
        let own: Vec<_> = made.iter().copied().filter(|buffer| place(buffer).is_some()).collect();
        let (first, last) = (own.iter().filter_map(place).min(), own.iter().filter_map(place).max());
        let (Some((first, last)), Some(end)) = (first.zip(last), block.terminator()) else { return Ok(()) };
        let Some(at) = Builder::before(context, end) else { return Ok(()) };
        let there = all_there(own, at)?;
        let (branch, inside) = at.region(&[]);
        at.build_with("scf.if", &[there], &[], &[], vec![branch, Region::new()])?;
        // What was copied in between goes behind all of them.
        let (between, behind) = (&all[first..=last], &all[last + 1..]);
        let copies = between.iter().filter(|operation| is(**operation, "memref.copy"));
        let is_free = |operation: &OperationRef<'c, 'a>| {
            is(*operation, "memref.dealloc")
                && operands(*operation).iter().all(|buffer| place(buffer).is_none_or(|made| made <= last))
        };
        let others = behind.iter().filter(|operation| **operation != end && !is_free(operation));
        let moved: Vec<_> = copies.chain(others).copied().collect();
        let mut values = ValueMap::new();
        for &operation in &moved {
            values.clone_at(operation, inside);
        }
        inside.build("scf.yield", &[], &[], &[])?;
        for free in behind.iter().filter(|operation| is_free(operation)) {
            values.clone_at(*free, at);
            // SAFETY: it has no results.
            unsafe { erase(*free) }
        }
        // SAFETY: the terminator is alive, and no other reference changes it meanwhile.
        unsafe { OperationRefMut::from_raw(end.to_raw()) }.set_operand(0, there);
        for operation in moved.into_iter().rev() {
            // SAFETY: what used its results came after it, and is gone.
            unsafe { erase(operation) }
        }
        Ok(())
    }
}

/// Whether there is memory for all of some buffers.
fn all_there<'c, 'a>(buffers: Vec<Value<'c, 'a>>, at: Builder<'c, 'a>) -> Result<Value<'c, 'a>, melior::Error> {
    let (zero, bit) = (at.constant_index(0)?, IntegerType::new(at.context(), 1).into());
    let different = IntegerAttribute::new(IntegerType::new(at.context(), 64).into(), DIFFERENT).into();
    let mut all = at.value("arith.constant", &[], bit, &[("value", IntegerAttribute::new(bit, 1).into())])?;
    for buffer in buffers {
        let address = at.value("memref.extract_aligned_pointer_as_index", &[buffer], at.index(), &[])?;
        let there = at.value("arith.cmpi", &[address, zero], bit, &[("predicate", different)])?;
        all = at.value("arith.andi", &[all, there], bit, &[])?;
    }
    Ok(all)
}
