//! The pass `poly-name-kernels`: the kernels of a region go to one module of the device's, under names of their own.
//!
//! Upstream's outlining puts each kernel into a module of its own otherwise, and the runtime loads one for a region. A
//! kernel `f_0` of the function `f` goes to `f_kernels`. PTX has narrower names than MLIR, and outlining looks modules
//! up by name, so names are made of letters and digits, and taken once.
//!
//! What could not be lowered is found here: upstream's passes fail where they meet it, and LLVM's code generator ends
//! the process.

use melior::Context;
use melior::ir::attribute::FlatSymbolRefAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::{OperationRef, ValueLike};
use mlir_sys::MlirDialectHandle;

use super::KernelRegion;
use super::buffers::element_bytes;
use super::phases::BARRIER;
use super::shared;
use crate::mlir::ir::operation::{
    FMULADD, ancestors, is, name, nested, only_block, operands, results, string_attribute,
};
use crate::mlir::ir::value::is_memref;
use crate::mlir::lower::symbols::Symbols;
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::{OptionRow, mlirGetDialectHandle__gpu__};

/// The pass `poly-name-kernels`.
pub struct NameKernels;

impl Pass for NameKernels {
    const ARGUMENT: &'static str = "poly-name-kernels";
    const DESCRIPTION: &'static str = "Put the kernels of each region into one gpu.module, before gpu-kernel-outlining";
    const OPERATION: &'static str = "builtin.module";
    const OPTIONS: &'static [OptionRow] = &[];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[mlirGetDialectHandle__gpu__];
    type Options = ();

    fn parse(_values: &Values) -> Result<(), OptionError> {
        Ok(())
    }

    fn run<'c>(context: &'c Context, module: OperationRef<'c, '_>, (): &()) -> Outcome {
        Outcome::of(prepare(context, module))
    }
}

/// Names all kernels of a module, and leaves to the CPU what cannot be lowered; says how many regions there are.
fn prepare<'c>(context: &'c Context, module: OperationRef<'c, '_>) -> Result<usize, String> {
    let Some(body) = only_block(module, 0) else { return Ok(0) };
    let regions = KernelRegion::all(module);
    let own: Vec<_> = regions.iter().flat_map(|region| region.of_name("gpu.launch")).collect();
    let strange = |operation: &OperationRef<'c, '_>| match name(*operation).as_str() {
        "gpu.launch" => !own.contains(operation),
        "gpu.launch_func" | "gpu.module" | "gpu.binary" => true,
        _ => false,
    };
    if let Some(other) = nested(module).into_iter().find(strange) {
        return Err(format!(
            "'{}' has no code for the CPU beside it; what is lowered are kernels of poly-schedule with target=gpu and \
             cpu-version=true, and nothing that removes branches, such as canonicalize, comes between",
            name(other)
        ));
    }
    let mut symbols = Symbols::new(body);
    for region in &regions {
        let function = ancestors(region.scope).find(|around| is(*around, "func.func"));
        let Some(function) = function.filter(|function| function.block() == Some(body)) else {
            region.leave_to_cpu(context, "it is in no function of the module").map_err(|error| error.to_string())?;
            continue;
        };
        let launches = region.of_name("gpu.launch");
        if let Some(reason) = launches.iter().find_map(|launch| obstacle(*launch)) {
            region.leave_to_cpu(context, &reason).map_err(|error| error.to_string())?;
            continue;
        }
        let base = plain(&string_attribute(function, "sym_name").unwrap_or_default());
        let module = fresh(&mut symbols, &format!("{base}_kernels"));
        for launch in launches {
            name_kernel(context, launch, &module, &fresh(&mut symbols, &base));
        }
    }
    Ok(regions.len())
}

/// What upstream's conversion of kernels takes.
const OPERATIONS: [&str; 5] = ["gpu.terminator", BARRIER, FMULADD, "memref.load", "memref.store"];

/// As [`OPERATIONS`], the whole dialects.
const DIALECTS: [&str; 3] = ["arith", "math", "scf"];

/// Of these dialects what nobody converts.
const EXCEPTIONS: [&str; 2] = ["math.clampf", "math.ipowi"];

/// Why a kernel cannot be lowered.
fn obstacle(launch: OperationRef<'_, '_>) -> Option<String> {
    for operation in nested(launch).into_iter().filter(|operation| *operation != launch) {
        let name = name(operation);
        let dialect = name.split('.').next().unwrap_or_default();
        let known = OPERATIONS.contains(&&*name) || DIALECTS.contains(&dialect);
        if !known || EXCEPTIONS.contains(&&*name) {
            return Some(format!("'{name}' is not lowered to PTX"));
        }
        let values = operands(operation).into_iter().chain(results(operation));
        let kinds = values.filter(|value| !is_memref(*value)).map(|value| value.r#type());
        if let Some(kind) = kinds.into_iter().find(|kind| element_bytes(*kind).is_none()) {
            return Some(format!("values of type {kind} are not lowered to PTX"));
        }
    }
    shared::obstacle(launch)
}

/// Says which function of which module a kernel will be.
fn name_kernel<'c>(context: &'c Context, launch: OperationRef<'c, '_>, module: &str, kernel: &str) {
    for (key, value) in [("module", module), ("function", kernel)] {
        let value = FlatSymbolRefAttribute::new(context, value).into();
        // SAFETY: the launch is alive, and no other reference changes it meanwhile.
        unsafe { OperationRefMut::from_raw(launch.to_raw()) }.set_attribute(key, value);
    }
}

/// What a name in PTX can be made of.
fn plain(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if plain.starts_with(|c: char| c.is_ascii_alphabetic()) { plain } else { format!("f{plain}") }
}

/// The base or, if that is taken, one with a number, which is taken from now on.
fn fresh(symbols: &mut Symbols, base: &str) -> String {
    symbols.first_free(std::iter::once(base.to_owned()).chain((1..).map(|number| format!("{base}_{number}"))))
}
