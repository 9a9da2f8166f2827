//! The pass `poly-alias-facts`: states which memrefs of a function do not overlap.
//!
//! MLIR's memref arguments become descriptors, on which LLVM knows nothing about aliasing and mostly gives up
//! vectorizing. Two kinds of facts are stated, which are not the same:
//!
//! - Distinct memref arguments do not overlap where one of them is written, if the user says so, as upstream's affine
//!   passes take for granted. They may be parts of one object, and two that are only read may be the same (`gemm(A, A,
//!   C)`). This becomes an attribute of the function ([`super::facts`]), and alias scopes once loads and stores are
//!   LLVM's ([`super::scopes`]).
//! - What is allocated in the function's entry block is another object than all other such allocations and than what
//!   the arguments show, which was there before; likewise in a branch that has buffers of its own. This becomes
//!   `memref.distinct_objects`, which means just that. LLVM sees it by itself where an allocation is not aligned, and
//!   not where it is, since aligning is arithmetic on integers.

use melior::Context;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::{BlockRef, OperationRef, Type, Value, ValueLike};
use mlir_sys::{MlirDialectHandle, mlirGetDialectHandle__llvm__, mlirGetDialectHandle__memref__};

use super::facts::{self, ArgumentFacts, FACTS};
use crate::mlir::ir::operation::{arguments, attribute, blocks, name, nested, operations, regions, results};
use crate::mlir::ir::{Builder, value};
use crate::mlir::marker::PROMOTED;
use crate::options::value::option;
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// How many arguments get scopes, and how many pairs with allocations are stated at one place. A function with hundreds
/// of buffers would drown in facts; it gets none.
const MOST_ARGUMENTS: usize = 64;
/// As [`MOST_ARGUMENTS`].
const MOST_PAIRS: usize = 300;

/// The pass `poly-alias-facts`.
pub struct AliasFacts;

impl Pass for AliasFacts {
    const ARGUMENT: &'static str = "poly-alias-facts";
    const DESCRIPTION: &'static str = "State which memref arguments and allocations do not overlap";
    const OPERATION: &'static str = "func.func";
    const OPTIONS: &'static [OptionRow] = &[ASSUME_NOALIAS];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] =
        &[mlirGetDialectHandle__llvm__, mlirGetDialectHandle__memref__];
    /// Whether distinct memref arguments are taken not to overlap.
    type Options = bool;

    fn parse(values: &Values) -> Result<bool, OptionError> {
        values.boolean("assume-noalias")
    }

    fn run<'c>(context: &'c Context, function: OperationRef<'c, '_>, assume_noalias: &bool) -> Outcome {
        let Some(entry) = regions(function).first().and_then(|body| blocks(*body).first().copied()) else {
            return Outcome::Unchanged;
        };
        let stated = state_arguments(context, function, entry, *assume_noalias);
        let objects = state_objects(context, entry).and_then(|top| {
            let inside = state_objects_in_branches(context, function, entry)?;
            Ok(top || inside)
        });
        match objects {
            Ok(changed) if changed || stated => Outcome::Changed,
            Ok(_) => Outcome::Unchanged,
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }
}

/// The option that says whether the user's assumption holds.
pub const ASSUME_NOALIAS: OptionRow =
    option("assume-noalias", "true|false", "true", "Take distinct memref arguments not to overlap");

/// States what is known of a function's arguments. Says whether there is anything.
fn state_arguments<'c>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
    entry: BlockRef<'c, '_>,
    assume_noalias: bool,
) -> bool {
    if attribute(function, FACTS).is_some() {
        return false;
    }
    let values = arguments(entry);
    let mut stated: Vec<_> = values.iter().map(|argument| ArgumentFacts::new(*argument)).collect();
    for (fact, start) in stated.iter_mut().zip(facts::starts(function)) {
        fact.start = Some(start);
    }
    let used: Vec<usize> =
        (0..values.len()).filter(|number| is_plain_memref(values[*number]) && is_used(values[*number])).collect();
    if assume_noalias && (2..=MOST_ARGUMENTS).contains(&used.len()) {
        let scopes = facts::new_scopes(context, used.len()).unwrap_or_default();
        for (number, scope) in used.iter().zip(&scopes) {
            stated[*number].scope = Some(*scope);
            stated[*number].apart = scopes.iter().filter(|other| *other != scope).copied().collect();
        }
    }
    let Some(attribute) = facts::to_attribute(context, &stated) else { return false };
    // SAFETY: the function is alive, and no other reference changes it meanwhile.
    unsafe { OperationRefMut::from_raw(function.to_raw()) }.set_attribute(FACTS, attribute);
    true
}

