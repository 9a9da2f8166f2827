//! Where new code goes: in the place of the original, or into one of two branches, the original being the other.

use melior::ir::attribute::{BoolAttribute, StringAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Region, Type, Value};
use polyrs_core::codegen::Ast;
use polyrs_core::codegen::overflow::Guard;
use polyrs_core::machine::Offload;

use super::code::scf_if;
use super::device::on_host;
use super::device_options::Device;
use super::emitter::Emitter;
use super::error::EmitError;
use super::local::{field_buffers, local_buffers};
use crate::mlir::ir::Builder;
use crate::mlir::marker::{COPIED, FOR_SIZES, KERNELS, RELAID, RESIDENT, WITHOUT_LAYOUT};
use crate::mlir::region::ArrayBinding;

/// The branches of an `scf.if`, where there is one: for the new code, and for the original.
#[derive(Default)]
pub struct Branches<'c, 'a> {
    pub new: Option<Builder<'c, 'a>>,
    pub original: Option<Builder<'c, 'a>>,
}

/// Writes the new code: with kernels that the original may stand in for beside it, else under a guard where it needs one.
///
/// # Errors
/// As [`super::emit`].
pub fn write<'c, 'a>(
    emitter: &mut Emitter<'_, 'c, 'a>,
    ast: &Ast,
    at: Builder<'c, 'a>,
    guard: Option<&Guard>,
    device: Device,
) -> Result<Branches<'c, 'a>, EmitError> {
    let has_fields = emitter.region.arrays.iter().any(|array| matches!(array, ArrayBinding::Field { .. }));
    if !has_fields && !emitter.region.sizes.is_empty() {
        return Err(EmitError::Place("nobody looks at the sizes that a layout is for"));
    }
    let stays_beside = device.keep_original && ast.root.has_kernel();
    match guard {
        _ if has_fields && stays_beside => beside_with_fields(emitter, ast, at, guard, device.offload),
        _ if has_fields => with_fields(emitter, ast, at, guard),
        guard if stays_beside => beside(emitter, ast, at, guard, device.offload),
        guard => guarded(emitter, ast, at, guard),
    }
}

/// Writes the new code under a guard, for the sizes that it is for, if these are not all.
fn guarded<'c, 'a>(
    emitter: &mut Emitter<'_, 'c, 'a>,
    ast: &Ast,
    at: Builder<'c, 'a>,
    guard: Option<&Guard>,
) -> Result<Branches<'c, 'a>, EmitError> {
    let within = guard.map(|guard| emitter.within(guard, at)).transpose()?;
    let Some(cond) = and_suits_sizes(emitter, within, at)? else {
        body(emitter, ast, at)?;
        return Ok(Branches::default());
    };
    let ((holds, new), (fails, original)) = (at.region(&[]), at.region(&[]));
    body(emitter, ast, new)?;
    new.build("scf.yield", &[], &[], &[])?;
    let is_for_sizes = !emitter.region.conditions.is_empty();
    let mark = is_for_sizes.then_some((FOR_SIZES, Attribute::unit(at.context())));
    at.build_with("scf.if", &[cond], &[], mark.as_slice(), vec![holds, fails])?;
    Ok(Branches { new: Some(new), original: Some(original) })
}

/// Writes code that needs buffers, so that the original runs where they are too large, do not pay, or there is no memory
/// for them:
///
///     %done = scf.if %fit_and_pay -> i1 { buffers; %there = ...; scf.if %there { the code }; free; yield %there } else { yield false }
///     scf.if %done {} else { the original }
///
/// Buffers on the stack are always there.
fn with_fields<'c, 'a>(
    emitter: &mut Emitter<'_, 'c, 'a>,
    ast: &Ast,
    at: Builder<'c, 'a>,
    guard: Option<&Guard>,
) -> Result<Branches<'c, 'a>, EmitError> {
    let fit = may_have_fields(emitter, at, guard)?;
    let (tried, trying) = at.region(&[]);
    let mut frees = local_buffers(emitter, std::slice::from_ref(&ast.root), trying)?;
    frees.extend(field_buffers(emitter, on_host(&ast.root), trying)?);
    let there = emitter.fields_are_there(trying)?;
    // Where nothing was allocated, nothing can be missing.
    let new = there.map_or(Ok(trying), |there| scf_if(trying, there, false).map(|(new, _)| new))?;
    emitter.with_device(&ast.root, new)?;
    if there.is_some() {
        new.build("scf.yield", &[], &[], &[])?;
    }
    free(frees, trying)?;
    let made = there.map_or_else(|| constant(trying, true), Ok)?;
    trying.build("scf.yield", &[made], &[], &[])?;
    let done = or_false(at, fit, tried, (RELAID, Attribute::unit(at.context())))?;
    let is_open = !emitter.region.conditions.is_empty() && !emitter.region.settled;
    let mark = is_open.then_some((WITHOUT_LAYOUT, Attribute::unit(at.context())));
    let original = unless(at, done, mark)?;
    Ok(Branches { new: Some(new), original: Some(original) })
}

