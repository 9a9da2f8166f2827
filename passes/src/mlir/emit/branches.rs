//! Where new code goes: in the place of the original, or into one of two branches, the original being the other.

use melior::ir::attribute::{BoolAttribute, StringAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, Value};
use polyrs_core::codegen::Ast;
use polyrs_core::codegen::overflow::Guard;
use polyrs_core::machine::Offload;

use super::code::scf_if;
use super::device_options::Device;
use super::emitter::Emitter;
use super::error::EmitError;
use super::local::local_buffers;
use crate::mlir::ir::Builder;
use crate::mlir::marker::{COPIED, KERNELS, RELAID, RESIDENT, WITHOUT_LAYOUT};
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
    if has_fields && ast.root.has_kernel() {
        return Err(EmitError::Place("kernels with another layout of data are not there yet"));
    }
    if !has_fields && !emitter.region.sizes.is_empty() {
        return Err(EmitError::Place("nobody looks at the sizes that a layout is for"));
    }
    match guard {
        _ if has_fields => with_fields(emitter, ast, at, guard),
        guard if device.keep_original && ast.root.has_kernel() => beside(emitter, ast, at, guard, device.offload),
        Some(guard) => guarded(emitter, ast, at, guard),
        None => {
            body(emitter, ast, at)?;
            Ok(Branches::default())
        }
    }
}

/// Writes the new code under a guard.
fn guarded<'c, 'a>(
    emitter: &mut Emitter<'_, 'c, 'a>,
    ast: &Ast,
    at: Builder<'c, 'a>,
    guard: &Guard,
) -> Result<Branches<'c, 'a>, EmitError> {
    let cond = emitter.within(guard, at)?;
    let (new, original) = scf_if(at, cond, true)?;
    body(emitter, ast, new)?;
    new.build("scf.yield", &[], &[], &[])?;
    Ok(Branches { new: Some(new), original })
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
    let bit: Type<'c> = IntegerType::new(at.context(), 1).into();
    let within = guard.map(|guard| emitter.within(guard, at)).transpose()?;
    let fit = match (within, emitter.sizes_fit(at)?) {
        // Sizes fit the index type only where the guard holds; elsewhere nobody may look at them.
        (Some(within), Some(fit)) => at.value("arith.select", &[within, fit, within], bit, &[])?,
        (within, fit) => within.or(fit).map_or_else(|| constant(at, true), Ok)?,
    };
    let fit = match emitter.suits_sizes(at)? {
        Some(suits) => at.value("arith.select", &[fit, suits, fit], bit, &[])?,
        None => fit,
    };
    let ((tried, trying), (not_at_all, otherwise)) = (at.region(&[]), at.region(&[]));
    otherwise.build("scf.yield", &[constant(otherwise, false)?], &[], &[])?;
    let frees = local_buffers(emitter, std::slice::from_ref(&ast.root), trying)?;
    let there = emitter.fields_are_there(trying)?;
    // Where nothing was allocated, nothing can be missing.
    let new = there.map_or(Ok(trying), |there| scf_if(trying, there, false).map(|(new, _)| new))?;
    emitter.with_device(&ast.root, new)?;
    if there.is_some() {
        new.build("scf.yield", &[], &[], &[])?;
    }
    for buffer in frees {
        trying.build("memref.dealloc", &[buffer], &[], &[])?;
    }
    let done = there.map_or_else(|| constant(trying, true), Ok)?;
    trying.build("scf.yield", &[done], &[], &[])?;
    let mark = |name| [(name, Attribute::unit(at.context()))];
    let done = at.build_with("scf.if", &[fit], &[bit], &mark(RELAID), vec![tried, not_at_all])?.result(0)?.into();
    let ((finished, nothing), (taking_over, original)) = (at.region(&[]), at.region(&[]));
    nothing.build("scf.yield", &[], &[], &[])?;
    let open = mark(WITHOUT_LAYOUT);
    let attributes = if emitter.region.conditions.is_empty() { &[] } else { &open[..] };
    at.build_with("scf.if", &[done], &[], attributes, vec![finished, taking_over])?;
    Ok(Branches { new: Some(new), original: Some(original) })
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
    let ((on_device, new), (not_at_all, otherwise)) = (at.region(&[]), at.region(&[]));
    let (finished, after) = at.region(&[]);
    emitter.after_kernels = Some(after);
    body(emitter, ast, new)?;
    new.build("scf.yield", &[constant(new, true)?], &[], &[])?;
    otherwise.build("scf.yield", &[constant(otherwise, false)?], &[], &[])?;
    let within = match offload {
        Some(offload) => emitter.and_worth(within, new, &offload, at)?,
        None => within,
    };
    let memory = if emitter.device_memory { RESIDENT } else { COPIED };
    let attribute = (KERNELS, StringAttribute::new(at.context(), memory).into());
    let kind = IntegerType::new(at.context(), 1).into();
    let regions = vec![on_device, not_at_all];
    let done = at.build_with("scf.if", &[within], &[kind], &[attribute], regions)?.result(0)?.into();
    after.build("scf.yield", &[], &[], &[])?;
    let (taking_over, original) = at.region(&[]);
    at.build_with("scf.if", &[done], &[], &[], vec![finished, taking_over])?;
    Ok(Branches { new: Some(new), original: Some(original) })
}

/// The new code with the local buffers that were allocated in what it replaces.
fn body<'c, 'a>(emitter: &mut Emitter<'_, 'c, 'a>, ast: &Ast, at: Builder<'c, 'a>) -> Result<(), EmitError> {
    let frees = local_buffers(emitter, std::slice::from_ref(&ast.root), at)?;
    emitter.with_device(&ast.root, at)?;
    for buffer in frees {
        at.build("memref.dealloc", &[buffer], &[], &[])?;
    }
    Ok(())
}
