//! Requests and answers as JSON, one a line (docs/try.md, "The protocol").

use super::disk::Disk;
use super::next::Next;
use crate::failure::Failure;
use crate::output::print;
use polyrs::isl::{self, DimType};
use polyrs::scop::Scop;
use polyrs::script::{Answer, LoopEntry, Outcome, PROTOCOL, Session};
use serde::Serialize;
use serde_json::Value;

/// The first line.
#[derive(Serialize)]
struct Greeting {
    protocol: u32,
    version: &'static str,
    region: String,
    parameters: Vec<String>,
    arrays: Vec<String>,
    statements: Vec<StatementEntry>,
    loops: Vec<LoopEntry>,
}

/// A statement of the region.
#[derive(Serialize)]
struct StatementEntry {
    name: String,
    text: String,
    iterators: Vec<String>,
}

/// An answer, with what the request was called by.
#[derive(Serialize)]
struct Tagged<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Value>,
    #[serde(flatten)]
    answer: &'a Answer,
}

/// A request that is no command.
#[derive(Serialize)]
struct Unread<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Value>,
    protocol: u32,
    command: &'a str,
    accepted: bool,
    reason: String,
}

/// What is said before all answers.
pub fn greeting(scop: &Scop, session: &Session<'_>) -> Result<String, Failure> {
    let mut statements = Vec::new();
    for statement in scop.statements.iter().filter(|statement| !statement.is_kill()) {
        let iterator = |place| {
            let name = statement.domain.dim_name(DimType::SET, place)?;
            Ok::<_, isl::Error>(name.unwrap_or_else(|| format!("i{place}")))
        };
        let count = statement.domain.dim(DimType::SET)?;
        let iterators = (0..count).map(iterator).collect::<isl::Result<_>>()?;
        statements.push(StatementEntry { name: statement.name.clone(), text: statement.text.clone(), iterators });
    }
    json(&Greeting {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION"),
        region: scop.name.clone(),
        parameters: scop.parameters()?,
        arrays: scop.arrays.iter().map(|array| array.name.clone()).collect(),
        statements,
        loops: session.loops()?,
    })
}

/// An answer as a line.
pub fn text(answer: &Answer, id: Option<&Value>) -> Result<String, Failure> {
    json(&Tagged { id, answer })
}

/// Answers a line: a command as it is, as a string, or in an object.
pub fn line(session: &mut Session<'_>, line: &str) -> Result<Next, Failure> {
    let (command, id) = match request(line) {
        Ok(request) => request,
        Err(reason) => {
            let id = serde_json::from_str::<Value>(line).ok().and_then(|value| value.get("id").cloned());
            let unread = Unread { id: id.as_ref(), protocol: PROTOCOL, command: line, accepted: false, reason };
            print(&json(&unread)?)?;
            return Ok(Next::More);
        }
    };
    match session.run(&command, &mut Disk) {
        Outcome::Nothing => Ok(Next::More),
        Outcome::Answered(answer) => {
            print(&text(&answer, id.as_ref())?)?;
            Ok(Next::More)
        }
        Outcome::Quit(answer) => {
            print(&text(&answer, id.as_ref())?)?;
            Ok(Next::Quit)
        }
    }
}

/// The command of a line, and what it is called by.
fn request(line: &str) -> Result<(String, Option<Value>), String> {
    if !line.trim_start().starts_with(['{', '"']) {
        return Ok((line.to_owned(), None));
    }
    let several = |command: String| match command.contains('\n') {
        true => Err("a command is one line".to_owned()),
        false => Ok(command),
    };
    match serde_json::from_str(line) {
        Ok(Value::String(command)) => Ok((several(command)?, None)),
        Ok(Value::Object(mut object)) => match object.remove("command") {
            Some(Value::String(command)) => Ok((several(command)?, object.remove("id"))),
            _ => Err("a request is an object with a string `command`".to_owned()),
        },
        Ok(_) => Err("a request is a string, or an object with a string `command`".to_owned()),
        Err(error) => Err(format!("this is no JSON: {error}")),
    }
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(value).map_err(|error| Failure::Failed(format!("error: {error}")))?;
    Ok(text + "\n")
}