/// As [`with_fields`], for code with kernels that the original stays beside. The host has memory for those buffers that
/// it accesses before or after kernels; what is for kernels alone is in the device's memory alone. The original also runs
/// where there is no device, or it fails:
///
///     %ran = scf.if %fit -> i1 {
///       the host's buffers; %there = ...
///       %done = scf.if %there_and_worth -> i1 { kernels and copies; yield true } else { yield false }
///       scf.if %done { what the host does after kernels } else {}
///       free; yield %done
///     } else { yield false }
///     scf.if %ran {} else { the original }
fn beside_with_fields<'c, 'a>(
    emitter: &mut Emitter<'_, 'c, 'a>,
    ast: &Ast,
    at: Builder<'c, 'a>,
    guard: Option<&Guard>,
    offload: Option<Offload>,
) -> Result<Branches<'c, 'a>, EmitError> {
    let fit = may_have_fields(emitter, at, guard)?;
    let (tried, trying) = at.region(&[]);
    let frees = field_buffers(emitter, on_host(&ast.root), trying)?;
    let there = emitter.fields_are_there(trying)?.map_or_else(|| constant(trying, true), Ok)?;
    let Kernels { done, new, finished } = kernels(emitter, ast, trying, there, offload)?;
    let (nothing, empty) = trying.region(&[]);
    empty.build("scf.yield", &[], &[], &[])?;
    trying.build_with("scf.if", &[done], &[], &[], vec![finished, nothing])?;
    free(frees, trying)?;
    trying.build("scf.yield", &[done], &[], &[])?;
    let ran = or_false(at, fit, tried, (RELAID, Attribute::unit(at.context())))?;
    // The code for the CPU has a layout, and a condition on it, of its own.
    let original = unless(at, ran, None)?;
    Ok(Branches { new: Some(new), original: Some(original) })
}

/// Whether a layout is for the sizes that there are, and its buffers fit.
fn may_have_fields<'c, 'a>(
    emitter: &Emitter<'_, 'c, 'a>,
    at: Builder<'c, 'a>,
    guard: Option<&Guard>,
) -> Result<Value<'c, 'a>, EmitError> {
    let bit: Type<'c> = IntegerType::new(at.context(), 1).into();
    let within = guard.map(|guard| emitter.within(guard, at)).transpose()?;
    let fit = match (within, emitter.sizes_fit(at)?) {
        // Sizes fit the index type only where the guard holds; elsewhere nobody may look at them.
        (Some(within), Some(fit)) => at.value("arith.select", &[within, fit, within], bit, &[])?,
        (within, fit) => within.or(fit).map_or_else(|| constant(at, true), Ok)?,
    };
    and_suits_sizes(emitter, Some(fit), at).map(|both| both.unwrap_or(fit))
}

/// A condition, and that sizes are those that the new code is for; `None` where there are none. Where the condition does not hold,
/// nobody may look at sizes.
fn and_suits_sizes<'c, 'a>(
    emitter: &Emitter<'_, 'c, 'a>,
    within: Option<Value<'c, 'a>>,
    at: Builder<'c, 'a>,
) -> Result<Option<Value<'c, 'a>>, EmitError> {
    let bit: Type<'c> = IntegerType::new(at.context(), 1).into();
    Ok(match (within, emitter.suits_sizes(at)?) {
        (Some(within), Some(suits)) => Some(at.value("arith.select", &[within, suits, within], bit, &[])?),
        (within, suits) => within.or(suits),
    })
}

fn constant<'c, 'a>(builder: Builder<'c, 'a>, value: bool) -> Result<Value<'c, 'a>, EmitError> {
    let value = BoolAttribute::new(builder.context(), value).into();
    let kind = IntegerType::new(builder.context(), 1).into();
    Ok(builder.value("arith.constant", &[], kind, &[("value", value)])?)
}

