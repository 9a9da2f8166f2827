//! From the neutral AST to operations of the affine dialect.
//!
//! [`emit`] builds all new operations outside of the program, puts them in, has MLIR verify them, and only then removes
//! the original. Where that fails the program is as it was.
//!
//! Subscripts are composed with the instances' values, so that no `affine.apply` is left between a loop and an access.
//! A value that crosses statements stays in SSA while every read is dominated by a write of the same iteration; else it
//! is kept in a buffer of rank 0, one for each iteration of a parallel loop that is told to make it private.
//!
//! What loops hold in buffers of their own is put there as a last step (`promote`), and so are packed tiles (`packed`).
//!
//! For the developer's check the new code is marked, read back and compared with the tree before the original is
//! removed ([`translation_validation`](super::translation_validation)).
//!
//! Numbers of the new code are proved to fit the index type. Where the proof needs bounds on parameters, the new code
//! is guarded by them, and the original is the other branch.

mod access;
mod beyond;
mod branches;
mod carry;
mod code;
mod columns;
mod copied;
mod device;
mod device_options;
mod emitter;
mod error;
mod field;
mod handing;
mod instance;
mod kernel;
mod lanes;
mod local;
mod nest;
mod operand;
mod pack;
mod packed;
mod pieces;
mod promote;
mod rows;
mod scalars;
mod scope;
mod shared;
mod shared_memory;
mod sizes;
mod stage;
mod transfer;
mod transpose;
mod unroll;
mod unroller;
mod worth;

#[cfg(test)]
mod tests;

pub use device_options::{Device, DeviceMemory};
pub use error::EmitError;
pub use instance::{Computed, computed};
pub use stage::Stage;

use std::collections::BTreeSet;

use melior::Context;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::{BlockLike, BlockRef, OperationRef, RegionLike, Value};
use polyrs_core::codegen::Ast;
use polyrs_core::codegen::overflow::{self, Guard, Subscripts, Verdict};
use polyrs_core::driver::Budget;
use polyrs_core::isl::{self, Schedule};
use polyrs_core::scop::StatementId;

use super::ir::Builder;
use super::ir::operation::{contains, erase, name, operations};
use super::ir::value::{id, uses};
use super::lift::NewCode;
use super::marker;
use super::region::LiftedRegion;
use super::translation_validation::{Differs, Validation, validate};
use access::{load, no_subscripts, store};
use copied::Transfers;
use device::called_by_kernels;
use emitter::Emitter;
use handing::CarryingLoop;
use local::used_shared;
use operand::{Role, role};
use packed::{PackedTile, TileBuffers};
use promote::PromotedLoop;
use stage::{move_after, move_before};

/// How a region is emitted.
#[derive(Debug, Default)]
pub struct Manner {
    /// For kernels only.
    pub device: Device,
    /// The names of the arrays of which rows that are read side by side are fetched ahead.
    pub ahead: BTreeSet<String>,
}

/// The outcome of emission.
pub struct Emitted {
    /// The condition under which the new code runs, if it was needed; else the original does.
    pub guard: Option<Guard>,
    /// The result of translation validation, where that was asked for.
    pub validation: Option<Validation>,
}

