//! The result of validation.

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
    pub fn text(&self) -> String {
        match self {
            Verdict::Agrees { runs, reached } => {
                format!("validated by {runs} runs beside the original; {reached} of them called new code")
            }
            Verdict::Differs(difference) => format!("validation: {difference}"),
            Verdict::NotValidated(reason) => format!("not validated: {reason}"),
        }
    }
}