/// Does the same in branches where new code has buffers of its own. Nothing that was there before the function may have
/// been freed until then.
fn state_objects_in_branches<'c>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
    entry: BlockRef<'c, '_>,
) -> Result<bool, melior::Error> {
    let mut changed = false;
    let inside: Vec<_> = nested(function).into_iter().filter(|operation| *operation != function).collect();
    if inside.iter().any(|operation| may_free_alone(*operation) && !frees_own(*operation)) {
        return Ok(false);
    }
    for branch in inside.into_iter().filter(|operation| name(*operation) == "scf.if") {
        for block in regions(branch).into_iter().flat_map(blocks) {
            if operations(block).into_iter().any(is_allocation) {
                let others = ancestor_in(entry, branch).map(|around| there_before(entry, around));
                let others = others.unwrap_or_else(|| arguments(entry));
                changed |= walk(context, block, others, false)?;
            }
        }
    }
    Ok(changed)
}

/// The operation of a block that another one is, or is in.
fn ancestor_in<'c, 'a>(block: BlockRef<'c, 'a>, inner: OperationRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    let around = std::iter::successors(Some(inner), |operation| operation.parent_operation());
    around.into_iter().find(|operation| operation.block() == Some(block))
}

/// What was there before an operation of the entry block: the function's arguments, and buffers on the stack, but for
/// those of footprints; each as the value that carries what the block has stated by then.
fn there_before<'c, 'a>(entry: BlockRef<'c, 'a>, operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let made = operations(entry).into_iter().take_while(|earlier| *earlier != operation);
    let made = made.filter(|made| is_on_stack(*made) && attribute(*made, PROMOTED).is_none()).flat_map(results);
    arguments(entry).into_iter().chain(made).map(|memref| stated_before(memref, operation)).collect()
}

/// The value that carries what is stated of a memref before an operation in the same block.
fn stated_before<'c, 'a>(memref: Value<'c, 'a>, operation: OperationRef<'c, 'a>) -> Value<'c, 'a> {
    let next = |value: &Value<'c, 'a>| {
        let is_stated = |fact: OperationRef<'c, 'a>| {
            is_distinct_objects(fact) && fact.block() == operation.block() && fact.is_before_in_block(operation)
        };
        let (fact, number) = value::uses(*value).into_iter().find(|(user, _)| is_stated(*user))?;
        results(fact).get(number).copied()
    };
    std::iter::successors(Some(memref), next).last().unwrap_or(memref)
}

/// What is freed was allocated in the function.
fn frees_own(operation: OperationRef<'_, '_>) -> bool {
    name(operation) == "memref.dealloc"
        && operation.operand(0).ok().and_then(value::defining).is_some_and(|(made, _)| is_allocation(made))
}

/// Walks the entry block with the memrefs that are known to be different objects, and states them before the operations
/// that hold loops. Says whether anything was stated.
fn state_objects<'c>(context: &'c Context, entry: BlockRef<'c, '_>) -> Result<bool, melior::Error> {
    walk(context, entry, arguments(entry), true)
}

fn walk<'c, 'a>(
    context: &'c Context,
    block: BlockRef<'c, 'a>,
    others: Vec<Value<'c, 'a>>,
    is_entry: bool,
) -> Result<bool, melior::Error> {
    let mut objects = Objects { others, is_entry, ..Objects::default() };
    objects.others.retain(|argument| is_plain_memref(*argument) && is_used(*argument));
    let mut news = false;
    let mut changed = false;
    for operation in operations(block) {
        if is_distinct_objects(operation) {
            news = false;
        }
        if news && holds_loops(operation) {
            changed |= objects.state(context, operation)?;
            news = false;
        }
        if may_free(operation) {
            objects = Objects { is_entry, ..Objects::default() };
        }
        // Nothing but loads and stores goes to a footprint's buffer, as LLVM sees itself.
        if is_allocation(operation) && attribute(operation, PROMOTED).is_none() {
            objects.allocated.extend(results(operation).into_iter().filter(|result| is_plain_memref(*result)));
            news = true;
        }
    }
    Ok(changed)
}