/// Rewrites a region to the code of an AST over its statements.
///
/// `index_bits` is the width of the index type. With the `tree` that the AST is for, the new code is read back and
/// compared with it before the original goes.
///
/// # Errors
/// [`EmitError`]; then the IR is as it was.
pub fn emit<'c, 'a>(
    context: &'c Context,
    region: LiftedRegion<'c, 'a>,
    ast: &Ast,
    index_bits: u32,
    tree: Option<&Schedule>,
    Manner { device, ahead }: Manner,
) -> Result<Emitted, EmitError> {
    let transfers = match device.memory {
        DeviceMemory::Copied => Transfers::of(&region, &called_by_kernels(&ast.root))?,
        DeviceMemory::Resident => Transfers::default(),
    };
    let guard = guard(&region, ast, &transfers, index_bits)?;
    check_live_out(&region)?;
    let block = region.anchor.block().ok_or(EmitError::Place("the region is in no block"))?;
    let start = allocation_block(region.anchor).ok_or(EmitError::Place("the region is in no function"))?;
    let (entry, small) = field::on_stack(&region, ast)?.unwrap_or((start, BTreeSet::new()));

    // Dropped in the opposite order: the code uses the buffers.
    let (buffers, stack, code) = (Stage::new(context), Stage::new(context), Stage::new(context));
    let at = code.builder(region.location);
    let (hoisted, parameters) = hoist(&region, block, at)?;
    let mut emitter = Emitter::new(context, &region, ast, hoisted, parameters);
    emitter.marks = tree.is_some();
    emitter.transfers = transfers;
    emitter.ahead = ahead;
    emitter.device_memory = device.memory == DeviceMemory::Resident;
    emitter.stack = Some((stack.builder(region.location), small));
    let scalars = shared_scalars(&region, ast, emitter.memory())?;
    for &scalar in &scalars {
        let buffer = emitter.scalar_buffer(scalar, buffers.builder(region.location))?;
        emitter.set_buffer(scalar, buffer);
    }
    let branches = branches::write(&mut emitter, ast, at, guard.as_ref(), device)?;
    // What follows are loads of the values that are used after the region, of no instance.
    let written = operations(at.block()).len();
    let ends = finish(&region, &emitter, at, branches.original)?;

    let new_code = tree.map(|tree| (tree, emitter.new_code()));
    let (promoted, packed) = (emitter.take_promoted(), emitter.take_packed());
    let carried = emitter.take_carried();
    drop(emitter);
    let (mut buffers, mut code) = commit(context, [(buffers, start), (stack, entry)], code, region.anchor)?;
    let inside = || branches.new.map_or_else(|| code[..written].to_vec(), without_terminator);
    let validation = new_code.map(|(tree, known)| match known {
        Ok(known) => validate(&region, tree, &NewCode { operations: inside(), ..known }),
        Err(unmarked) => Ok(Validation::Unknown(unmarked)),
    });
    let validation = match validation.transpose() {
        Ok(validation) => validation,
        Err(Differs(what)) => {
            take_out(context, buffers, code);
            return Err(EmitError::Differs(what));
        }
    };
    if tree.is_some() {
        code = marker::remove(code);
    }
    let packed = pack(context, packed, start, &mut buffers, &code);
    if let Err(error) = packed.and_then(|()| promote(context, (promoted, carried), start, &mut buffers, &code)) {
        take_out(context, buffers, code);
        return Err(error);
    }
    let last = code.last().or(buffers.last()).copied().unwrap_or(region.anchor);
    replace(&region, branches.original, &ends, last);
    Ok(Emitted { guard, validation })
}

/// The condition that the proof of the new code's numbers needs.
fn guard(
    region: &LiftedRegion<'_, '_>,
    ast: &Ast,
    transfers: &Transfers,
    bits: u32,
) -> Result<Option<Guard>, EmitError> {
    let mut subscripts = Subscripts::new();
    for (number, statement) in region.statements.iter().enumerate() {
        subscripts.insert(StatementId(number), instance::subscripts(region, statement)?);
    }
    let spans: Vec<_> = transfers.spans.values().cloned().chain(field::sizes(region)).collect();
    let prove = || overflow::prove(ast, &subscripts, &spans, &region.limits, bits);
    match region.scop.ctx().with_quota(Budget::EMISSION, prove)? {
        Verdict::Proved => Ok(None),
        Verdict::Guarded(guard) => Ok(Some(guard)),
        Verdict::Unprovable => Err(EmitError::Overflow { bits }),
    }
}

/// Values that are used after the region must not be used before the new code.
fn check_live_out(region: &LiftedRegion<'_, '_>) -> Result<(), EmitError> {
    let block = region.anchor.block().map(|block| block.to_raw().ptr);
    for live in &region.live_out {
        for (user, _) in outer_uses(region, live.value) {
            let mut ancestor = Some(user);
            while let Some(operation) = ancestor
                && operation.block().map(|block| block.to_raw().ptr) != block
            {
                ancestor = operation.parent_operation();
            }
            if ancestor.is_some_and(|operation| !region.anchor.is_before_in_block(operation)) {
                return Err(EmitError::Place("a value of the region is used between its operations"));
            }
        }
    }
    Ok(())
}

