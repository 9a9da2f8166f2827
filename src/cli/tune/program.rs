//! The user's build and program: how they are run, and what is learned of it.

use super::times::{Row, rows};
use crate::failure::Failure;
use crate::report::surroundings::{Folder, Surroundings};
use polyrs::tuning::Tuned;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// What only `polyrs tune` sets: docs/tune.md.
const CANDIDATES: &str = "POLYRS_TUNE_CANDIDATES";
const TIMERS: &str = "POLYRS_TUNE_TIMERS";
const TIMES: &str = "POLYRS_TUNE_TIMES";
const FILE: &str = "POLYRS_TUNE_FILE";
const TUNED: &str = "POLYRS_TUNED";
const RECORDS: &str = "POLYRS_RECORDS";

/// A run may take so many times as long as the first one, and so much longer, before it is ended.
const SLOWER: u32 = 20;
const LONGER: Duration = Duration::from_secs(20);

/// So many lines of what failed are shown.
const LAST: usize = 20;

/// What compilers are asked for.
#[derive(Debug, Clone, Copy)]
pub enum Wanted<'a> {
    /// Records of all regions with at most so many candidates each, and timers.
    Candidates(usize),
    /// Timers, and the choices of a file, if there is one.
    Timers(Option<&'a Path>),
    /// What users get, with the choices of a file, if there is one.
    Plain(Option<&'a Path>),
}

/// A build, and the program that it makes.
pub struct Program<'a> {
    pub build: &'a str,
    pub command: &'a [OsString],
    pub surroundings: &'a Surroundings,
    pub folder: &'a Folder,
    /// How long the first run took; no bound before that.
    pub first: Option<Duration>,
    /// How many builds and runs there were.
    pub builds: usize,
    pub runs: usize,
}

/// One run.
#[derive(Debug, Clone)]
pub struct Run {
    /// How long the program took, in seconds.
    pub seconds: f64,
    /// What it printed, and how it ended.
    pub said: Said,
    /// The times of its regions.
    pub rows: Vec<Row>,
}

/// What a program printed on standard output, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    output: Vec<u8>,
    status: ExitStatus,
    was_ended: bool,
}

impl Said {
    /// Why this is no good end; nothing if it is one.
    pub fn fault(&self) -> Option<String> {
        let after = SLOWER;
        match (self.was_ended, self.status.signal(), self.status.code()) {
            (true, ..) => Some(format!("it was ended as it took more than {after} times as long as before")),
            (_, Some(signal), _) => Some(format!("it was killed by signal {signal}")),
            (_, None, Some(0)) => None,
            (_, None, code) => Some(format!("it ended with exit code {}", code.unwrap_or(1))),
        }
    }
}

impl Program<'_> {
    /// Builds the program.
    ///
    /// # Errors
    /// The build fails, with the end of what it said.
    pub fn build(&mut self, wanted: Wanted<'_>) -> Result<(), Failure> {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(self.build);
        self.surroundings.apply(&mut command);
        for variable in [CANDIDATES, TIMERS, TUNED] {
            command.env_remove(variable);
        }
        let tuned = match wanted {
            Wanted::Candidates(most) => {
                command.env(CANDIDATES, most.to_string()).env(TIMERS, "1");
                None
            }
            Wanted::Timers(tuned) => {
                command.env_remove(RECORDS).env(TIMERS, "1");
                tuned
            }
            Wanted::Plain(tuned) => {
                command.env_remove(RECORDS);
                tuned
            }
        };
        // Whatever the build says itself.
        let none = self.folder.path().join("none.tuned");
        fs::write(&none, Tuned::default().to_text())
            .map_err(|error| Failure::Failed(format!("error: {}: {error}", none.display())))?;
        command.env(FILE, tuned.unwrap_or(&none));
        self.builds += 1;
        let log = self.folder.path().join("build.log");
        let wrong = |error: std::io::Error| Failure::Failed(format!("error: {}: {error}", log.display()));
        let file = File::create(&log).map_err(wrong)?;
        command.stdin(Stdio::null()).stderr(file.try_clone().map_err(wrong)?).stdout(file);
        let status =
            command.status().map_err(|error| Failure::Failed(format!("error: /bin/sh cannot be started: {error}")))?;
        if status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&fs::read(&log).unwrap_or_default()).into_owned();
        let lines: Vec<&str> = said.lines().collect();
        let last = lines[lines.len().saturating_sub(LAST)..].join("\n");
        Err(Failure::Failed(format!("{last}\nerror: the build ({}) ended with {status}", self.build)))
    }

    /// The end of what the last run said on standard error.
    pub fn last_words(&self) -> String {
        let said = fs::read(self.folder.path().join("errors")).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = said.lines().collect();
        lines[lines.len().saturating_sub(LAST)..].iter().map(|line| format!("{line}\n")).collect()
    }

    /// Runs the program once.
    ///
    /// # Errors
    /// It cannot be started, or what it wrote cannot be read.
    pub fn run(&mut self) -> Result<Run, Failure> {
        let place = |name: &str| self.folder.path().join(name);
        let (times, output) = (place("times"), place("output"));
        let _ = fs::remove_file(&times);
        let wrong = |file: &PathBuf, error| Failure::Failed(format!("error: {}: {error}", file.display()));
        let Some((name, arguments)) = self.command.split_first() else {
            return Err(Failure::Input("error: there is no program to measure".to_owned()));
        };
        let mut command = Command::new(name);
        command.args(arguments).stdin(Stdio::null()).env(TIMES, &times).env_remove(FILE).env_remove(TIMERS);
        command.stdout(File::create(&output).map_err(|error| wrong(&output, error))?);
        let errors = place("errors");
        command.stderr(File::create(&errors).map_err(|error| wrong(&errors, error))?);
        self.runs += 1;
        let start = Instant::now();
        let child = command
            .spawn()
            .map_err(|error| Failure::Input(format!("error: {} cannot be started: {error}", name.display())))?;
        let most = self.first.map(|first| first * SLOWER + LONGER);
        let (status, was_ended) = wait(child, most).map_err(|error| wrong(&output, error))?;
        let took = start.elapsed();
        self.first.get_or_insert(took);
        let output = fs::read(&output).map_err(|error| wrong(&output, error))?;
        // A program that is killed tells nothing.
        let rows = rows(&fs::read_to_string(&times).unwrap_or_default());
        Ok(Run { seconds: took.as_secs_f64(), said: Said { output, status, was_ended }, rows })
    }
}

/// Waits for a program, which is ended when it takes more than the time that it may.
fn wait(mut child: std::process::Child, most: Option<Duration>) -> std::io::Result<(ExitStatus, bool)> {
    let Some(most) = most else { return Ok((child.wait()?, false)) };
    let number = child.id().to_string();
    let (done, ended) = mpsc::channel::<()>();
    let watchdog = std::thread::spawn(move || {
        let is_late = ended.recv_timeout(most) == Err(mpsc::RecvTimeoutError::Timeout);
        is_late && Command::new("/bin/kill").args(["-KILL", &number]).status().is_ok()
    });
    let status = child.wait();
    drop(done);
    let was_ended = watchdog.join().unwrap_or(false);
    Ok((status?, was_ended))
}
