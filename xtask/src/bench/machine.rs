//! What a measurement was taken on and with.

use crate::command::Command;
use crate::project::{Project, llvm_tool};
use serde_json::{Map, Value};
use std::time::{SystemTime, UNIX_EPOCH};

/// Facts about the machine and the tools; what cannot be found out is left out.
pub fn describe(project: &Project) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            facts.insert(name.to_owned(), Value::from(value));
        }
    };
    add("processor", first_field("/proc/cpuinfo", "model name"));
    add("memory", first_field("/proc/meminfo", "MemTotal"));
    add("system", read_os_release());
    add("clang", first_line(Command::new(llvm_tool("clang")).arg("--version")));
    add("rustc", first_line(Command::new("rustc").arg("--version")));
    let head = Command::new("git").args(["describe", "--always", "--dirty"]).directory(&project.root);
    add("commit", first_line(head));
    add("date", first_line(Command::new("date").args(["-u", "+%Y-%m-%d"])));
    add("target", said(Command::new(project.target.join("release/polyrs")).arg("target")));
    if let Ok(cores) = std::thread::available_parallelism() {
        facts.insert("cores".to_owned(), Value::from(cores.get()));
    }
    if let Ok(now) = SystemTime::now().duration_since(UNIX_EPOCH) {
        facts.insert("unix_time".to_owned(), Value::from(now.as_secs()));
    }
    facts
}

fn first_field(path: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| field(line, name))
}

/// The value of a `name : value` line.
fn field(line: &str, name: &str) -> Option<String> {
    let (key, value) = line.split_once(':')?;
    (key.trim() == name).then(|| value.trim().to_owned())
}

fn read_os_release() -> Option<String> {
    let text = std::fs::read_to_string("/etc/os-release").ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_owned())
}

/// All that a command says, in one line.
fn said(command: Command) -> Option<String> {
    let text = command.checked().ok()?.stdout;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    Some(lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; "))
}

fn first_line(command: Command) -> Option<String> {
    command.checked().ok()?.stdout.lines().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        assert_eq!(field("model name\t: Zen 5", "model name").as_deref(), Some("Zen 5"));
        assert_eq!(field("model\t\t: 26", "model name"), None);
    }
}
