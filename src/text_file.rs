//! Text files that users name.

use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// The most bytes that are read of a file: what nobody writes by hand, and some devices never end.
const MOST: u64 = 64 << 20;

/// The text of a file.
///
/// # Errors
/// The file, and why it cannot be read.
pub fn read(path: &Path) -> Result<String, String> {
    let wrong = |why: &str| format!("cannot read {}: {why}", path.display());
    let mut text = String::new();
    let file = File::open(path).map_err(|error| wrong(&why(&error)))?;
    file.take(MOST + 1).read_to_string(&mut text).map_err(|error| wrong(&why(&error)))?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > MOST {
        return Err(wrong(&format!("it has more than {} MiB", MOST >> 20)));
    }
    Ok(text)
}

/// Why a file cannot be read or written, in words for its user.
pub fn why(error: &Error) -> String {
    if error.kind() == ErrorKind::InvalidData {
        return "it is no text (UTF-8)".to_owned();
    }
    let text = error.to_string();
    // The number of an error of the system says nothing that its name does not.
    text.split_once(" (os error ").map_or(text.as_str(), |(words, _)| words).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{read, why};
    use std::io::{Error, ErrorKind};
    use std::path::Path;

    #[test]
    fn errors_are_words() {
        assert_eq!(read(Path::new("/nowhere/x")).unwrap_err(), "cannot read /nowhere/x: No such file or directory");
        assert_eq!(read(Path::new("/")).unwrap_err(), "cannot read /: Is a directory");
        assert_eq!(read(Path::new("/dev/zero")).unwrap_err(), "cannot read /dev/zero: it has more than 64 MiB");
        assert_eq!(why(&Error::from(ErrorKind::InvalidData)), "it is no text (UTF-8)");
    }
}
