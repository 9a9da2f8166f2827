//! Options that name files: what can be told before anything is compiled.
//!
//! A name with `%` is for as many files as there are regions, of which nothing is known yet.

use std::path::{Path, PathBuf};

use polyrs_core::text_file::read;

use super::value::{OptionError, Values};

/// Stands for the name of a region in the name of a file.
const REGION: char = '%';

/// A file that is to be read.
///
/// # Errors
/// It cannot be read.
pub fn input(values: &Values, option: &str) -> Result<Option<PathBuf>, OptionError> {
    let Some(name) = values.optional(option) else { return Ok(None) };
    if !name.contains(REGION) && !is_stream(Path::new(&name)) {
        read(Path::new(&name)).map_err(|problem| wrong(option, problem))?;
    }
    Ok(Some(PathBuf::from(name)))
}

/// A file that is read again for each function, so that it is no pipe.
///
/// # Errors
/// It cannot be read, or once only.
pub fn lasting(values: &Values, option: &str) -> Result<Option<PathBuf>, OptionError> {
    let found = input(values, option)?;
    found.map(|path| reject_stream(option, path)).transpose()
}

/// A file that is none that can be read once only.
///
/// # Errors
/// It is.
pub fn reject_stream(option: &str, path: PathBuf) -> Result<PathBuf, OptionError> {
    if is_stream(&path) {
        let problem = "is a pipe or a device, and is read more than once; name a file";
        return Err(wrong(option, format!("{} {problem}", path.display())));
    }
    Ok(path)
}

/// What can be read once only, as a pipe: that is left to who needs what is in it.
pub fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// A file that is to be written; folders around it are made when it is.
///
/// # Errors
/// It is a folder, or no folder can be made for it.
pub fn output(values: &Values, option: &str) -> Result<Option<PathBuf>, OptionError> {
    let Some(name) = values.optional(option) else { return Ok(None) };
    let path = PathBuf::from(name);
    if path.is_dir() {
        return Err(wrong(option, format!("{} is a folder; name a file in it", path.display())));
    }
    reject_folder(option, path.parent())?;
    Ok(Some(path))
}

/// A folder that is to be written to, and made where it is not there.
///
/// # Errors
/// It is something else, or no folder can be made there.
pub fn folder(values: &Values, option: &str) -> Result<Option<PathBuf>, OptionError> {
    let Some(name) = values.optional(option) else { return Ok(None) };
    let path = PathBuf::from(name);
    reject_folder(option, Some(&path))?;
    Ok(Some(path))
}

/// Something that is there under the name of the folder, or of one around it, is none.
fn reject_folder(option: &str, folder: Option<&Path>) -> Result<(), OptionError> {
    let there = folder.into_iter().flat_map(Path::ancestors).find(|path| path.exists());
    match there {
        Some(path) if !path.is_dir() => Err(wrong(option, format!("{} is no folder", path.display()))),
        _ => Ok(()),
    }
}

fn wrong(option: &str, problem: String) -> OptionError {
    OptionError::File { option: option.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::{Values, folder, input, is_stream, lasting, output};
    use std::path::{Path, PathBuf};

    const THIS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");

    fn values(text: &str) -> Values {
        Values::new([("f".to_owned(), text.to_owned())])
    }

    #[test]
    fn what_is_to_be_read_is_there() {
        assert_eq!(input(&values(""), "f"), Ok(None));
        assert_eq!(input(&values(THIS), "f"), Ok(Some(PathBuf::from(THIS))));
        assert_eq!(input(&values("none/%.yaml"), "f"), Ok(Some(PathBuf::from("none/%.yaml"))));
        let text = lasting(&values("/dev/null"), "f").unwrap_err().to_string();
        assert_eq!(text, "option 'f': /dev/null is a pipe or a device, and is read more than once; name a file");
        assert!(is_stream(Path::new("/dev/null")) && input(&values("/dev/null"), "f").is_ok());
        let missing = input(&values("/nowhere/x"), "f").unwrap_err().to_string();
        assert_eq!(missing, "option 'f': cannot read /nowhere/x: No such file or directory");
    }

    #[test]
    fn what_is_to_be_written_has_a_place() {
        let here = Path::new(THIS).parent().unwrap().display().to_string();
        assert!(output(&values(THIS), "f").is_ok() && output(&values("new/x"), "f").is_ok());
        assert!(folder(&values(&here), "f").is_ok() && folder(&values("new/deep"), "f").is_ok());
        let told = output(&values(&here), "f").unwrap_err().to_string();
        assert!(told.ends_with(" is a folder; name a file in it"), "{told}");
        for inside in [output(&values(&format!("{THIS}/x")), "f"), folder(&values(THIS), "f")] {
            assert_eq!(inside.unwrap_err().to_string(), format!("option 'f': {THIS} is no folder"));
        }
    }
}
