//! `polyrs try`: a schedule that is changed by hand.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the command, and where lines come from |
//! | `plain.rs` | answers as text |
//! | `protocol.rs` | requests and answers as JSON |
//! | `next.rs` | what to do after a line |
//! | `disk.rs` | files that commands name |

mod disk;
mod next;
mod plain;
mod protocol;

use crate::choices::Choices;
use crate::failure::Failure;
use crate::input::{Input, Quota, read};
use crate::output::print;
use clap::Args;
use disk::Disk;
use next::Next;
use polyrs::script::{Outcome, Session};
use std::io::{BufRead, IsTerminal, Write};

/// Change a schedule by hand, step by step, and see what is legal, what it costs and what the code is
///
/// Commands come from a script, or line by line from standard input: `interchange i j`, `tile i j 32 32`, `fuse S0.i
/// S1.i`, `distribute i`, `skew j by i`, `shift S1.i by 1`, `parallel i`, `register i 4 j 16`, `pack B at k`; `show`
/// lists the loops by name, `code` prints the loops, `help` says more (docs/try.md). Each step is proved or refused at
/// once; what is refused is not done. A script ends at the first one that is refused: exit code 1 if that is illegal, 2
/// if it makes no sense.
#[derive(Debug, Args)]
pub struct Try {
    #[command(flatten)]
    input: Input,
    /// The commands, one a line; `-` and no file are standard input
    #[arg(value_name = "SCRIPT")]
    script: Option<String>,
    /// Answer each line with an object of JSON (docs/try.md, "The protocol"); lines may be JSON as well
    #[arg(long)]
    json: bool,
    /// Go on with a script after a step that was refused
    #[arg(long)]
    keep_going: bool,
    #[command(flatten)]
    choices: Choices,
    #[command(flatten)]
    quota: Quota,
}

impl Try {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let script = self.script.as_ref().filter(|file| *file != "-");
        if script.is_none() && self.input.name() == "-" {
            return Err(Failure::Input("error: the region and the commands cannot both be standard input".into()));
        }
        let scop = self.input.read()?;
        let options = self.choices.bounded(&self.quota)?;
        let failed = |message: String| Failure::Failed(format!("error: {message}"));
        let mut session = Session::new(&scop, options, self.quota.operations()).map_err(failed)?;
        if self.json {
            print(&protocol::greeting(&scop, &session)?)?;
        }
        match script {
            Some(file) => self.take_script(&mut session, file),
            None => self.take_input(&mut session),
        }
    }

    /// Takes all lines of a file.
    fn take_script(&self, session: &mut Session<'_>, file: &str) -> Result<(), Failure> {
        let mut worst: Option<Failure> = None;
        for (number, line) in read(file)?.lines().enumerate() {
            let answer = match session.run(line, &mut Disk) {
                Outcome::Nothing => continue,
                Outcome::Quit(_) => break,
                Outcome::Answered(answer) => answer,
            };
            print(&if self.json { protocol::text(&answer, None)? } else { plain::in_script(&answer) })?;
            if answer.accepted {
                continue;
            }
            let failure = plain::failure(&answer, file, number + 1);
            if !self.keep_going {
                return Err(failure);
            }
            eprintln!("{failure}");
            worst.get_or_insert(Failure::Failed(format!("{file}: not all steps were done")));
        }
        worst.map_or(Ok(()), Err)
    }

    /// Takes line by line what somebody writes, or a program.
    fn take_input(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let (input, is_open) = (std::io::stdin(), std::io::stdin().is_terminal());
        let has_prompt = is_open && !self.json && std::io::stdout().is_terminal();
        if has_prompt {
            print("`help` lists the commands\n")?;
        }
        let mut lines = input.lock();
        loop {
            if has_prompt {
                print("> ")?;
            }
            let mut bytes = Vec::new();
            let unreadable = |error: std::io::Error| Failure::Input(format!("standard input: {error}"));
            if lines.read_until(b'\n', &mut bytes).map_err(unreadable)? == 0 {
                return Ok(());
            }
            // What is no text is no command, and an answer says so.
            let line = String::from_utf8_lossy(&bytes);
            let next = match self.json {
                true => protocol::line(session, line.trim_end())?,
                false => plain::line(session, line.trim_end(), !has_prompt)?,
            };
            let _ = std::io::stdout().flush();
            if matches!(next, Next::Quit) {
                return Ok(());
            }
        }
    }
}
