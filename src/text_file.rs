//! Text files that users name.

use std::io::{Error, ErrorKind};
use std::path::Path;

/// The text of a file.
///
/// # Errors
/// The file, and why it cannot be read.
pub fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {}", path.display(), why(&error)))
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
        assert_eq!(why(&Error::from(ErrorKind::InvalidData)), "it is no text (UTF-8)");
    }
}
