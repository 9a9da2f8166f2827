//! Why a region stays as it was.

use polyrs_core::driver;

use crate::mlir::emit::EmitError;

/// Why a region stays as it was.
pub enum ScheduleRefusal {
    /// It cannot be rewritten, or need not be.
    Refused(String),
    /// It took more operations than it may, with what was to be found out still open.
    Exhausted(String),
    /// What the user asked for is wrong.
    Wrong(String),
    /// The new code was wrong.
    Broken(String),
}

/// What a pass fails for.
#[derive(Clone, Debug)]
pub enum Failure {
    /// An error of the user's.
    Users(String),
    /// An error of ours.
    Ours(String),
}

impl Failure {
    /// What is wrong.
    pub fn text(&self) -> &str {
        let (Failure::Users(text) | Failure::Ours(text)) = self;
        text
    }
}

impl ScheduleRefusal {
    /// The reason, in words.
    pub fn reason(&self) -> &str {
        match self {
            ScheduleRefusal::Refused(reason)
            | ScheduleRefusal::Exhausted(reason)
            | ScheduleRefusal::Wrong(reason)
            | ScheduleRefusal::Broken(reason) => reason,
        }
    }

    /// What is wrong with what was asked for, or was made.
    pub fn failure(&self) -> Option<Failure> {
        match self {
            ScheduleRefusal::Refused(_) | ScheduleRefusal::Exhausted(_) => None,
            ScheduleRefusal::Wrong(reason) => Some(Failure::Users(reason.clone())),
            ScheduleRefusal::Broken(reason) => Some(Failure::Ours(reason.clone())),
        }
    }
}

impl From<String> for ScheduleRefusal {
    fn from(reason: String) -> Self {
        ScheduleRefusal::Refused(reason)
    }
}

impl From<driver::Refusal> for ScheduleRefusal {
    fn from(refusal: driver::Refusal) -> Self {
        let reason = refusal.to_string();
        if refusal.exhausted { ScheduleRefusal::Exhausted(reason) } else { ScheduleRefusal::Refused(reason) }
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
