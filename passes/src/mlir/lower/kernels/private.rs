//! Memory that each thread of a kernel has for itself, where loops stand for threads.
//!
//! A thread keeps what is there over a barrier, so all threads of a block have theirs at the same time: one buffer with
//! a row for each.

use melior::ir::attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute};
use melior::ir::r#type::MemRefType;
use melior::ir::{Type, Value};

use super::shared::shape;
use crate::mlir::ir::{Builder, ValueMap};

/// What memref operations have for a number that is an operand.
const DYNAMIC: i64 = i64::MIN;

/// A buffer of which each thread has its own.
#[derive(Clone, Copy)]
pub struct Private<'c, 'a> {
    /// The argument of the kernel.
    own: Value<'c, 'a>,
    /// Those of all threads of a block, one after the other.
    pub all: Value<'c, 'a>,
    /// How many threads a block has along x and y.
    threads: [Value<'c, 'a>; 2],
}

impl<'c, 'a> Private<'c, 'a> {
    /// Memory of the host's for as many threads as there are along x, y and z.
    ///
    /// # Errors
    /// The buffer has no constant sizes.
    pub fn of(at: Builder<'c, 'a>, own: Value<'c, 'a>, threads: &[Value<'c, 'a>]) -> Result<Self, String> {
        let (element, sizes) = shape(own).ok_or("private memory without sizes cannot run on the CPU")?;
        let [x, y, z] = threads[..] else { return Err("a kernel without sizes cannot run on the CPU".to_owned()) };
        let all = || {
            let rows = at.value("arith.muli", &[x, y], at.index(), &[])?;
            let rows = at.value("arith.muli", &[rows, z], at.index(), &[])?;
            let kind = MemRefType::new(element, &[&[DYNAMIC], &sizes[..]].concat(), None, None).into();
            let segments = DenseI32ArrayAttribute::new(at.context(), &[1, 0]).into();
            at.value("memref.alloc", &[rows], kind, &[("operandSegmentSizes", segments)])
        };
        let all = all().map_err(|error: melior::Error| error.to_string())?;
        Ok(Self { own, all, threads: [x, y] })
    }

    /// Gives the map the memory of the thread whose numbers it has.
    ///
    /// # Errors
    /// MLIR refuses an operation.
    pub fn provide(
        &self,
        numbers: &[Value<'c, 'a>],
        map: &mut ValueMap<'c, 'a>,
        at: Builder<'c, 'a>,
    ) -> Result<(), String> {
        let (element, sizes) = shape(self.own).ok_or("private memory without sizes cannot run on the CPU")?;
        let mut strides = vec![1; sizes.len()];
        for position in (1..sizes.len()).rev() {
            strides[position - 1] = strides[position] * sizes[position];
        }
        let kind = format!("memref<{}{element}, strided<{strides:?}, offset: ?>>", text(&sizes));
        let kind = Type::parse(at.context(), &kind).ok_or_else(|| format!("there is no type {kind}"))?;
        let list =
            |first: i64, others: &[i64]| DenseI64ArrayAttribute::new(at.context(), &[&[first], others].concat()).into();
        let attributes = [
            ("static_offsets", list(DYNAMIC, &vec![0; sizes.len()])),
            ("static_sizes", list(1, &sizes)),
            ("static_strides", list(1, &vec![1; sizes.len()])),
            ("operandSegmentSizes", DenseI32ArrayAttribute::new(at.context(), &[1, 1, 0, 0]).into()),
        ];
        let row = || {
            let [x, y, z] = [map.get(numbers[0]), map.get(numbers[1]), map.get(numbers[2])];
            let above = at.value("arith.muli", &[z, self.threads[1]], at.index(), &[])?;
            let row = at.value("arith.addi", &[above, y], at.index(), &[])?;
            let before = at.value("arith.muli", &[row, self.threads[0]], at.index(), &[])?;
            let number = at.value("arith.addi", &[before, x], at.index(), &[])?;
            at.value("memref.subview", &[self.all, number], kind, &attributes)
        };
        let row = row().map_err(|error: melior::Error| error.to_string())?;
        map.insert(self.own, row);
        Ok(())
    }
}

/// Sizes as a memref's type has them: `4x2x`.
fn text(sizes: &[i64]) -> String {
    sizes.iter().map(|size| format!("{size}x")).collect()
}
