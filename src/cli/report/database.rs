//! A compilation database: each entry is compiled with records, and nothing else of it is kept.

use super::surroundings::Surroundings;
use super::words_of_shell::words;
use crate::failure::Failure;
use polyrs::text_file::why;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// One compilation, as <https://clang.llvm.org/docs/JSONCompilationDatabase.html> has it.
#[derive(Debug, Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    command: String,
}

/// Options that write files beside the object, with how many words behind them belong to them.
const OUTPUTS: [(&str, usize); 10] = [
    ("-o", 1),
    ("--output", 1),
    ("-MF", 1),
    ("-MT", 1),
    ("-MQ", 1),
    ("-MJ", 1),
    ("-MD", 0),
    ("-MMD", 0),
    ("-MP", 0),
    ("-save-temps", 0),
];

/// How others of them begin, whose values follow without a blank. What they write would lie beside the object, which is nowhere; and a
/// compiler that writes records itself keeps the plugin from writing its own.
const OUTPUTS_WITH_VALUES: [&str; 11] = [
    "-o",
    "--output=",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-save-temps=",
    "-gsplit-dwarf",
    "-ftime-trace",
    "-fsave-optimization-record",
    "-foptimization-record-file=",
];

/// Compiles all entries, as many at a time as there are processors. The result says what could not be compiled.
///
/// # Errors
/// The database cannot be read.
pub fn compile(file: &Path, surroundings: &Surroundings, llvm: &Path) -> Result<Vec<String>, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::Input(format!("error: {}: {error}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| wrong(&why(&error)))?;
    let entries: Vec<Entry> = serde_json::from_str(&text)
        .map_err(|error| wrong(&format!("this is no compilation database (compile_commands.json): {error}")))?;
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((number, entry)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|n| Some((n, entries.get(n)?)))
        {
            if let Err(what) = entry.compile(surroundings, llvm) {
                let told = format!("{} was not compiled: {what}", entry.file.display());
                failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((number, told));
            }
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from).min(entries.len().max(1));
    thread::scope(|scope| (0..workers).for_each(|_| _ = scope.spawn(work)));
    let mut failed = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    failed.sort();
    Ok(failed.into_iter().map(|(_, told)| told).collect())
}

impl Entry {
    /// Compiles it.
    fn compile(&self, surroundings: &Surroundings, llvm: &Path) -> Result<(), String> {
        let given = if self.arguments.is_empty() { words(&self.command) } else { self.arguments.clone() };
        let Some((compiler, arguments)) = given.split_first() else {
            return Err("the entry has no command".to_owned());
        };
        let mut command = Command::new(compiler_for(compiler, llvm));
        command.args(without_outputs(arguments)).args(["-o", "/dev/null"]).current_dir(&self.directory);
        surroundings.apply(&mut command);
        let output = command.stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("{compiler} cannot be started: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let first = errors.lines().find(|line| line.contains("error")).or_else(|| errors.lines().next());
        Err(first.map_or_else(|| output.status.to_string(), str::to_owned))
    }
}

/// The compiler of an entry, or the one of LLVM that is for the same language.
fn compiler_for(given: &str, llvm: &Path) -> PathBuf {
    let name = Path::new(given).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let own = |name: &str| llvm.join("bin").join(name);
    match name.as_str() {
        name if name.contains("clang") || name.contains("flang") => PathBuf::from(given),
        name if name.contains("fortran") || name == "f77" || name == "f95" => own("flang"),
        name if name.contains("++") || name == "CC" => own("clang++"),
        _ => own("clang"),
    }
}

/// The arguments but for those that write files.
fn without_outputs(arguments: &[String]) -> Vec<&String> {
    let mut rest = arguments.iter();
    let mut kept = Vec::new();
    while let Some(argument) = rest.next() {
        match OUTPUTS.iter().find(|(option, _)| option == argument) {
            Some((_, more)) => rest.by_ref().take(*more).for_each(drop),
            None if argument.starts_with("-objc") => kept.push(argument),
            None if OUTPUTS_WITH_VALUES.iter().any(|output| argument.starts_with(output)) => {}
            None => kept.push(argument),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{compiler_for, without_outputs};
    use std::path::Path;

    #[test]
    fn nothing_is_written_but_records() {
        let given = ["-c", "a.c", "-MD", "-MF", "a.d", "-o", "a.o", "-O2", "-ob.o"].map(str::to_owned);
        assert_eq!(without_outputs(&given), ["-c", "a.c", "-O2"]);
        assert!(without_outputs(&["-o".to_owned()]).is_empty());
        let beside =
            ["-g", "-gsplit-dwarf=single", "-ftime-trace", "-fsave-optimization-record", "-MFa.d", "--output=b.o"];
        assert_eq!(without_outputs(&beside.map(str::to_owned)), ["-g"]);
        assert_eq!(
            without_outputs(&["--output", "b.o", "-objcmt-migrate-all"].map(str::to_owned)),
            ["-objcmt-migrate-all"]
        );
    }

    #[test]
    fn other_compilers_have_a_counterpart() {
        let of = |name| compiler_for(name, Path::new("/l")).display().to_string();
        assert_eq!(
            (of("/usr/bin/cc"), of("x86_64-linux-gnu-g++-12")),
            ("/l/bin/clang".to_owned(), "/l/bin/clang++".to_owned())
        );
        assert_eq!((of("gfortran"), of("/opt/clang-22")), ("/l/bin/flang".to_owned(), "/opt/clang-22".to_owned()));
    }
}
