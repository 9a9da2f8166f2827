//! Why a region stays as it was.

use crate::mlir::emit::EmitError;

/// Why a region stays as it was.
pub enum ScheduleRefusal {
    /// It cannot be rewritten, or need not be.
    Refused(String),
    /// The new code was wrong, or what was asked for.
    Broken(String),
}

impl ScheduleRefusal {
    /// The reason, in words.
    pub fn reason(&self) -> &str {
        let (ScheduleRefusal::Refused(reason) | ScheduleRefusal::Broken(reason)) = self;
        reason
    }

    /// What is wrong with what was asked for, or was made.
    pub fn failure(&self) -> Option<String> {
        match self {
            ScheduleRefusal::Refused(_) => None,
            ScheduleRefusal::Broken(reason) => Some(reason.clone()),
        }
    }
}

impl From<String> for ScheduleRefusal {
    fn from(reason: String) -> Self {
        ScheduleRefusal::Refused(reason)
    }
}

impl From<EmitError> for ScheduleRefusal {
    fn from(error: EmitError) -> Self {
        match error {
            EmitError::Differs(_) => ScheduleRefusal::Broken(error.to_string()),
            other => ScheduleRefusal::Refused(other.to_string()),
        }
    }
}
