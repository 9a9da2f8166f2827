//! The Rust side of `host/host.h`: tables that the C++ glue reads, and functions that it offers.
//!
//! The types mirror the header field by field; their layout is C's.

use mlir_sys::{MlirDialectRegistry, MlirLocation, MlirOperation};
pub use polyrs_interface::{Sink, Status, Text};

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

/// How grave a diagnostic is.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The tool will fail.
    Error = 0,
    /// Something that the user should look at.
    Warning = 1,
    /// A text: the things that were done, or why something was not.
    Remark = 2,
}

unsafe extern "C" {
    fn polyHostRegisterPass(pass: &'static PassRow);
    fn polyHostRegisterPipeline(pipeline: &'static PipelineRow);
    fn polyHostAddFlag(argument: Text<'_>) -> bool;
    fn polyHostEmit(location: MlirLocation, severity: Severity, text: Text<'_>);
    fn polyHostIsMemoryEffectFree(operation: MlirOperation) -> bool;
    fn polyHostIsSpeculatable(operation: MlirOperation) -> bool;
    fn polyHostWrapFlags(operation: MlirOperation) -> u32;
    fn polyHostSetWrapFlags(operation: MlirOperation, flags: u32);
    fn polyHostIndexBits(operation: MlirOperation) -> u64;
}

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
pub fn emit(location: MlirLocation, severity: Severity, text: &str) {
    // SAFETY: a location lives as long as its context, and the text during the call.
    unsafe { polyHostEmit(location, severity, Text::new(text)) }
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
