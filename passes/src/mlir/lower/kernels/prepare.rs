//! The pass `poly-name-kernels`: the kernels of a region go to one module of the device's, under names of their own.
//!
//! Upstream's outlining puts each kernel into a module of its own otherwise, and the runtime loads one for a region. A
//! kernel `f_0` of the function `f` goes to `f_kernels`. PTX has narrower names than MLIR, and outlining looks modules
//! up by name, so names are made of letters and digits, and taken once.

use std::collections::BTreeSet;

use melior::Context;
use melior::ir::OperationRef;
use melior::ir::attribute::FlatSymbolRefAttribute;
use melior::ir::operation::{OperationMutLike, OperationRefMut};
use mlir_sys::MlirDialectHandle;

use super::KernelRegion;
use crate::mlir::ir::operation::{is, only_block, operations, string_attribute};
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
        if name_all(context, module) == 0 { Outcome::Unchanged } else { Outcome::Changed }
    }
}

/// Names all kernels of a module; says how many there are.
fn name_all<'c>(context: &'c Context, module: OperationRef<'c, '_>) -> usize {
    let Some(body) = only_block(module, 0) else { return 0 };
    let symbols = operations(body).into_iter().filter_map(|operation| string_attribute(operation, "sym_name"));
    let mut taken: BTreeSet<String> = symbols.collect();
    let mut count = 0;
    for function in operations(body).into_iter().filter(|operation| is(*operation, "func.func")) {
        let base = plain(&string_attribute(function, "sym_name").unwrap_or_default());
        for region in KernelRegion::all(function) {
            let module = fresh(&mut taken, &format!("{base}_kernels"));
            for launch in region.of_name("gpu.launch") {
                name_kernel(context, launch, &module, &fresh(&mut taken, &base));
                count += 1;
            }
        }
    }
    count
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
fn fresh(taken: &mut BTreeSet<String>, base: &str) -> String {
    let mut all = std::iter::once(base.to_owned()).chain((1..).map(|number| format!("{base}_{number}")));
    let name = all.find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(name.clone());
    name
}
