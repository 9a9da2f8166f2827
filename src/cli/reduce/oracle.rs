//! The test that a region must pass to be kept.

use crate::failure::Failure;
use std::collections::HashMap;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often a running test is looked at.
const PAUSE: Duration = Duration::from_millis(5);

/// The variable of the shell that holds the name of the file.
const FILE: &str = "REGION";

/// A command of the shell, and what it said so far.
pub struct Oracle {
    command: String,
    most: usize,
    timeout: Duration,
    known: HashMap<String, bool>,
    /// The folder of the file that is tested.
    folder: PathBuf,
}

impl Oracle {
    /// A test that may run so many times, each time so long.
    pub fn new(command: &str, most: usize, timeout: Duration) -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("polyrs-reduce-{}", std::process::id()));
        let failed = |error| Failure::Failed(format!("error: {}: {error}", folder.display()));
        std::fs::create_dir_all(&folder).map_err(failed)?;
        Ok(Oracle { command: command.to_owned(), most, timeout, known: HashMap::new(), folder })
    }

    /// How many times the test ran.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// The test must not run any more.
    pub fn is_spent(&self) -> bool {
        self.count() >= self.most
    }

    /// Whether the test succeeds on a region. The same text is asked about once.
    pub fn accepts(&mut self, text: &str) -> Result<bool, Failure> {
        if let Some(known) = self.known.get(text) {
            return Ok(*known);
        }
        if self.is_spent() {
            return Ok(false);
        }
        let file = self.folder.join("region.scop");
        let answer = std::fs::write(&file, text).and_then(|()| self.run(&file));
        let answer = answer.map_err(|error| Failure::Failed(format!("error: the test cannot run: {error}")))?;
        self.known.insert(text.to_owned(), answer);
        Ok(answer)
    }

    fn run(&self, file: &std::path::Path) -> std::io::Result<bool> {
        let argument = format!("\"${FILE}\"");
        let behind = if names_file(&self.command) { "" } else { &argument };
        let mut child = Command::new("sh")
            .args(["-c", &format!("{} {behind}", self.command)])
            .env(FILE, file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A group of its own, so that its end is that of all it started.
            .process_group(0)
            .spawn()?;
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.success());
            }
            if start.elapsed() > self.timeout {
                Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status()?;
                child.wait()?;
                return Ok(false);
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// The command has the file's variable in it, in braces or as a whole word.
fn names_file(command: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    let (plain, braced) = (format!("${FILE}"), format!("${{{FILE}}}"));
    command.contains(&braced) || command.split(&plain).skip(1).any(ends)
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // What is left of a folder for temporary files harms nobody.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::names_file;

    #[test]
    fn the_variable_is_a_whole_word_or_in_braces() {
        assert!(names_file("grep S $REGION") && names_file("cat \"${REGION}\" | wc") && names_file("$REGION"));
        assert!(!names_file("cat $REGIONS") && !names_file("cat REGION") && !names_file(""));
    }
}
