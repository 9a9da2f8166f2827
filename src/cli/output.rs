//! Writing results.

use crate::failure::Failure;
use polyrs::text_file::why;
use std::io::{ErrorKind, Write};

/// Writes to standard output. A reader that has seen enough (`polyrs … | head`) is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Failed(format!("error: standard output: {}", why(&error))))
        }
        _ => Ok(()),
    }
}