/// Writes code with kernels so that the original can run in its place:
///
///     %done = scf.if %within_and_worth -> i1 { kernels and copies; yield true } else { yield false }
///     scf.if %done { what the host does after kernels } else { the original }
///
/// Here kernels always run where they are worth it, but for the guard. Lowering to a device that may be missing yields
/// what came of it (`crate::mlir::lower::kernels`), and finds the first `scf.if` by its attribute. Canonicalization
/// leaves the kernels.
fn beside<'c, 'a>(
    emitter: &mut Emitter<'_, 'c, 'a>,
    ast: &Ast,
    at: Builder<'c, 'a>,
    guard: Option<&Guard>,
    offload: Option<Offload>,
) -> Result<Branches<'c, 'a>, EmitError> {
    let within = match guard {
        Some(guard) => emitter.within(guard, at)?,
        None => constant(at, true)?,
    };
    let Kernels { done, new, finished } = kernels(emitter, ast, at, within, offload)?;
    let (taking_over, original) = at.region(&[]);
    at.build_with("scf.if", &[done], &[], &[], vec![finished, taking_over])?;
    Ok(Branches { new: Some(new), original: Some(original) })
}

/// Code with kernels.
struct Kernels<'c, 'a> {
    /// Whether they have run.
    done: Value<'c, 'a>,
    /// The branch that they are in.
    new: Builder<'c, 'a>,
    /// The branch for where they have.
    finished: Region<'c>,
}

/// Writes kernels, which run under a condition and where they are worth it.
fn kernels<'c, 'a>(
    emitter: &mut Emitter<'_, 'c, 'a>,
    ast: &Ast,
    at: Builder<'c, 'a>,
    within: Value<'c, 'a>,
    offload: Option<Offload>,
) -> Result<Kernels<'c, 'a>, EmitError> {
    let (on_device, new) = at.region(&[]);
    let (finished, after) = at.region(&[]);
    emitter.after_kernels = Some(after);
    body(emitter, ast, new)?;
    new.build("scf.yield", &[constant(new, true)?], &[], &[])?;
    let within = match offload {
        Some(offload) => emitter.and_worth(within, new, &offload, at)?,
        None => within,
    };
    let memory = if emitter.device_memory { RESIDENT } else { COPIED };
    let done = or_false(at, within, on_device, (KERNELS, StringAttribute::new(at.context(), memory).into()))?;
    after.build("scf.yield", &[], &[], &[])?;
    Ok(Kernels { done, new, finished })
}

/// The new code with the local buffers that were allocated in what it replaces.
fn body<'c, 'a>(emitter: &mut Emitter<'_, 'c, 'a>, ast: &Ast, at: Builder<'c, 'a>) -> Result<(), EmitError> {
    let frees = local_buffers(emitter, std::slice::from_ref(&ast.root), at)?;
    emitter.with_device(&ast.root, at)?;
    free(frees, at)
}

fn free<'c, 'a>(buffers: Vec<Value<'c, 'a>>, at: Builder<'c, 'a>) -> Result<(), EmitError> {
    for buffer in buffers {
        at.build("memref.dealloc", &[buffer], &[], &[])?;
    }
    Ok(())
}

/// What a branch yields where a condition holds, and false where not.
fn or_false<'c, 'a>(
    at: Builder<'c, 'a>,
    condition: Value<'c, 'a>,
    branch: Region<'c>,
    mark: (&str, Attribute<'c>),
) -> Result<Value<'c, 'a>, EmitError> {
    let (not_at_all, otherwise) = at.region(&[]);
    otherwise.build("scf.yield", &[constant(otherwise, false)?], &[], &[])?;
    let bit = IntegerType::new(at.context(), 1).into();
    Ok(at.build_with("scf.if", &[condition], &[bit], &[mark], vec![branch, not_at_all])?.result(0)?.into())
}

/// A branch, without its end, for where a condition does not hold.
fn unless<'c, 'a>(
    at: Builder<'c, 'a>,
    condition: Value<'c, 'a>,
    mark: Option<(&str, Attribute<'c>)>,
) -> Result<Builder<'c, 'a>, EmitError> {
    let ((holds, nothing), (fails, original)) = (at.region(&[]), at.region(&[]));
    nothing.build("scf.yield", &[], &[], &[])?;
    at.build_with("scf.if", &[condition], &[], mark.as_slice(), vec![holds, fails])?;
    Ok(original)
}
