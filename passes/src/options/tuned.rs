//! The option `tuned`, and what only `polyrs tune` asks for, by way of the environment.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use polyrs_core::text_file::read;
use polyrs_core::tuning::Tuned;

use super::file::reject_stream;
use super::value::{OptionError, Values, option};
use polyrs_host::OptionRow;

/// The environment variable with another default, for builds that are not to be changed.
const ENVIRONMENT: &str = "POLYRS_TUNED";

/// The environment variable with the file of a search that is going on: it counts more than what users say.
const SEARCHED: &str = "POLYRS_TUNE_FILE";

/// The environment variable that has the candidates of each region written beside its records, so many at most.
const CANDIDATES: &str = "POLYRS_TUNE_CANDIDATES";

/// The environment variable that puts timers around regions of LLVM IR.
const TIMERS: &str = "POLYRS_TUNE_TIMERS";

/// The option's name.
const NAME: &str = "tuned";

/// The option.
pub const TUNED: OptionRow = option(
    NAME,
    "FILE",
    "",
    "Take the choices that `polyrs tune` measured (docs/tune.md; default: those of the file that POLYRS_TUNED names)",
);

/// What a file says, and what is to be found out for one.
#[derive(Clone, Debug, Default)]
pub struct Tuning {
    /// The choices, and the name of their file.
    pub file: Option<Arc<(Tuned, String)>>,
    /// So many candidates of a region are written beside its records.
    pub candidates: Option<usize>,
    /// There are timers around regions.
    pub timers: bool,
}

impl Tuning {
    /// Somebody wants to know which region this is.
    pub fn is_asked(&self) -> bool {
        self.file.is_some() || self.candidates.is_some() || self.timers
    }
}

/// Reads the option and the environment.
///
/// # Errors
/// A file that cannot be read or has something wrong in it, and where.
pub fn tuning(values: &Values) -> Result<Tuning, OptionError> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    Ok(Tuning {
        file: file(values, [SEARCHED, ENVIRONMENT].map(variable))?,
        candidates: variable(CANDIDATES).and_then(|value| value.to_string_lossy().trim().parse().ok()),
        timers: variable(TIMERS).is_some(),
    })
}

fn file(
    values: &Values,
    [searched, environment]: [Option<OsString>; 2],
) -> Result<Option<Arc<(Tuned, String)>>, OptionError> {
    let named = |asker, name: OsString| (asker, name.to_string_lossy().into_owned());
    let found = searched.map(|name| named(SEARCHED, name)).or(values.optional(NAME).map(|name| (NAME, name)));
    let found = found.or(environment.map(|name| named(ENVIRONMENT, name)));
    let Some((asker, name)) = found else { return Ok(None) };
    let wrong = |problem: String| OptionError::File { option: asker.to_owned(), problem: format!("{name}: {problem}") };
    let unread = |problem| OptionError::File { option: asker.to_owned(), problem };
    let text = read(&reject_stream(asker, PathBuf::from(&name))?).map_err(unread)?;
    let tuned = Tuned::parse(&text).map_err(|error| wrong(error.to_string()))?;
    Ok(Some(Arc::new((tuned, name))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let read_with = |searched: Option<&str>, option: &str, environment: Option<&str>| {
            let values = Values::new([(NAME.to_owned(), option.to_owned())]);
            file(&values, [searched, environment].map(|name| name.map(OsString::from)))
        };
        let read_option = |option: &str, environment| read_with(None, option, environment);
        let error = read_with(Some("/first"), "/none/such", Some("/other")).unwrap_err().to_string();
        assert!(error.starts_with("environment variable POLYRS_TUNE_FILE: cannot read /first: "), "{error}");
        assert!(read_option("", None).unwrap().is_none());
        let error = read_option("/none/such", Some("/other")).unwrap_err().to_string();
        assert!(error.starts_with("option 'tuned': cannot read /none/such: "), "{error}");
        let error = read_option("", Some("/other/such")).unwrap_err().to_string();
        assert!(error.starts_with("environment variable POLYRS_TUNED: cannot read /other/such: "), "{error}");
        let path = std::env::temp_dir().join(format!("polyrs-option-tuned-{}", std::process::id()));
        std::fs::write(&path, "version = 1\n\n[[region]]\nkey = 3\n").unwrap();
        let error = read_option(path.to_str().unwrap(), None).unwrap_err().to_string();
        std::fs::remove_file(&path).unwrap();
        assert!(error.contains(": line "), "{error}");
    }
}
