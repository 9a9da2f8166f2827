//! The pass `poly-alias-facts`: states which memrefs of a function do not overlap.
//!
//! MLIR's memref arguments become descriptors, on which LLVM knows nothing about aliasing and mostly
//! gives up vectorizing. `memref.distinct_objects` becomes assumptions that LLVM does use. Two kinds of
//! facts are stated: distinct memref arguments do not overlap, if the user says so, as upstream's affine
//! passes take for granted; and what is allocated in the function's entry block overlaps neither
//! another such allocation nor an argument, while all of them are alive.
//!
//! Two arguments that are only read may well be the same: that harms no transformation, and callers do
//! it (`gemm(A, A, C)`). So nothing is said about such a pair; each of them is stated together with what
//! is written or allocated.

use melior::Context;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::{BlockRef, OperationRef, Type, Value, ValueLike};
use mlir_sys::{MlirDialectHandle, mlirGetDialectHandle__memref__};

use crate::host::OptionRow;
use crate::mlir::ir::operation::{arguments, attribute, blocks, name, nested, operations, regions, results};
use crate::mlir::ir::{Builder, value};
use crate::mlir::marker::WINDOW;
use crate::options::value::option;
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};

/// How many pairs of memrefs are stated at one place. Each becomes an assumption in LLVM, so a function
/// with hundreds of buffers would drown in them; it gets none.
const MOST_PAIRS: usize = 300;

/// The pass `poly-alias-facts`.
pub struct AliasFacts;

impl Pass for AliasFacts {
    const ARGUMENT: &'static str = "poly-alias-facts";
    const DESCRIPTION: &'static str = "State which memref arguments and allocations do not overlap";
    const OPERATION: &'static str = "func.func";
    const OPTIONS: &'static [OptionRow] = &[ASSUME_NOALIAS];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[mlirGetDialectHandle__memref__];
    /// Whether distinct memref arguments are taken not to overlap.
    type Options = bool;

    fn parse(values: &Values) -> Result<bool, OptionError> {
        values.boolean("assume-noalias")
    }

    fn run<'c>(context: &'c Context, function: OperationRef<'c, '_>, assume_noalias: &bool) -> Outcome {
        let Some(entry) = regions(function).first().and_then(|body| blocks(*body).first().copied()) else {
            return Outcome::Unchanged;
        };
        match state_facts(context, entry, *assume_noalias) {
            Ok(true) => Outcome::Changed,
            Ok(false) => Outcome::Unchanged,
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }
}

/// The option that says whether the user's assumption holds.
pub const ASSUME_NOALIAS: OptionRow =
    option("assume-noalias", "true|false", "true", "Take distinct memref arguments not to overlap");

/// The memrefs that are known to be apart, as the values that carry what was stated so far.
#[derive(Default)]
struct Apart<'c, 'a> {
    /// Arguments that are written, and allocations: apart from everything.
    written: Vec<Value<'c, 'a>>,
    /// Arguments that are only read: apart from what is written.
    read: Vec<Value<'c, 'a>>,
}

/// Walks the entry block with the memrefs that are known to be apart, and states them before the
/// operations that hold loops. Says whether anything was stated.
fn state_facts<'c>(context: &'c Context, entry: BlockRef<'c, '_>, assume_noalias: bool) -> Result<bool, melior::Error> {
    let mut apart = Apart::default();
    if assume_noalias {
        let memrefs = arguments(entry).into_iter().filter(|argument| is_plain_memref(*argument) && is_used(*argument));
        (apart.read, apart.written) = memrefs.partition(|argument| is_only_read(*argument));
    }
    let mut news = true;
    let mut changed = false;
    for operation in operations(entry) {
        if is_distinct_objects(operation) {
            news = false;
        }
        if news && holds_loops(operation) {
            changed |= apart.state(context, operation)?;
            news = false;
        }
        if may_free(operation) {
            apart = Apart::default();
        }
        // Nothing but loads and stores goes to a window's buffer, as LLVM sees itself.
        if is_allocation(operation) && attribute(operation, WINDOW).is_none() {
            apart.written.extend(results(operation).into_iter().filter(|result| is_plain_memref(*result)));
            news = true;
        }
    }
    Ok(changed)
}

