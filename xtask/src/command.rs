//! Runs other programs: quietly with the output in hand, or shown while it is being read.

use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{ExitStatus, Stdio};

/// A program and its arguments. Prints as a line that can be typed.
pub struct Command {
    inner: std::process::Command,
}

/// What a finished program said.
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Command {
    /// A command that runs `program`.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let mut inner = std::process::Command::new(program);
        // What Cargo tells this program about itself is wrong for the Cargo that this program starts.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                inner.env_remove(&name);
            }
        }
        Self { inner }
    }

    /// The Cargo that started this program.
    pub fn cargo() -> Self {
        Self::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    /// Adds one argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.inner.arg(argument);
        self
    }

    /// Adds arguments.
    pub fn args<I: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = I>) -> Self {
        self.inner.args(arguments);
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.inner.env(name, value);
        self
    }

    /// Sets the folder to run in.
    pub fn directory(mut self, folder: &Path) -> Self {
        self.inner.current_dir(folder);
        self
    }

    /// Runs it with this program's own input and outputs.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn status(mut self) -> Result<ExitStatus> {
        self.inner.status().with_context(|| format!("cannot start `{self}`"))
    }

    /// Runs it and keeps both outputs.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn output(mut self) -> Result<Output> {
        let output = self.inner.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{self}`"))?;
        Ok(Output {
            status: output.status,
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Runs it and keeps both outputs; a program that fails is an error that carries what it said.
    ///
    /// # Errors
    /// When the program cannot be started or fails.
    pub fn checked(self) -> Result<Output> {
        let line = self.to_string();
        let output = self.output()?;
        if !output.status.success() {
            bail!("`{line}` failed ({}):\n{}", output.status, tail(&output.stderr, 30));
        }
        Ok(output)
    }

    /// Runs it, shows both outputs as they come and keeps them.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn tee(mut self) -> Result<Output> {
        let mut child = self
            .inner
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start `{self}`"))?;
        let errors = child.stderr.take().context("no standard error to read")?;
        let reader = std::thread::spawn(move || copy_lines(errors, std::io::stderr()));
        let stdout = copy_lines(child.stdout.take().context("no standard output to read")?, std::io::stdout());
        let stderr = reader.join().unwrap_or_default();
        Ok(Output { status: child.wait()?, stdout, stderr })
    }
}

impl std::fmt::Display for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let program = Path::new(self.inner.get_program());
        write!(f, "{}", program.file_name().unwrap_or(program.as_os_str()).to_string_lossy())?;
        for argument in self.inner.get_args() {
            let text = argument.to_string_lossy();
            if text.is_empty() || text.contains([' ', '(', ')', '*', '$', '\'', ';']) {
                write!(f, " '{}'", text.replace('\'', r"'\''"))?;
            } else {
                write!(f, " {text}")?;
            }
        }
        Ok(())
    }
}

/// Copies line by line, so that two streams do not mix within a line, and returns what was copied.
fn copy_lines(from: impl Read, mut to: impl Write) -> String {
    let mut text = String::new();
    let mut line = Vec::new();
    let mut reader = BufReader::new(from);
    while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        // A closed output only loses the display; the text is still wanted.
        let _ = to.write_all(&line).and_then(|()| to.flush());
        text.push_str(&String::from_utf8_lossy(&line));
        line.clear();
    }
    text
}

/// The first `count` lines of `text`.
pub fn head(text: &str, count: usize) -> String {
    text.lines().take(count).collect::<Vec<_>>().join("\n")
}

/// The last `count` lines of `text`.
pub fn tail(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Command, head, tail};

    #[test]
    fn a_command_prints_as_it_can_be_typed() {
        let command = Command::new("/usr/bin/mlir-opt").arg("--poly-schedule=tile=true parallel=false");
        assert_eq!(command.to_string(), "mlir-opt '--poly-schedule=tile=true parallel=false'");
    }

    #[test]
    fn a_failing_command_carries_what_it_said() {
        let error = Command::new("sh").args(["-c", "echo bad >&2; exit 3"]).checked().err().unwrap();
        assert!(error.to_string().contains("bad"), "{error}");
    }

    #[test]
    fn head_and_tail_keep_their_ends() {
        assert_eq!(head("a\nb\nc\n", 2), "a\nb");
        assert_eq!(tail("a\nb\nc\n", 2), "b\nc");
        assert_eq!(tail("a", 5), "a");
    }
}
