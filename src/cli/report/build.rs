//! A build that is run so that its compilers write records.

use super::surroundings::Surroundings;
use crate::failure::Failure;
use polyrs::text_file::why;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

/// Runs it. The result within is how it ended.
///
/// # Errors
/// It cannot be started.
pub fn run(words: &[OsString], surroundings: &Surroundings) -> Result<Result<(), Failure>, Failure> {
    let Some((program, arguments)) = words.split_first() else { return Ok(Ok(())) };
    let mut command = Command::new(program);
    command.args(arguments);
    surroundings.apply(&mut command);
    let status = command
        .status()
        .map_err(|error| Failure::Input(format!("error: {} cannot be started: {}", program.display(), why(&error))))?;
    Ok(end(status))
}

/// As shells say it.
fn end(status: ExitStatus) -> Result<(), Failure> {
    if status.success() {
        return Ok(());
    }
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Err(Failure::Command(u8::try_from(code).unwrap_or(1), format!("The build ended with {status}")))
}

#[cfg(test)]
mod tests {
    use super::end;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    #[test]
    fn a_build_ends_as_shells_say() {
        assert!(end(ExitStatus::from_raw(0)).is_ok());
        let text = |raw| format!("{:?}", end(ExitStatus::from_raw(raw)).unwrap_err());
        assert_eq!(text(0x300), "Command(3, \"The build ended with exit status: 3\")");
        assert!(text(9).starts_with("Command(137, "));
    }
}
