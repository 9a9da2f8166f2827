//! Which machine code is made for: `host`, `generic`, or a file.

use super::{Machine, ParseError};
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
}

/// Why a file gives no description.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error("cannot read {path}: {error}", path = path.display())]
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
}

impl Choice {
    /// `host`, `generic`, or else the name of a file; `./host` is a file of that name.
    pub fn of(text: &str) -> Choice {
        match text {
            "host" => Choice::Host,
            "generic" => Choice::Generic,
            file => Choice::File(PathBuf::from(file)),
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
    /// A file that cannot be read or is no description. The host is always described.
    pub fn load(&self) -> Result<Machine, LoadError> {
        match self {
            Choice::Host => Ok(Machine::host().machine.clone()),
            Choice::Generic => Ok(Machine::generic()),
            Choice::File(path) => read(path),
        }
    }

    /// The description in its file form, with comments that say which values of a host were found out.
    ///
    /// # Errors
    /// As for [`Choice::load`].
    pub fn to_text(&self) -> Result<String, LoadError> {
        match self {
            Choice::Host => Ok(Machine::host().to_text()),
            _ => Ok(self.load()?.to_string()),
        }
    }
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
    fn files_that_are_none_are_named() {
        let missing = Choice::of("/nowhere/machine").load().unwrap_err().to_string();
        assert!(missing.starts_with("cannot read /nowhere/machine: "), "{missing}");
        let this = Choice::File(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).load().unwrap_err();
        assert!(this.to_string().ends_with("Cargo.toml:1:1: a line is `key: value`"), "{this}");
    }
}