/// The uses of a value outside of what is replaced.
fn outer_uses<'c, 'a>(region: &LiftedRegion<'c, 'a>, value: Value<'c, 'a>) -> Vec<(OperationRef<'c, 'a>, usize)> {
    let outside = |user| !region.replaced.iter().any(|&operation| contains(operation, user));
    uses(value).into_iter().filter(|(user, _)| outside(*user)).collect()
}

/// The block at whose start stack buffers of the region belong: that of the nearest operation that frees what is
/// allocated in it, so that they are neither shared by iterations of an enclosing loop nor pile up.
fn allocation_block<'c, 'a>(anchor: OperationRef<'c, 'a>) -> Option<BlockRef<'c, 'a>> {
    let mut block = anchor.block()?;
    loop {
        let parent = block.parent_operation()?;
        if !matches!(name(parent).as_str(), "scf.if" | "affine.if") {
            return block.parent_region()?.first_block();
        }
        block = parent.block()?;
    }
}

type Hoisted<'c, 'a> = (Vec<(Value<'c, 'a>, Value<'c, 'a>)>, Vec<(Value<'c, 'a>, Option<Role>)>);

/// Clones the hoisted operations; what they give, and what the parameters are.
fn hoist<'c, 'a>(
    region: &LiftedRegion<'c, 'a>,
    block: BlockRef<'c, 'a>,
    at: Builder<'c, 'a>,
) -> Result<Hoisted<'c, 'a>, EmitError> {
    use super::ir::{ValueMap, operation::results};
    let mut values = ValueMap::new();
    let mut hoisted = Vec::new();
    for &operation in &region.hoisted {
        let copy = values.clone_into(operation, at.block());
        hoisted.extend(results(operation).into_iter().zip(results(copy)));
    }
    let top = block.parent_operation().is_some_and(operand::is_affine_scope);
    let parameters =
        region.parameters.iter().map(|&parameter| match hoisted.iter().find(|(v, _)| id(*v) == id(parameter)) {
            Some((_, copy)) if top => (*copy, Some(Role::Symbol)),
            Some((original, copy)) => (*copy, role(*original)),
            None => (parameter, role(parameter)),
        });
    let parameters = parameters.collect();
    Ok((hoisted, parameters))
}

/// The scalars in memory that are accessed outside of all loops that make them private, or used after the region.
fn shared_scalars(region: &LiftedRegion<'_, '_>, ast: &Ast, memory: &BTreeSet<usize>) -> isl::Result<Vec<usize>> {
    let scop = &region.scop;
    let mut shared = Vec::new();
    for &scalar in memory {
        let live_out = region.live_out.iter().any(|value| value.scalar == scalar);
        let array = scop.arrays.get(scalar);
        if live_out || array.map_or(Ok(false), |array| used_shared(&ast.root, scop, &array.name))? {
            shared.push(scalar);
        }
    }
    Ok(shared)
}

