//! Which compilers there are, and of which version.

use super::finding::{Finding, State};
use super::probe::{Compiler, Plugin, Verdict};
use super::process::{Outcome, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The version of LLVM that the plugin is built for, and fits alone.
const LLVM: &str = "22";

/// For a program that only says its version.
const LIMIT: Duration = Duration::from_secs(10);

/// Where compilers may be.
pub struct Places {
    /// The folders of PATH.
    path: Vec<PathBuf>,
    /// The folder that LLVM 22 is installed to; other versions are beside it.
    llvm: PathBuf,
}

/// A program, with what it says of its version.
struct Program {
    file: PathBuf,
    /// Or why it says none.
    version: Result<String, String>,
}

impl Places {
    /// The folders of PATH, and one that LLVM is installed to.
    pub fn new(llvm: &Path) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self { path: std::env::split_paths(&path).collect(), llvm: llvm.to_owned() }
    }

    /// The programs of a compiler: those of the right name first, then any that bear another version's name. A
    /// program that has several names is there once.
    fn programs(&self, name: &str) -> Vec<PathBuf> {
        let versioned = format!("{name}-{LLVM}");
        let mut files: Vec<PathBuf> = self.path.iter().map(|folder| folder.join(&versioned)).collect();
        files.push(self.llvm.join("bin").join(name));
        files.extend(self.path.iter().map(|folder| folder.join(name)));
        for folder in &self.path {
            let is_version =
                |file: &str| file.strip_prefix(name).and_then(|rest| rest.strip_prefix('-')).is_some_and(is_number);
            files.extend(names(folder).into_iter().filter(|file| is_version(file)).map(|file| folder.join(file)));
        }
        if let Some(folder) = self.llvm.parent() {
            let is_llvm = |file: &str| file.strip_prefix("llvm-").is_some_and(is_number);
            let others = names(folder).into_iter().filter(|file| is_llvm(file));
            files.extend(others.map(|file| folder.join(file).join("bin").join(name)));
        }
        let mut seen = Vec::new();
        files.retain(|file| match file.canonicalize() {
            Ok(real) if real.is_file() && !seen.contains(&real) => {
                seen.push(real);
                true
            }
            _ => false,
        });
        files
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What is in a folder, in the order of names; nothing, where it cannot be read.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// What there is to tell of each compiler.
pub fn examine(places: &Places, plugin: Option<&Plugin>) -> Vec<Finding> {
    Compiler::ALL.into_iter().flat_map(|compiler| examine_one(places, compiler, plugin)).collect()
}

fn examine_one(places: &Places, compiler: Compiler, plugin: Option<&Plugin>) -> Vec<Finding> {
    let programs: Vec<Program> = places.programs(compiler.name()).into_iter().map(Program::ask).collect();
    let mut findings: Vec<Finding> = programs.iter().map(|program| program.finding(compiler, plugin)).collect();
    // Programs of other versions are told, but they are not what is looked for.
    if !programs.iter().any(Program::fits) {
        let detail = format!("no {0} of LLVM {LLVM} in PATH or {1}/bin", compiler.name(), places.llvm.display());
        let help = format!("Debian's package {} has it", compiler.package());
        findings.insert(0, Finding::new(compiler.name(), State::Missing, detail).help(help));
    }
    findings
}

impl Program {
    /// Asks a program which version it is of.
    fn ask(file: PathBuf) -> Self {
        let mut command = Command::new(&file);
        command.arg("--version");
        let version = match run(command, "", LIMIT) {
            Outcome::Ended { output, .. } => {
                version(&output).map(str::to_owned).ok_or_else(|| "does not say its version".to_owned())
            }
            Outcome::Late => Err(format!("does not say its version within {} seconds", LIMIT.as_secs())),
            Outcome::NotStarted(error) => Err(format!("cannot be started: {error}")),
        };
        Self { file, version }
    }

    /// Whether it is of the version that the plugin is built for.
    fn fits(&self) -> bool {
        self.version.as_ref().is_ok_and(|version| version.split('.').next() == Some(LLVM))
    }

    fn finding(&self, compiler: Compiler, plugin: Option<&Plugin>) -> Finding {
        let (state, detail, help) = match (&self.version, plugin) {
            (Err(problem), _) => (State::Fails, problem.clone(), None),
            (Ok(_), _) if !self.fits() => (State::OtherVersion, format!("the plugin fits LLVM {LLVM} only"), None),
            (Ok(_), None) => (State::Untried, "there is no plugin to try it with".to_owned(), None),
            (Ok(_), Some(plugin)) => {
                let Verdict { state, detail, help } = plugin.probe(compiler, &self.file);
                (state, detail, help)
            }
        };
        let version = self.version.as_ref().ok().cloned();
        Finding { subject: compiler.name(), state, file: Some(self.file.clone()), version, detail, help }
    }
}

/// The version in what a program of LLVM prints of itself.
fn version(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("version ")?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    Some(rest[..end].trim_end_matches('.')).filter(|version| !version.is_empty())
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_are_read() {
        assert_eq!(version("Debian clang version 22.1.8 (1~deb12u1)\nTarget: x"), Some("22.1.8"));
        assert_eq!(version("LLVM (http://llvm.org/):\n  LLVM version 19.1.7\n"), Some("19.1.7"));
        assert_eq!(version("clang version 23.0.0git"), Some("23.0.0"));
        assert_eq!(version("no such option"), None);
        assert_eq!(version("version unknown"), None);
    }
}