impl<'c, 'a> Apart<'c, 'a> {
    /// States everything before an operation. Says whether there was anything to state.
    fn state(&mut self, context: &'c Context, before: OperationRef<'c, 'a>) -> Result<bool, melior::Error> {
        let (written, read) = (self.written.len(), self.read.len());
        let pairs = read.max(1) * (written + usize::from(read > 0)) * written / 2;
        if written == 0 || written + read < 2 || pairs > MOST_PAIRS {
            return Ok(false);
        }
        if read == 0 {
            self.written = state(context, before, &self.written)?;
        }
        for number in 0..read {
            let mut group = self.written.clone();
            group.push(self.read[number]);
            let mut stated = state(context, before, &group)?;
            self.read[number] = stated.remove(written);
            self.written = stated;
        }
        Ok(true)
    }
}

/// States before an operation that these values do not overlap. Later uses get the values that carry
/// the fact, which are returned.
fn state<'c, 'a>(
    context: &'c Context,
    before: OperationRef<'c, 'a>,
    apart: &[Value<'c, 'a>],
) -> Result<Vec<Value<'c, 'a>>, melior::Error> {
    let Some(builder) = Builder::before(context, before) else {
        return Ok(apart.to_vec());
    };
    let types: Vec<Type<'c>> = apart.iter().map(|value| value.r#type()).collect();
    let fact = builder.build("memref.distinct_objects", apart, &types, &[])?;
    let stated = results(fact);
    for (old, new) in apart.iter().zip(&stated) {
        for (user, number) in value::uses(*old) {
            if is_after(fact, user) {
                // SAFETY: the user is alive, and no other reference changes it meanwhile.
                unsafe { OperationRefMut::from_raw(user.to_raw()) }.set_operand(number, *new);
            }
        }
    }
    Ok(stated)
}

/// Whether `user` runs after `fact`, which is in a function's entry block.
fn is_after(fact: OperationRef<'_, '_>, user: OperationRef<'_, '_>) -> bool {
    let block = fact.block();
    let mut current = Some(user);
    while let Some(operation) = current {
        if operation.block() == block {
            return operation != fact && fact.is_before_in_block(operation);
        }
        current = operation.parent_operation().filter(|parent| !is_function(*parent));
    }
    true
}

fn is_function(operation: OperationRef<'_, '_>) -> bool {
    name(operation) == "func.func"
}

/// A ranked memref in the default memory space: other spaces have their own rules.
fn is_plain_memref(value: Value<'_, '_>) -> bool {
    value::is_memref(value) && !value::has_memory_space(value)
}

fn is_used(value: Value<'_, '_>) -> bool {
    !value::uses(value).is_empty()
}

/// Whether every use of a memref is a load or asks for its shape. A view of it counts as a write.
fn is_only_read(memref: Value<'_, '_>) -> bool {
    value::uses(memref).into_iter().all(|(user, _)| {
        matches!(
            name(user).as_str(),
            "affine.load"
                | "affine.vector_load"
                | "memref.load"
                | "memref.dim"
                | "vector.load"
                | "vector.transfer_read"
        )
    })
}

fn is_allocation(operation: OperationRef<'_, '_>) -> bool {
    matches!(name(operation).as_str(), "memref.alloc" | "memref.alloca")
}

fn is_distinct_objects(operation: OperationRef<'_, '_>) -> bool {
    name(operation) == "memref.distinct_objects"
}

/// Loops are in regions, or in the blocks that the terminator leads to.
fn holds_loops(operation: OperationRef<'_, '_>) -> bool {
    operation.region_count() > 0 || operation.successor_count() > 0
}

/// Whether memory may be freed here, and an address given out again: then nothing that was known
/// before may be stated together with what is allocated later.
fn may_free(operation: OperationRef<'_, '_>) -> bool {
    nested(operation).into_iter().any(|inner| {
        let name = name(inner);
        let dialect = name.split('.').next().unwrap_or("");
        match dialect {
            "affine" | "arith" | "cf" | "index" | "math" | "scf" | "vector" => false,
            "memref" => matches!(name.as_str(), "memref.dealloc" | "memref.realloc"),
            _ => name != "func.return",
        }
    })
}
