//! Which machine code is made for: `host`, `generic`, these with a GPU, or a file.

use super::{Gpu, Machine, ParseError};
use crate::text_file::why;
use std::path::{Path, PathBuf};

/// The environment variable that says which machine it is where nothing else does.
pub const ENVIRONMENT: &str = "POLYRS_MACHINE";

/// Where a description comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The machine that this runs on.
    Host,
    /// [`Machine::generic`].
    Generic,
    /// A file, in the file form.
    File(PathBuf),
    /// The machine that this runs on, with a GPU of this name.
    HostWithGpu(String),
    /// [`Machine::generic`], with a GPU of this name.
    GenericWithGpu(String),
}

/// Why there is no description.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error("cannot read {path}: {why}{help}", path = path.display(), why = why(error), help = help(path, error))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// It is no description.
    #[error("{path}:{line}:1: {problem}", path = path.display(), line = error.line, problem = error.problem)]
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and why.
        error: ParseError,
    },
    /// No GPU has the name.
    #[error("{0}")]
    Gpu(String),
}

impl Choice {
    /// `host`, `generic`, these with `+` and the name of a GPU behind them, or else the name of a file; `./host` is a
    /// file of that name.
    pub fn of(text: &str) -> Choice {
        match (text, text.split_once('+')) {
            ("host", _) => Choice::Host,
            ("generic", _) => Choice::Generic,
            (_, Some(("host", gpu))) => Choice::HostWithGpu(gpu.to_owned()),
            (_, Some(("generic", gpu))) => Choice::GenericWithGpu(gpu.to_owned()),
            (file, _) => Choice::File(PathBuf::from(file)),
        }
    }

    /// What [`ENVIRONMENT`] says; the machine that this runs on, where it says nothing.
    pub fn of_environment() -> Choice {
        Self::from_environment(std::env::var_os(ENVIRONMENT).as_deref())
    }

    fn from_environment(value: Option<&std::ffi::OsStr>) -> Choice {
        match value {
            None => Choice::Host,
            Some(value) if value.is_empty() => Choice::Host,
            // What is no text can only be a file.
            Some(value) => value.to_str().map_or_else(|| Choice::File(value.into()), Choice::of),
        }
    }

    /// The description.
    ///
    /// # Errors
    /// A file that cannot be read or is no description; a GPU that has no such name. The host is always described.
    pub fn load(&self) -> Result<Machine, LoadError> {
        match self {
            Choice::Host => Ok(Machine::host().machine.clone()),
            Choice::Generic => Ok(Machine::generic()),
            Choice::File(path) => read(path),
            Choice::HostWithGpu(gpu) => with_gpu(Machine::host().machine.clone(), gpu),
            Choice::GenericWithGpu(gpu) => with_gpu(Machine::generic(), gpu),
        }
    }

    /// The description in its file form, with comments that say which values of a host were found out.
    ///
    /// # Errors
    /// As for [`Choice::load`].
    pub fn to_text(&self) -> Result<String, LoadError> {
        match self {
            Choice::Host => Ok(Machine::host().to_text()),
            Choice::HostWithGpu(_) => {
                let gpu = self.load()?.gpu.map_or_else(String::new, |gpu| gpu.to_string());
                Ok(Machine::host().to_text() + &gpu)
            }
            _ => Ok(self.load()?.to_string()),
        }
    }
}

/// What would help where there is no file of the name, which may be meant as a word.
fn help(path: &Path, error: &std::io::Error) -> &'static str {
    let is_word = path.components().count() == 1;
    let is_missing = error.kind() == std::io::ErrorKind::NotFound;
    if is_word && is_missing { "; a machine is host, generic, host+sm_80 or the like, or a file" } else { "" }
}

fn with_gpu(machine: Machine, gpu: &str) -> Result<Machine, LoadError> {
    Ok(Machine { gpu: Gpu::named(gpu).map_err(LoadError::Gpu)?, ..machine })
}

fn read(path: &Path) -> Result<Machine, LoadError> {
    let text = std::fs::read_to_string(path).map_err(|error| LoadError::Read { path: path.into(), error })?;
    Machine::parse(&text).map_err(|error| LoadError::Parse { path: path.into(), error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn names_and_files_are_told_apart() {
        assert_eq!(
            ["host", "generic", "./host"].map(Choice::of),
            [Choice::Host, Choice::Generic, Choice::File("./host".into())]
        );
        let of = |value: &str| Choice::from_environment(Some(OsStr::new(value)));
        assert_eq!(
            [of(""), of("host"), of("generic"), of("m.txt")],
            [Choice::Host, Choice::Host, Choice::Generic, Choice::File("m.txt".into())]
        );
        assert_eq!(Choice::from_environment(None), Choice::Host);
        assert_eq!(Choice::Generic.load().unwrap(), Machine::generic());
        assert_eq!(Choice::Host.load().unwrap(), Machine::host().machine);
    }

    #[test]
    fn a_gpu_is_added_by_name() {
        assert_eq!(
            ["host+sm_80", "generic+", "./host+sm_80", "a+sm_80"].map(Choice::of),
            [
                Choice::HostWithGpu("sm_80".into()),
                Choice::GenericWithGpu(String::new()),
                Choice::File("./host+sm_80".into()),
                Choice::File("a+sm_80".into())
            ]
        );
        for (text, base) in [("host+sm_90", Choice::Host), ("generic+sm_90", Choice::Generic)] {
            let machine = Machine { gpu: Gpu::preset("sm_90"), ..base.load().unwrap() };
            assert_eq!(Choice::of(text).load().unwrap(), machine);
            let printed = Choice::of(text).to_text().unwrap();
            assert!(printed.starts_with(&base.to_text().unwrap()), "{printed}");
            assert_eq!(Machine::parse(&printed).unwrap(), machine);
        }
        assert_eq!(Choice::of("generic+none").load().unwrap(), Machine::generic());
        let unknown = |text: &str| Choice::of(text).load().unwrap_err().to_string();
        assert_eq!(unknown("host+sm_75"), "no GPU is called `sm_75`; there are sm_70, sm_80, sm_90, none");
        assert_eq!(unknown("generic+"), "no GPU is called ``; there are sm_70, sm_80, sm_90, none");
    }

    #[test]
    fn files_that_are_none_are_named() {
        let missing = Choice::of("/nowhere/machine").load().unwrap_err().to_string();
        assert!(missing.starts_with("cannot read /nowhere/machine: "), "{missing}");
        let this = Choice::File(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).load().unwrap_err();
        assert!(this.to_string().ends_with("Cargo.toml:1:1: a line is `key: value`"), "{this}");
    }
}
