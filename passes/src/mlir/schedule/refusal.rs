//! Why a region stays as it was.

use polyrs_core::driver::{self, StepDown};

use crate::mlir::emit::EmitError;
use crate::remark::{Key, Name, Remark};

/// Why a region stays as it was.
pub enum ScheduleRefusal {
    /// It cannot be rewritten, or need not be.
    Refused(Cause),
    /// It took more operations than it may, with what was to be found out still open.
    Exhausted(Cause),
    /// What the user asked for is wrong.
    Wrong(Cause),
    /// The new code was wrong.
    Broken(Cause),
}

/// What a refusal says.
#[derive(Default)]
pub struct Cause {
    /// The step that gave up.
    step: Option<&'static str>,
    /// Why.
    reason: String,
    /// What would help; may be empty.
    help: String,
    /// What was tried before.
    stepped_down: Vec<StepDown>,
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

impl Cause {
    /// A remark, and the cause behind it.
    pub fn tell(&self, remark: Remark) -> Remark {
        let mut told = match self.step {
            Some(step) => remark.argument(Key::Step, step).text(": "),
            None => remark,
        };
        told = told.argument(Key::Reason, &self.reason);
        if !self.help.is_empty() {
            told = told.text("; ").argument(Key::Help, &self.help);
        }
        stepped_down(told, &self.stepped_down)
    }

    /// The cause, in words.
    pub fn to_text(&self) -> String {
        self.tell(Remark::new(Name::Refused)).to_text()
    }
}

/// A remark, and the steps down behind it.
pub fn stepped_down(remark: Remark, steps: &[StepDown]) -> Remark {
    steps.iter().enumerate().fold(remark, |remark, (place, step)| {
        remark.text(if place == 0 { "; stepped down: " } else { ", " }).argument(Key::SteppedDown, step)
    })
}

impl ScheduleRefusal {
    /// What it says.
    pub fn cause(&self) -> &Cause {
        match self {
            ScheduleRefusal::Refused(cause)
            | ScheduleRefusal::Exhausted(cause)
            | ScheduleRefusal::Wrong(cause)
            | ScheduleRefusal::Broken(cause) => cause,
        }
    }

    /// The remark about the region.
    pub fn remark(&self) -> Remark {
        let name = match self {
            ScheduleRefusal::Refused(_) => Name::Refused,
            ScheduleRefusal::Exhausted(_) => Name::RefusedOutOfQuota,
            ScheduleRefusal::Wrong(_) => Name::WrongRequest,
            ScheduleRefusal::Broken(_) => Name::InternalError,
        };
        self.cause().tell(Remark::new(name).text("refused: "))
    }

    /// What is wrong with what was asked for, or was made.
    pub fn failure(&self) -> Option<Failure> {
        match self {
            ScheduleRefusal::Refused(_) | ScheduleRefusal::Exhausted(_) => None,
            ScheduleRefusal::Wrong(cause) => Some(Failure::Users(cause.to_text())),
            ScheduleRefusal::Broken(cause) => Some(Failure::Ours(cause.to_text())),
        }
    }
}

impl From<String> for Cause {
    fn from(reason: String) -> Self {
        Cause { reason, ..Cause::default() }
    }
}

impl From<String> for ScheduleRefusal {
    fn from(reason: String) -> Self {
        ScheduleRefusal::Refused(reason.into())
    }
}

impl From<driver::Refusal> for ScheduleRefusal {
    fn from(refusal: driver::Refusal) -> Self {
        let driver::Refusal { phase, reason, help, exhausted, stepped_down, .. } = refusal;
        let cause = Cause { step: phase.map(driver::Phase::word), reason, help, stepped_down };
        if exhausted { ScheduleRefusal::Exhausted(cause) } else { ScheduleRefusal::Refused(cause) }
    }
}

impl From<EmitError> for ScheduleRefusal {
    fn from(error: EmitError) -> Self {
        match error {
            EmitError::Differs(_) => ScheduleRefusal::Broken(error.to_string().into()),
            other => ScheduleRefusal::Refused(other.to_string().into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ScheduleRefusal;
    use polyrs_core::driver::{self, Phase};

    #[test]
    fn remarks_say_what_the_driver_says() {
        let refusal = driver::Refusal {
            phase: Some(Phase::Check),
            help: "try less".to_owned(),
            exhausted: true,
            ..driver::Refusal::new("too much")
        };
        let text = format!("refused: {refusal}");
        assert_eq!(text, "refused: check: too much; try less");
        assert_eq!(ScheduleRefusal::from(refusal).remark().to_text(), text);
    }
}
