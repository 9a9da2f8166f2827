//! Why a region is left as it is.

use super::Phase;
use super::step_down::{Rung, StepDown};
use crate::check::legality::CheckError;
use crate::{codegen, isl, layout, schedule};
use std::fmt;

/// Why a region is left as it is.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The step that gave up.
    pub phase: Option<Phase>,
    /// Why.
    pub reason: String,
    /// What would help; may be empty.
    pub help: String,
    /// A work bound struck: the question is open.
    pub exhausted: bool,
    /// What was asked for is not possible: nothing else is done in its place.
    pub of_request: bool,
    /// What was tried before with more than what failed in the end.
    pub stepped_down: Vec<StepDown>,
}

impl Refusal {
    /// A refusal with a reason and nothing else.
    pub fn new(reason: impl Into<String>) -> Self {
        let (reason, help, stepped_down) = (reason.into(), String::new(), Vec::new());
        Refusal { phase: None, reason, help, exhausted: false, of_request: false, stepped_down }
    }

    /// No order was found, or the checker did not accept any. With other constraints one may be.
    pub(super) fn is_about_order(&self) -> bool {
        match self.phase {
            Some(Phase::Schedule) => !self.exhausted && !self.of_request,
            Some(Phase::Check) => true,
            _ => false,
        }
    }

    /// What is done after it.
    pub(super) fn leads_to(&self, to: Rung) -> StepDown {
        let phase = self.phase.map_or(String::new(), |phase| format!("{}: ", phase.word()));
        StepDown::new(to, format!("{phase}{}", self.reason))
    }

    /// The same refusal, with its step.
    pub(super) fn in_phase(self, phase: Phase) -> Self {
        Refusal { phase: Some(phase), ..self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(phase) = self.phase {
            write!(f, "{}: ", phase.word())?;
        }
        f.write_str(&self.reason)?;
        if !self.help.is_empty() {
            write!(f, "; {}", self.help)?;
        }
        f.write_str(&StepDown::list(&self.stepped_down))
    }
}

impl std::error::Error for Refusal {}

impl From<isl::Error> for Refusal {
    fn from(error: isl::Error) -> Self {
        let exhausted = error.is_exhausted();
        let help = match error.kind {
            isl::ErrorKind::Quota => "smaller functions, or fewer statements in a nest, need less work",
            isl::ErrorKind::Deadline => "a greater time-budget-ms gives more time",
            _ => "",
        };
        Refusal { help: help.to_owned(), exhausted, ..Refusal::new(error.to_string()) }
    }
}

impl From<schedule::Error> for Refusal {
    fn from(error: schedule::Error) -> Self {
        match error {
            schedule::Error::Isl(error) => error.into(),
            other => {
                let (exhausted, of_request) = (other.is_exhausted(), other.is_of_request());
                Refusal { exhausted, of_request, ..Refusal::new(other.to_string()) }
            }
        }
    }
}

impl From<CheckError> for Refusal {
    fn from(error: CheckError) -> Self {
        let exhausted = matches!(error, CheckError::Budget);
        Refusal { exhausted, ..Refusal::new(error.to_string()) }
    }
}

impl From<layout::Error> for Refusal {
    fn from(error: layout::Error) -> Self {
        match error {
            layout::Error::Isl(error) => error.into(),
            layout::Error::Code(error) => error.into(),
            other => Refusal::new(format!("layout: {other}")),
        }
    }
}

impl From<codegen::Error> for Refusal {
    fn from(error: codegen::Error) -> Self {
        match error {
            codegen::Error::Isl(error) => error.into(),
            other => Refusal::new(other.to_string()),
        }
    }
}
