//! Answers as text.

use super::disk::Disk;
use super::next::Next;
use crate::failure::Failure;
use crate::output::print;
use polyrs::script::{Answer, Outcome, Session};

/// Answers a line; where nobody sees what is written, the command is repeated.
pub fn line(session: &mut Session<'_>, line: &str, repeats: bool) -> Result<Next, Failure> {
    match session.run(line, &mut Disk) {
        Outcome::Nothing => Ok(Next::More),
        Outcome::Quit(_) => Ok(Next::Quit),
        Outcome::Answered(answer) => {
            let command = if repeats { format!("> {}\n", answer.command) } else { String::new() };
            print(&(command + &body(&answer)))?;
            Ok(Next::More)
        }
    }
}

/// A command of a script with its answer; what is wrong is said elsewhere.
pub fn in_script(answer: &Answer) -> String {
    let command = format!("> {}\n", answer.command);
    if answer.accepted { command + &body(answer) } else { command }
}

/// Why a script ends at a line.
pub fn failure(answer: &Answer, file: &str, line: usize) -> Failure {
    let column = answer.column.unwrap_or(1);
    let text = format!("{file}:{line}:{column}: error: {}", refused(answer));
    if answer.dependence.is_some() || answer.column.is_none() { Failure::Failed(text) } else { Failure::Input(text) }
}

fn body(answer: &Answer) -> String {
    match (&answer.output, answer.accepted) {
        (_, false) => match answer.column {
            Some(column) => format!("error: column {column}: {}\n", refused(answer)),
            None => format!("refused: {}\n", refused(answer)),
        },
        (Some(text), true) if changes(&answer.command) => format!("{}{text}\n", done(&answer.command)),
        (Some(text), true) if text.is_empty() => String::new(),
        (Some(text), true) => format!("{text}\n"),
        (None, true) => String::new(),
    }
}

/// What a change is called that was made.
fn done(command: &str) -> &'static str {
    match command.split_whitespace().next() {
        Some("undo") => "undone; ",
        Some("reset") => "all undone; ",
        _ => "legal; ",
    }
}

/// The command is answered by what the tree costs now.
fn changes(command: &str) -> bool {
    const OTHERS: [&str; 9] = ["show", "tree", "code", "cost", "check", "save", "script", "help", "quit"];
    command.split_whitespace().next().is_some_and(|name| !OTHERS.contains(&name))
}

fn refused(answer: &Answer) -> String {
    let reason = answer.reason.clone().unwrap_or_default();
    match &answer.help {
        Some(help) => format!("{reason}\n  help: {help}"),
        None => reason,
    }
}
