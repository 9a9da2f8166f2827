//! Passes and pipelines in Rust, as rows of the tables that the C++ glue reads.
//!
//! A panic never crosses into C++: every function that C++ calls is run under `catch_unwind`.

use melior::Context;
use melior::ir::OperationRef;
use melior::ir::operation::OperationLike;
use mlir_sys::{MlirDialectHandle, MlirDialectRegistry, MlirOperation, mlirDialectHandleInsertDialect};
use polyrs_interface::{Sink, Status, Text, guard};

use crate::mlir::diagnostic;
use crate::options::{OptionError, Values};
use polyrs_host::raw::PolySeverity;
use polyrs_host::{OptionRow, PassRow, PipelineRow};

/// The outcome of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The IR is as it was.
    Unchanged,
    /// The IR was rewritten and is valid.
    Changed,
    /// The pass cannot do what was asked; the tool fails with this text. The IR is as it was.
    Failed(String),
}

impl Outcome {
    /// That of a pass that counts what it rewrites.
    pub fn of<E: std::fmt::Display>(rewritten: Result<usize, E>) -> Self {
        match rewritten {
            Ok(0) => Outcome::Unchanged,
            Ok(_) => Outcome::Changed,
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }
}

/// A pass over one kind of operation. Runs may happen on several threads at once, so a pass has no
/// state but its options.
pub trait Pass: 'static {
    /// The name in pipelines and on the command line.
    const ARGUMENT: &'static str;
    /// One line for `--help`.
    const DESCRIPTION: &'static str;
    /// The operation that the pass runs on.
    const OPERATION: &'static str;
    /// The options, in the order of [`Values`].
    const OPTIONS: &'static [OptionRow];
    /// The dialects whose operations the pass may create.
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle];
    /// The options with their types.
    type Options;

    /// Reads the options, once when the pipeline is built and once for each run.
    ///
    /// # Errors
    /// A value that is malformed, unknown or not available yet.
    fn parse(values: &Values) -> Result<Self::Options, OptionError>;

    /// Runs on one operation of the context.
    fn run<'c>(context: &'c Context, operation: OperationRef<'c, '_>, options: &Self::Options) -> Outcome;
}

/// A named pipeline.
pub trait Pipeline: 'static {
    /// The name in pipelines and on the command line.
    const ARGUMENT: &'static str;
    /// One line for `--help`.
    const DESCRIPTION: &'static str;
    /// The options, in the order of [`Values`].
    const OPTIONS: &'static [OptionRow];

    /// The passes as a textual pipeline for a `builtin.module`.
    ///
    /// # Errors
    /// A value that is malformed or unknown.
    fn expand(values: &Values) -> Result<String, OptionError>;
}

/// The table row of a pass.
pub const fn row<P: Pass>() -> PassRow {
    PassRow {
        argument: Text::new(P::ARGUMENT),
        description: Text::new(P::DESCRIPTION),
        operation: Text::new(P::OPERATION),
        options: P::OPTIONS.as_ptr(),
        option_count: P::OPTIONS.len(),
        dialects: dialects::<P>,
        check: check::<P>,
        run: run::<P>,
    }
}

/// The table row of a pipeline.
pub const fn pipeline_row<P: Pipeline>() -> PipelineRow {
    PipelineRow {
        argument: Text::new(P::ARGUMENT),
        description: Text::new(P::DESCRIPTION),
        options: P::OPTIONS.as_ptr(),
        option_count: P::OPTIONS.len(),
        expand: expand::<P>,
    }
}

extern "C" fn dialects<P: Pass>(_row: &PassRow, registry: MlirDialectRegistry) {
    for handle in P::DIALECTS {
        // SAFETY: handles are static, and the registry is the glue's live one.
        unsafe { mlirDialectHandleInsertDialect(handle(), registry) }
    }
}

extern "C" fn check<P: Pass>(_: &PassRow, values: *const Text<'_>, count: usize, error: Sink) -> bool {
    // SAFETY: the glue passes `count` texts that live during the call.
    let values = unsafe { read_values(P::OPTIONS, values, count) };
    match guard(|| P::parse(&values).map(drop).map_err(|error| error.to_string())) {
        Ok(()) => true,
        Err(text) => {
            error.write(&text);
            false
        }
    }
}

extern "C" fn run<P: Pass>(_row: &PassRow, operation: MlirOperation, values: *const Text<'_>, count: usize) -> Status {
    // SAFETY: the glue passes a live operation, and `count` texts that live during the call.
    let (operation, values) = unsafe { (OperationRef::from_raw(operation), read_values(P::OPTIONS, values, count)) };
    let location = operation.location();
    let holder = operation.context();
    // SAFETY: the reference points into `holder`, which outlives the run.
    let context = unsafe { holder.to_ref() };
    let outcome = guard(|| {
        let options = P::parse(&values).map_err(|error| error.to_string())?;
        Ok(P::run(context, operation, &options))
    });
    match outcome {
        Ok(Outcome::Unchanged) => Status::Unchanged,
        Ok(Outcome::Changed) => Status::Changed,
        Ok(Outcome::Failed(text)) | Err(text) => {
            let text = format!("{}: {text}", P::ARGUMENT);
            diagnostic::emit(location, PolySeverity::Error, &text);
            Status::Failed
        }
    }
}

extern "C" fn expand<P: Pipeline>(
    _row: &PipelineRow,
    values: *const Text<'_>,
    count: usize,
    pipeline: Sink,
    error: Sink,
) -> bool {
    // SAFETY: the glue passes `count` texts that live during the call.
    let values = unsafe { read_values(P::OPTIONS, values, count) };
    match guard(|| P::expand(&values).map_err(|error| error.to_string())) {
        Ok(text) => {
            pipeline.write(&text);
            true
        }
        Err(text) => {
            error.write(&text);
            false
        }
    }
}

/// # Safety
/// `values` points to `count` texts.
unsafe fn read_values(options: &'static [OptionRow], values: *const Text<'_>, count: usize) -> Values {
    let texts = if count == 0 {
        &[]
    } else {
        // SAFETY: passed on to the caller.
        unsafe { std::slice::from_raw_parts(values, count) }
    };
    Values::new(options.iter().zip(texts).map(|(option, value)| (option.name.to_text(), value.to_text())))
}
