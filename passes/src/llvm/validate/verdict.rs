//! The result of validation.

use crate::remark::{Key, Name, Remark};

/// The result of validation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No difference was seen.
    Agrees {
        /// The runs in which both functions came to their end.
        runs: u64,
        /// Those of them in which new code was called.
        reached: u64,
    },
    /// A difference: in which run, and in what.
    Differs(String),
    /// No run counts, and why.
    NotValidated(String),
}

impl Verdict {
    /// The remark about a function that stays rewritten.
    pub fn remark(&self) -> Remark {
        match self {
            Verdict::Agrees { runs, reached } => {
                let remark = Remark::new(Name::Validated).text("validated by ").argument(Key::Compared, runs);
                let remark = remark.text(" runs beside the original; ").argument(Key::Reached, reached);
                remark.text(" of them called new code")
            }
            Verdict::Differs(difference) => {
                Remark::new(Name::InternalError).text("validation: ").argument(Key::Reason, difference)
            }
            Verdict::NotValidated(reason) => {
                Remark::new(Name::NotValidated).text("not validated: ").argument(Key::Reason, reason)
            }
        }
    }

    /// The same as a text.
    pub fn text(&self) -> String {
        self.remark().to_text()
    }
}
