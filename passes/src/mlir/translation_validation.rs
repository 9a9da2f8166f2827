//! Translation validation, the developer's check of emission (`read-back=true`): the new code is read back and must be
//! what the tree says.

use polyrs_core::check::translation_validation;
use polyrs_core::driver;
use polyrs_core::isl::Schedule;

use super::lift::{NewCode, Unread, read_new_code};
use super::region::LiftedRegion;

/// The result of comparing new code with its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validation {
    /// It is what the tree says.
    Equal,
    /// It could not be read or compared, for this reason.
    Unknown(String),
}

/// isl operations for each part of the proof. It is a developer's check: more than the steps before may take, since
/// code for wavefronts across tiles has many more places than its tree.
const QUOTA: u64 = 16 * driver::Budget::REGION;

/// The new code is not what its tree says, in these words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differs(pub String);

/// Reads code back, which is in the program beside the original, and compares it with its tree, under a quota of its
/// own. Where it or the deadline strike nothing is known.
///
/// # Errors
/// [`Differs`].
pub fn validate<'c, 'a>(
    region: &LiftedRegion<'c, 'a>,
    tree: &Schedule,
    code: &NewCode<'c, 'a>,
) -> Result<Validation, Differs> {
    let emitted = match region.scop.ctx().with_quota(QUOTA, || read_new_code(region, code)) {
        Ok(emitted) => emitted,
        Err(Unread::Refused(reason)) => return Ok(Validation::Unknown(reason)),
        Err(Unread::Wrong(what)) => return Err(Differs(what)),
    };
    match translation_validation::check(&region.scop, tree, &emitted, QUOTA) {
        Ok(()) => Ok(Validation::Equal),
        Err(error) if error.is_open() => Ok(Validation::Unknown(error.to_string())),
        Err(error) => Err(Differs(error.to_string())),
    }
}