/// The values that replace the live-out ones, in their order; ends the branch of the original.
fn finish<'c, 'a>(
    region: &LiftedRegion<'c, 'a>,
    emitter: &Emitter<'_, 'c, 'a>,
    at: Builder<'c, 'a>,
    original: Option<Builder<'c, 'a>>,
) -> Result<Vec<Value<'c, 'a>>, EmitError> {
    use melior::ir::ValueLike;
    let mut ends = Vec::new();
    for live in &region.live_out {
        let buffer = emitter.buffer(live.scalar).ok_or(EmitError::Place("a value used later has no buffer"))?;
        if let Some(original) = original {
            store(original, live.value, buffer, &no_subscripts(original))?;
        }
        ends.push(load(at, buffer, live.value.r#type(), &no_subscripts(at))?);
    }
    if let Some(original) = original {
        original.build("scf.yield", &[], &[], &[])?;
    }
    Ok(ends)
}

/// The operations of a block, its terminator left out.
fn without_terminator<'c, 'a>(body: Builder<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut inside = operations(body.block());
    inside.pop();
    inside
}

/// Operations of a block at the function's start, and operations behind the region.
type Placed<'c, 'a> = (Vec<OperationRef<'c, 'a>>, Vec<OperationRef<'c, 'a>>);

/// Puts the new operations into the program and verifies them; takes them out again if they are not valid.
fn commit<'c, 'a>(
    context: &'c Context,
    buffers: [(Stage<'c, 'a>, BlockRef<'c, 'a>); 2],
    code: Stage<'c, 'a>,
    anchor: OperationRef<'c, 'a>,
) -> Result<Placed<'c, 'a>, EmitError> {
    let buffers: Vec<_> = buffers.into_iter().flat_map(|(buffers, start)| buffers.insert_at_start(start)).collect();
    let code = code.insert_after(anchor);
    if buffers.iter().chain(&code).all(|operation| operation.verify()) {
        return Ok((buffers, code));
    }
    take_out(context, buffers, code);
    Err(EmitError::Invalid)
}

/// Packs tiles in buffers. `buffers` gets those made at the start.
fn pack<'c, 'a>(
    context: &'c Context,
    packed: Vec<PackedTile<'c, 'a>>,
    start: BlockRef<'c, 'a>,
    buffers: &mut Vec<OperationRef<'c, 'a>>,
    code: &[OperationRef<'c, 'a>],
) -> Result<(), EmitError> {
    let mut made = TileBuffers::new(start);
    let filled = packed.into_iter().try_for_each(|tile| tile.fill(context, &mut made, code));
    buffers.extend(made.at_start());
    filled
}

/// Keeps what loops hold in buffers, and verifies the code again. `buffers` gets those made at the start.
fn promote<'c, 'a>(
    context: &'c Context,
    (promoted, carried): (Vec<PromotedLoop<'c, 'a>>, Vec<CarryingLoop<'c, 'a>>),
    start: BlockRef<'c, 'a>,
    buffers: &mut Vec<OperationRef<'c, 'a>>,
    code: &[OperationRef<'c, 'a>],
) -> Result<(), EmitError> {
    let redirected = promoted.into_iter().map(|promoted| promoted.redirect(context, start, buffers));
    let redirected = redirected.collect::<Result<Vec<_>, _>>()?;
    for held in redirected {
        held.fill(context)?;
    }
    for one in carried {
        one.fill(context, start, buffers)?;
    }
    if buffers.iter().chain(code).all(|operation| operation.verify()) { Ok(()) } else { Err(EmitError::Invalid) }
}

/// Removes new operations from the program again.
fn take_out<'c, 'a>(context: &'c Context, buffers: Vec<OperationRef<'c, 'a>>, code: Vec<OperationRef<'c, 'a>>) {
    Stage::new(context).take(buffers.into_iter().chain(code));
}

/// Gives later users the new values, and removes the original or moves it to its branch.
fn replace<'c, 'a>(
    region: &LiftedRegion<'c, 'a>,
    original: Option<Builder<'c, 'a>>,
    ends: &[Value<'c, 'a>],
    last: OperationRef<'c, 'a>,
) {
    let kept = original.map(|branch| operations(branch.block())).unwrap_or_default();
    for (live, end) in region.live_out.iter().zip(ends) {
        for (user, number) in outer_uses(region, live.value) {
            if !kept.contains(&user) {
                // SAFETY: the user is alive and no other reference changes it meanwhile.
                unsafe { OperationRefMut::from_raw(user.to_raw()) }.set_operand(number, *end);
            }
        }
    }
    let mut behind = last;
    for &operation in &region.deferred {
        move_after(operation, behind);
        behind = operation;
    }
    match kept.first() {
        Some(first) => region.replaced.iter().for_each(|&operation| move_before(operation, *first)),
        None => region.replaced.iter().rev().for_each(|&operation| {
            // SAFETY: all uses were in the original or have the new values now; the region is not used again.
            unsafe { erase(operation) }
        }),
    }
}
