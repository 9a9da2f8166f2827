//! The developer's check of emission: the new code is read back and must be what the tree says.

use melior::ir::OperationRef;
use polyrs_core::check::relift;
use polyrs_core::driver;
use polyrs_core::isl::Schedule;

use super::code::Emitter;
use super::error::EmitError;
use crate::mlir::ir::operation::results;
use crate::mlir::lift::{NewCode, Unread, read_emitted};
use crate::mlir::region::{ArrayBinding, LiftedRegion};

/// What came of reading the new code back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relifted {
    /// It is what the tree says.
    Equal,
    /// It could not be read or compared, for this reason.
    Unknown(String),
}

/// What has to be known of the new code to read it back.
pub struct Traces<'t, 'c, 'a> {
    tree: &'t Schedule,
    /// Its operations come last.
    code: NewCode<'c, 'a>,
    /// Why an instance could not be marked.
    unmarked: Option<String>,
}

impl<'t, 'c, 'a> Traces<'t, 'c, 'a> {
    /// What the emitter knows when everything is built for a tree.
    pub fn new(tree: &'t Schedule, region: &LiftedRegion<'c, 'a>, emitter: &mut Emitter<'_, 'c, 'a>) -> Self {
        let outer = emitter.outer_values();
        let mut buffers = Vec::new();
        for (number, binding) in region.arrays.iter().enumerate() {
            match binding {
                ArrayBinding::Memory { buffer } => buffers.push((number, outer.get(*buffer))),
                ArrayBinding::Local { allocation, nested: false } => {
                    buffers.extend(results(*allocation).first().map(|buffer| (number, *buffer)));
                }
                ArrayBinding::Local { .. } | ArrayBinding::Scalar { .. } => {}
            }
        }
        buffers.extend(emitter.own_buffers());
        let code = NewCode { operations: Vec::new(), parameters: emitter.parameter_values(), buffers };
        Traces { tree, code, unmarked: emitter.unmarked.take() }
    }

    /// Reads operations back, that are in the program beside the original, and compares them with the tree.
    ///
    /// # Errors
    /// [`EmitError::Differs`] if they are not what the tree says.
    pub fn compare(
        self,
        region: &LiftedRegion<'c, 'a>,
        operations: Vec<OperationRef<'c, 'a>>,
    ) -> Result<Relifted, EmitError> {
        match self.unmarked {
            Some(reason) => Ok(Relifted::Unknown(reason)),
            None => compare(region, self.tree, &NewCode { operations, ..self.code }),
        }
    }
}

/// isl operations for each part of the proof. It is a developer's check: more than the steps before may take, since code for
/// wavefronts across tiles has many more places than its tree.
const QUOTA: u64 = 16 * driver::Budget::REGION;

/// Reads code back and compares it with its tree, under a quota of its own. Where it or the deadline strike
/// nothing is known.
///
/// # Errors
/// [`EmitError::Differs`] if it is not what the tree says.
pub fn compare<'c, 'a>(
    region: &LiftedRegion<'c, 'a>,
    tree: &Schedule,
    code: &NewCode<'c, 'a>,
) -> Result<Relifted, EmitError> {
    let emitted = match region.scop.ctx().with_quota(QUOTA, || read_emitted(region, code)) {
        Ok(emitted) => emitted,
        Err(Unread::Refused(reason)) => return Ok(Relifted::Unknown(reason)),
        Err(Unread::Wrong(what)) => return Err(EmitError::Differs(what)),
    };
    match relift::check(&region.scop, tree, &emitted, QUOTA) {
        Ok(()) => Ok(Relifted::Equal),
        Err(error) if error.is_open() => Ok(Relifted::Unknown(error.to_string())),
        Err(error) => Err(EmitError::Differs(error.to_string())),
    }
}
