//! The pass `poly-device-instructions`: functions that the device has an instruction for.
//!
//! Upstream's conversion of kernels calls NVIDIA's libdevice for all functions of `math`, and few programs bring that
//! library. Those that devices round correctly, or that do not round, become LLVM's intrinsics here, which mean the same.

use melior::Context;
use melior::ir::attribute::FlatSymbolRefAttribute;
use melior::ir::{OperationRef, ValueLike};
use mlir_sys::{MlirDialectHandle, mlirGetDialectHandle__llvm__};

use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::{attribute, erase, is, nested, operands, results};
use crate::mlir::ir::value::replace_all_uses;
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The pass `poly-device-instructions`.
pub struct DeviceInstructions;

impl Pass for DeviceInstructions {
    const ARGUMENT: &'static str = "poly-device-instructions";
    const DESCRIPTION: &'static str = "Use instructions instead of libdevice where they mean the same";
    const OPERATION: &'static str = "gpu.module";
    const OPTIONS: &'static [OptionRow] = &[];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[mlirGetDialectHandle__llvm__];
    type Options = ();

    fn parse(_values: &Values) -> Result<(), OptionError> {
        Ok(())
    }

    fn run<'c>(context: &'c Context, module: OperationRef<'c, '_>, (): &()) -> Outcome {
        Outcome::of(replace_calls(context, module))
    }
}

/// Functions of libdevice for double, which end with `f` for float, with intrinsics that mean the same.
const INSTRUCTIONS: [(&str, &str); 9] = [
    ("__nv_ceil", "llvm.intr.ceil"),
    ("__nv_copysign", "llvm.intr.copysign"),
    ("__nv_fabs", "llvm.intr.fabs"),
    ("__nv_floor", "llvm.intr.floor"),
    ("__nv_fma", "llvm.intr.fma"),
    ("__nv_fmax", "llvm.intr.maxnum"),
    ("__nv_fmin", "llvm.intr.minnum"),
    ("__nv_rint", "llvm.intr.roundeven"),
    ("__nv_sqrt", "llvm.intr.sqrt"),
];

/// Writes intrinsics for the calls of a module; says how many there were.
fn replace_calls<'c>(context: &'c Context, module: OperationRef<'c, '_>) -> Result<usize, melior::Error> {
    let mut count = 0;
    for call in nested(module).into_iter().filter(|operation| is(*operation, "llvm.call")) {
        let callee = attribute(call, "callee").and_then(|callee| FlatSymbolRefAttribute::try_from(callee).ok());
        let ([result], Some(callee)) = (&results(call)[..], callee) else { continue };
        let float = result.r#type().to_string() == "f32";
        let name = if float { callee.value().strip_suffix('f') } else { Some(callee.value()) };
        let known = INSTRUCTIONS.iter().find(|(function, _)| Some(*function) == name);
        let (Some((_, intrinsic)), Some(builder)) = (known, Builder::before(context, call)) else { continue };
        let value = builder.value(intrinsic, &operands(call), result.r#type(), &[])?;
        replace_all_uses(*result, value);
        // SAFETY: nobody uses its result any more.
        unsafe { erase(call) }
        count += 1;
    }
    Ok(count)
}
