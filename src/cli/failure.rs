//! How a command ends when it does not end well.

use polyrs::check::interpret;
use polyrs::check::legality::CheckError;
use polyrs::{codegen, isl, schedule};
use std::fmt;
use std::process::ExitCode;

/// Why there is no good result.
#[derive(Debug)]
pub enum Failure {
    /// The input is at fault: exit code 2.
    Input(String),
    /// The input is understood and the answer is no, or there is none: exit code 1.
    Failed(String),
    /// A command that was run ended in this way, which is how this one ends.
    Command(u8, String),
}

impl Failure {
    /// The exit code of the process.
    pub fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::Input(_) => 2,
            Failure::Failed(_) => 1,
            Failure::Command(code, _) => *code,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(message) | Failure::Failed(message) | Failure::Command(_, message) => f.write_str(message),
        }
    }
}

impl From<isl::Error> for Failure {
    fn from(error: isl::Error) -> Self {
        Failure::Failed(format!("error: {error}"))
    }
}

impl From<schedule::Error> for Failure {
    fn from(error: schedule::Error) -> Self {
        Failure::Failed(format!("error: {error}"))
    }
}

impl From<codegen::Error> for Failure {
    fn from(error: codegen::Error) -> Self {
        Failure::Failed(format!("error: {error}"))
    }
}

impl From<interpret::Error> for Failure {
    fn from(error: interpret::Error) -> Self {
        use interpret::Error as E;
        let message = format!("error: {error}");
        match error {
            E::MissingParameter(_) | E::UnknownParameter(_) | E::OutsideContext(_) => Failure::Input(message),
            _ => Failure::Failed(message),
        }
    }
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Illegal(violations) => {
                let lines: Vec<String> = violations.iter().map(|v| format!("illegal: {v}")).collect();
                Failure::Failed(lines.join("\n"))
            }
            other => Failure::Failed(format!("error: {other}")),
        }
    }
}
