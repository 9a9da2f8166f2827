//! Whether a compiler loads the plugin. How it ends does not tell: clang goes on, and says nothing, where the system's
//! loader has no room left for what the plugin keeps for each thread. So a small loop nest is compiled that the plugin
//! takes, and the compiler must hand on that it did.

use super::finding::State;
use super::process::{Outcome, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A compilation takes less than a second; a machine may be busy, or start its first one from a slow disk.
const LIMIT: Duration = Duration::from_secs(30);

/// What the plugin says of the region of each input.
const REMARK: &str = "scop: product";

/// A plugin whose files are there.
pub struct Plugin {
    file: PathBuf,
}

/// A compiler that can load it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiler {
    Clang,
    Opt,
    MlirOpt,
    Flang,
}

/// What a compilation with the plugin showed.
pub struct Verdict {
    /// Works, or fails.
    pub state: State,
    /// What was seen.
    pub detail: String,
    /// What would help, where that is known.
    pub help: Option<String>,
}

impl Plugin {
    /// The plugin in a file.
    pub fn new(file: PathBuf) -> Self {
        Self { file }
    }

    /// Its file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Has a compiler, which is in `program`, compile a loop nest with the plugin.
    pub fn probe(&self, compiler: Compiler, program: &Path) -> Verdict {
        let mut command = Command::new(program);
        command.args(compiler.arguments(&self.file));
        verdict(run(command, compiler.input(), LIMIT))
    }
}

impl Compiler {
    /// All of them.
    pub const ALL: [Compiler; 4] = [Compiler::Clang, Compiler::Flang, Compiler::MlirOpt, Compiler::Opt];

    /// The name of its program.
    pub fn name(self) -> &'static str {
        match self {
            Compiler::Clang => "clang",
            Compiler::Opt => "opt",
            Compiler::MlirOpt => "mlir-opt",
            Compiler::Flang => "flang",
        }
    }

    /// The Debian package that has it.
    pub fn package(self) -> &'static str {
        match self {
            Compiler::Clang => "clang-22",
            Compiler::Opt => "llvm-22",
            Compiler::MlirOpt => "mlir-22-tools",
            Compiler::Flang => "flang-22",
        }
    }

    /// The loop nest in its language.
    fn input(self) -> &'static str {
        match self {
            Compiler::Clang => include_str!("inputs/product.c"),
            Compiler::Opt => include_str!("inputs/product.ll"),
            Compiler::MlirOpt => include_str!("inputs/product.mlir"),
            Compiler::Flang => include_str!("inputs/product.f90"),
        }
    }

    /// What has it compile standard input with the plugin.
    fn arguments(self, plugin: &Path) -> Vec<String> {
        let plugin = plugin.display();
        let driver = |language: &str| {
            let load = format!("-fpass-plugin={plugin}");
            let remarks = ["-Rpass=poly-schedule", "-Rpass-missed=poly-schedule"].map(str::to_owned);
            let rest = ["-O2", "-x", language, "-c", "-", "-o", "/dev/null"].map(str::to_owned);
            std::iter::once(load).chain(remarks).chain(rest).collect()
        };
        match self {
            Compiler::Clang => driver("c"),
            Compiler::Flang => driver("f95"),
            Compiler::MlirOpt => {
                vec![format!("--load-pass-plugin={plugin}"), "--poly-schedule".into(), "-o".into(), "/dev/null".into()]
            }
            Compiler::Opt => vec![
                format!("-load-pass-plugin={plugin}"),
                "-passes=poly-schedule".into(),
                "-pass-remarks=poly-schedule".into(),
                "-pass-remarks-missed=poly-schedule".into(),
                "-o".into(),
                "/dev/null".into(),
            ],
        }
    }
}

fn verdict(outcome: Outcome) -> Verdict {
    let fails =
        |detail: String, help: Option<&str>| Verdict { state: State::Fails, detail, help: help.map(str::to_owned) };
    match outcome {
        Outcome::NotStarted(error) => fails(format!("cannot be started: {error}"), None),
        Outcome::Late => fails(
            format!("compiled nothing within {} seconds with the plugin", LIMIT.as_secs()),
            Some("try it again when the machine is less busy, and without the plugin"),
        ),
        Outcome::Ended { status, errors, .. } if status.success() && errors.contains(REMARK) => {
            Verdict { state: State::Works, detail: String::new(), help: None }
        }
        Outcome::Ended { status, errors, .. } if status.success() => match said(&errors) {
            Some(said) => fails(format!("loaded the plugin, which took no loop: {said}"), None),
            None => fails(
                "ended well, but did not run the plugin".to_owned(),
                Some(
                    "where the loader has no room for the plugin (static TLS), this helps: \
                     GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096",
                ),
            ),
        },
        Outcome::Ended { status, errors, .. } => {
            let said = said(&errors).map_or_else(|| format!("it said nothing ({status})"), str::to_owned);
            let help = errors
                .contains("static TLS")
                .then_some("GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096 gives the loader more room");
            fails(format!("with the plugin: {said}"), help)
        }
    }
}

/// The line of what a compiler said that tells most: the first error, or else the first line.
fn said(errors: &str) -> Option<&str> {
    let lines = || errors.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines().find(|line| ["error", "ERROR", "Failed"].iter().any(|word| line.contains(word)));
    error.or_else(|| lines().next())
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn the_first_error_is_told() {
        assert_eq!(said("warning: a\n\nerror: b\nerror: c\n"), Some("error: b"));
        assert_eq!(said("\n a\nb\n"), Some("a"));
        assert_eq!(said("\n"), None);
    }
}
