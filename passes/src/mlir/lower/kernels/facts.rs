//! The pass `poly-kernel-facts`: what LLVM is told of the buffers of kernels.
//!
//! Each buffer is memory of its own on the device, or taken to be (`assume-noalias`). Without that, LLVM keeps no sum in
//! a register over a loop, since a load from another buffer might see it. What a kernel does not write goes through the
//! cache for data that does not change. That holds for a kernel with barriers, too, as long as they order nothing but
//! accesses to what threads share: LLVM takes it that a barrier leaves such buffers as they were, so that what one
//! thread writes to a buffer of the device's, no other thread of the same launch may read.
//!
//! Where only a part of a buffer is copied, the address that kernels count from may be before the memory that there is
//! (`starts=anywhere`): then nothing is said of the way to an element.
//!
//! It runs on converted kernels, where a memref is two pointers and numbers (`super::parameters`), and elements are
//! accessed by the second.

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute};
use melior::ir::operation::{OperationMutLike, OperationRefMut};
use melior::ir::{Attribute, OperationRef, Value, ValueLike};
use mlir_sys::MlirDialectHandle;

use crate::mlir::ir::operation::{arguments, blocks, is, name, nested, regions, results};
use crate::mlir::ir::value::uses;
use crate::mlir::lower::alias::ASSUME_NOALIAS;
use crate::mlir::lower::facts::Start;
use crate::options::value::option;
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The pass `poly-kernel-facts`.
pub struct KernelFacts;

impl Pass for KernelFacts {
    const ARGUMENT: &'static str = "poly-kernel-facts";
    const DESCRIPTION: &'static str = "State which buffers of kernels are apart, and which are not written";
    const OPERATION: &'static str = "gpu.module";
    const OPTIONS: &'static [OptionRow] = &[ASSUME_NOALIAS, STARTS];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[];
    type Options = Facts;

    fn parse(values: &Values) -> Result<Facts, OptionError> {
        let starts =
            values.keyword("starts", &[("inside", Some(Start::Inside)), ("anywhere", Some(Start::Anywhere))])?;
        Ok(Facts { assume_noalias: values.boolean("assume-noalias")?, starts })
    }

    fn run<'c>(context: &'c Context, module: OperationRef<'c, '_>, facts: &Facts) -> Outcome {
        let all = nested(module);
        let kernels = all.iter().filter(|operation| is(**operation, "llvm.func"));
        let mut changes = kernels.filter(|kernel| facts.assume_noalias && state(context, **kernel)).count();
        if facts.starts == Start::Anywhere {
            for address in all.into_iter().filter(|operation| is(*operation, "llvm.getelementptr")) {
                polyrs_host::set_wrap_flags(address.to_raw(), 0);
                changes += 1;
            }
        }
        if changes == 0 { Outcome::Unchanged } else { Outcome::Changed }
    }
}

/// What is known of the buffers of kernels.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Distinct buffers are taken not to overlap.
    assume_noalias: bool,
    /// Where the address lies that kernels count elements from.
    starts: Start,
}

/// The option that says where buffers start.
pub const STARTS: OptionRow = option(
    "starts",
    "inside|anywhere",
    "inside",
    "Whether what kernels count a buffer's elements from is in memory that the device has",
);

/// States what is known of a kernel's parameters. Says whether it has buffers.
fn state<'c>(context: &'c Context, kernel: OperationRef<'c, '_>) -> bool {
    let entry = regions(kernel).first().and_then(|body| blocks(*body).first().copied());
    let Some(parameters) = entry.map(arguments) else { return false };
    let is_pointer = |value: &Value<'_, '_>| value.r#type().to_string() == "!llvm.ptr";
    let mut words = vec![Vec::new(); parameters.len()];
    let mut number = 0;
    while number + 1 < parameters.len() {
        if is_pointer(&parameters[number]) && is_pointer(&parameters[number + 1]) {
            words[number + 1].push("llvm.noalias");
            if is_only_read(parameters[number + 1]) {
                words[number + 1].push("llvm.readonly");
            }
            number += 1;
        }
        number += 1;
    }
    if words.iter().all(Vec::is_empty) {
        return false;
    }
    let dictionaries = words.iter().map(|words| {
        let pairs: Vec<_> = words.iter().map(|word| format!("{word} = unit")).collect();
        Attribute::parse(context, &format!("{{{}}}", pairs.join(", ")))
    });
    let Some(dictionaries) = dictionaries.collect::<Option<Vec<_>>>() else { return false };
    debug_assert!(dictionaries.iter().all(|attribute| DictionaryAttribute::try_from(*attribute).is_ok()));
    let all = ArrayAttribute::new(context, &dictionaries).into();
    // SAFETY: the kernel is alive, and no other reference changes it meanwhile.
    unsafe { OperationRefMut::from_raw(kernel.to_raw()) }.set_attribute("arg_attrs", all);
    true
}

/// Whether nothing but loads is done to what a pointer, and those computed from it, point to.
fn is_only_read(pointer: Value<'_, '_>) -> bool {
    uses(pointer).into_iter().all(|(user, _)| match name(user).as_str() {
        "llvm.load" => true,
        "llvm.getelementptr" => results(user).into_iter().all(is_only_read),
        _ => false,
    })
}
