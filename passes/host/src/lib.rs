//! The C++ glue of the optimizer: its functions in Rust, and the tables that it reads.
//!
//! [`raw`] is made from the headers `*.h` when this is built. The tables with texts are written by hand, since C++ has
//! no word for how long a text lives: they mirror the headers field by field, and their layout is C's. Functions on
//! MLIR have safe forms here; those on LLVM IR are called where the lifetimes are known, in `passes/src/llvm`.

use mlir_sys::{MlirDialectRegistry, MlirLocation, MlirOperation};
use polyrs_interface::{Sink, Status, Text};
use raw::*;

/// The functions of the glue as C declares them, with the types that they name.
pub mod raw {
    use llvm_sys::prelude::*;
    use mlir_sys::{MlirDialectRegistry, MlirLocation, MlirOperation};

    /// A text.
    pub type PolyText<'a> = polyrs_interface::Text<'a>;
    /// Where a text is written.
    pub type PolySink = polyrs_interface::Sink;
    /// A pass.
    pub type PolyPass = super::PassRow;
    /// A pipeline.
    pub type PolyPipeline = super::PipelineRow;
    /// A piece of a remark.
    pub type PolyPiece<'a> = super::PieceRow<'a>;
    /// A remark.
    pub type PolyRemarkRow<'a> = super::RemarkRow<'a>;

    include!(concat!(env!("OUT_DIR"), "/declarations.rs"));
}

/// One option, as `--help` lists it. All options are texts to the glue.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct OptionRow {
    /// The name, as in `name=value`.
    pub name: Text<'static>,
    /// The text that `--help` shows for the value.
    pub metavar: Text<'static>,
    /// The value when none is given.
    pub initial: Text<'static>,
    /// The help text.
    pub help: Text<'static>,
}

/// A pass over one kind of operation.
#[repr(C)]
pub struct PassRow {
    /// The pass's name in pipelines.
    pub argument: Text<'static>,
    /// One line for `--help`.
    pub description: Text<'static>,
    /// The operation that it runs on, such as `func.func`.
    pub operation: Text<'static>,
    /// The first of `option_count` options.
    pub options: *const OptionRow,
    /// How many options there are.
    pub option_count: usize,
    /// Registers the dialects of what the pass creates.
    pub dialects: extern "C" fn(&PassRow, MlirDialectRegistry),
    /// Whether the option values are good; writes an error if not.
    pub check: extern "C" fn(&PassRow, *const Text<'_>, usize, Sink) -> bool,
    /// Runs on one operation, possibly on several threads at once.
    pub run: extern "C" fn(&PassRow, MlirOperation, *const Text<'_>, usize) -> Status,
}

/// A named pipeline.
#[repr(C)]
pub struct PipelineRow {
    /// The pipeline's name.
    pub argument: Text<'static>,
    /// One line for `--help`.
    pub description: Text<'static>,
    /// The first of `option_count` options.
    pub options: *const OptionRow,
    /// How many options there are.
    pub option_count: usize,
    /// Writes the textual pipeline, or an error and returns false.
    pub expand: extern "C" fn(&PipelineRow, *const Text<'_>, usize, Sink, Sink) -> bool,
}

/// A piece of a remark: a text without a key, or an argument.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct PieceRow<'a> {
    /// The key; empty for a text.
    pub key: Text<'a>,
    /// The text, or the argument's value.
    pub value: Text<'a>,
}

/// A remark, borrowed for a call.
#[repr(C)]
pub struct RemarkRow<'a> {
    /// The option that shows it.
    pub kind: PolyRemarkKind,
    /// The pass.
    pub pass: Text<'static>,
    /// What it is about, as a word.
    pub name: Text<'static>,
    /// The first of `count` pieces.
    pub pieces: *const PieceRow<'a>,
    /// How many pieces there are.
    pub count: usize,
    /// So many of them are the text; only records have the rest.
    pub shown: usize,
}

// SAFETY: rows hold borrowed constants and function pointers, and are never written.
unsafe impl Sync for PassRow {}
// SAFETY: as above.
unsafe impl Sync for PipelineRow {}

/// Registers a pass with MLIR's registry.
pub fn register_pass(pass: &'static PassRow) {
    // SAFETY: the row is complete and lives for ever.
    unsafe { polyHostRegisterPass(pass) }
}

/// Registers a pipeline with MLIR's registry.
pub fn register_pipeline(pipeline: &'static PipelineRow) {
    // SAFETY: the row is complete and lives for ever.
    unsafe { polyHostRegisterPipeline(pipeline) }
}

/// Makes a registered pass or pipeline reachable as `--argument`. False if the tool has no flags for
/// passes, or none of the known shape; `--pass-pipeline` works all the same.
pub fn add_flag(argument: &str) -> bool {
    // SAFETY: the text lives during the call; the glue checks the tool's types before it writes.
    unsafe { polyHostAddFlag(Text::new(argument)) }
}

/// Reports a text at a location.
pub fn emit(location: MlirLocation, severity: PolySeverity, text: &str) {
    // SAFETY: a location lives as long as its context, and the text during the call.
    unsafe { polyHostEmit(location, severity, Text::new(text)) }
}

/// Hands a remark about a function to the engine of its context, if that has one that wants it.
pub fn record(remark: &RemarkRow<'_>, function: MlirOperation, location: MlirLocation) {
    // SAFETY: the operation is alive, a location lives as long as its context, and the row with its pieces during the call;
    // its names live for ever.
    unsafe { polyHostRemark(remark, function, location) }
}

/// The width of the index type by the data layout around an operation.
pub fn index_bits(operation: MlirOperation) -> u32 {
    // SAFETY: the operation is alive; the glue only reads.
    let bits = unsafe { polyHostIndexBits(operation) };
    u32::try_from(bits).unwrap_or(0)
}

/// Whether an operation, with everything nested in it, neither reads nor writes memory nor does anything
/// else that can be noticed. False for operations that do not say.
pub fn is_memory_effect_free(operation: MlirOperation) -> bool {
    // SAFETY: the operation is alive.
    unsafe { polyHostIsMemoryEffectFree(operation) }
}

/// Whether an operation may run where the original would not have run it.
pub fn is_speculatable(operation: MlirOperation) -> bool {
    // SAFETY: the operation is alive.
    unsafe { polyHostIsSpeculatable(operation) }
}

/// The flags about wrapping around of an address or integer operation of the LLVM dialect, as its bits; 0 for others.
pub fn wrap_flags(operation: MlirOperation) -> u32 {
    // SAFETY: the operation is alive; the glue only reads.
    unsafe { polyHostWrapFlags(operation) }
}

/// Sets the flags of [`wrap_flags`].
pub fn set_wrap_flags(operation: MlirOperation, flags: u32) {
    // SAFETY: the operation is alive, and no reference to its flags is kept.
    unsafe { polyHostSetWrapFlags(operation, flags) }
}

// mlir-sys leaves the header of these out.
unsafe extern "C" {
    /// The dialect of kernels and their launches.
    pub fn mlirGetDialectHandle__gpu__() -> mlir_sys::MlirDialectHandle;
    /// Whether an attribute is code for a device.
    pub fn mlirAttributeIsAGPUObjectAttr(attribute: mlir_sys::MlirAttribute) -> bool;
    /// That code, if it is.
    pub fn mlirGPUObjectAttrGetObject(attribute: mlir_sys::MlirAttribute) -> mlir_sys::MlirStringRef;
}