/// Memrefs, as the values that carry what was stated so far.
#[derive(Default)]
struct Objects<'c, 'a> {
    /// Allocations: each is an object of its own.
    allocated: Vec<Value<'c, 'a>>,
    /// Arguments: objects that were there before the allocations, maybe the same or parts of one.
    others: Vec<Value<'c, 'a>>,
    /// The block that is walked comes before all others.
    is_entry: bool,
}

impl<'c, 'a> Objects<'c, 'a> {
    /// States everything before an operation. Says whether there was anything to state.
    fn state(&mut self, context: &'c Context, before: OperationRef<'c, 'a>) -> Result<bool, melior::Error> {
        let (allocated, others) = (self.allocated.len(), self.others.len());
        let pairs = others.max(1) * (allocated + usize::from(others > 0)) * allocated / 2;
        if allocated == 0 || allocated + others < 2 || pairs > MOST_PAIRS {
            return Ok(false);
        }
        if others == 0 {
            self.allocated = state(context, before, &self.allocated, self.is_entry)?;
        }
        for number in 0..others {
            let mut group = self.allocated.clone();
            group.push(self.others[number]);
            let mut stated = state(context, before, &group, self.is_entry)?;
            self.others[number] = stated.remove(allocated);
            self.allocated = stated;
        }
        Ok(true)
    }
}
/// States before an operation that these values are different objects. Later uses get the values that carry
/// the fact, which are returned.
fn state<'c, 'a>(
    context: &'c Context,
    before: OperationRef<'c, 'a>,
    apart: &[Value<'c, 'a>],
    is_entry: bool,
) -> Result<Vec<Value<'c, 'a>>, melior::Error> {
    let Some(builder) = Builder::before(context, before) else {
        return Ok(apart.to_vec());
    };
    let types: Vec<Type<'c>> = apart.iter().map(|value| value.r#type()).collect();
    let fact = builder.build("memref.distinct_objects", apart, &types, &[])?;
    let stated = results(fact);
    for (old, new) in apart.iter().zip(&stated) {
        for (user, number) in value::uses(*old) {
            if is_after(fact, user, is_entry) {
                // SAFETY: the user is alive, and no other reference changes it meanwhile.
                unsafe { OperationRefMut::from_raw(user.to_raw()) }.set_operand(number, *new);
            }
        }
    }
    Ok(stated)
}

/// Whether `user` runs after `fact`; in other blocks, where that is in a function's entry block.
fn is_after(fact: OperationRef<'_, '_>, user: OperationRef<'_, '_>, is_entry: bool) -> bool {
    let block = fact.block();
    let mut current = Some(user);
    while let Some(operation) = current {
        if operation.block() == block {
            return operation != fact && fact.is_before_in_block(operation);
        }
        current = operation.parent_operation().filter(|parent| !is_function(*parent));
    }
    is_entry
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

fn is_allocation(operation: OperationRef<'_, '_>) -> bool {
    name(operation) == "memref.alloc" || is_on_stack(operation)
}

fn is_on_stack(operation: OperationRef<'_, '_>) -> bool {
    name(operation) == "memref.alloca"
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
    nested(operation).into_iter().any(may_free_alone)
}

/// The same of an operation without those in it.
fn may_free_alone(operation: OperationRef<'_, '_>) -> bool {
    let name = name(operation);
    let dialect = name.split('.').next().unwrap_or("");
    match dialect {
        "affine" | "arith" | "cf" | "index" | "math" | "scf" | "vector" => false,
        "memref" => matches!(name.as_str(), "memref.dealloc" | "memref.realloc"),
        _ => name != "func.return",
    }
}
