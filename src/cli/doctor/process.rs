//! Other programs, with a time limit: a compiler that hangs is one of the things that a doctor is asked about.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// What became of a program.
pub enum Outcome {
    /// It ended.
    Ended {
        /// How.
        status: ExitStatus,
        /// What it wrote to standard output.
        output: String,
        /// What it wrote to standard error.
        errors: String,
    },
    /// It did not end in time, and was stopped.
    Late,
    /// It could not be started.
    NotStarted(io::Error),
}

/// Runs `command` with `input` as its standard input.
pub fn run(mut command: Command, input: &'static str, limit: Duration) -> Outcome {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    match piped.spawn() {
        Ok(child) => wait(child, input, limit),
        Err(error) => Outcome::NotStarted(error),
    }
}

fn wait(mut child: Child, input: &'static str, limit: Duration) -> Outcome {
    // Threads, as a pipe that nobody empties or fills would stop the program. One that does not read its input is
    // judged by how it ends.
    if let Some(mut pipe) = child.stdin.take() {
        thread::spawn(move || pipe.write_all(input.as_bytes()));
    }
    let output = child.stdout.take().map(reader);
    let errors = child.stderr.take().map(reader);
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() < limit => thread::sleep(Duration::from_millis(5)),
            Ok(None) => {
                // What it started may go on and keep the pipes open, so nobody waits for the readers.
                let _ = child.kill().and_then(|()| child.wait());
                return Outcome::Late;
            }
            Err(error) => return Outcome::NotStarted(error),
        }
    };
    // The pipes end with the last program that has them, which may be one that this one started.
    let text = |reader: Option<Receiver<String>>| reader?.recv_timeout(limit.saturating_sub(start.elapsed())).ok();
    match (text(output), text(errors)) {
        (Some(output), Some(errors)) => Outcome::Ended { status, output, errors },
        _ => Outcome::Late,
    }
}

/// Reads a pipe to its end, and hands on what it read.
fn reader(mut pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read until an error is what there is.
        let _ = pipe.read_to_end(&mut bytes);
        sender.send(String::from_utf8_lossy(&bytes).into_owned())
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::{Outcome, run};
    use std::process::Command;
    use std::time::Duration;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_program_gets_its_input() {
        let Outcome::Ended { status, output, errors } =
            run(shell("cat; echo bad >&2"), "hello", Duration::from_secs(60))
        else {
            panic!("it should have ended");
        };
        assert!(status.success());
        assert_eq!((output.as_str(), errors.trim()), ("hello", "bad"));
    }

    #[test]
    fn a_program_that_hangs_is_stopped() {
        assert!(matches!(run(shell("exec sleep 1000"), "", Duration::from_millis(50)), Outcome::Late));
    }

    #[test]
    fn nobody_waits_for_what_a_program_leaves_behind() {
        assert!(matches!(run(shell("sleep 3 &"), "", Duration::from_millis(500)), Outcome::Late));
    }

    #[test]
    fn what_is_no_program_is_told() {
        assert!(matches!(run(Command::new("/no/such"), "", Duration::from_secs(1)), Outcome::NotStarted(_)));
    }
}
