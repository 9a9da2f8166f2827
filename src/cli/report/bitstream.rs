//! Records in LLVM's binary form, which LLVM's own reader turns into YAML.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How they start.
const MAGIC: &[u8] = b"RMRK";

/// The reader, as it is called in a folder of LLVM's own, and where Debian has it besides.
const READERS: [&str; 2] = ["bin/llvm-remarkutil", "llvm-remarkutil-22"];

/// What helps where there is none.
const HELP: &str =
    "help: `apt install llvm-22`, or --llvm FOLDER if LLVM 22 is elsewhere, or save YAML (-fsave-optimization-record)";

/// Whether bytes are such records.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The records of a file as YAML, by the reader of the LLVM that is installed to `llvm`.
///
/// # Errors
/// That there is no reader, or what it says is wrong with the file; the text begins with a blank.
pub fn to_yaml(file: &Path, llvm: &Path) -> Result<String, String> {
    // A name that begins with a dash is no option.
    let absolute = std::path::absolute(file).map_err(|error| format!(" {error}"))?;
    let readers = [llvm.join(READERS[0]), PathBuf::from(READERS[1])];
    for reader in &readers {
        let mut command = Command::new(reader);
        command.arg("bitstream2yaml").arg(&absolute).args(["-o", "-"]).stdin(Stdio::null());
        match command.output() {
            Ok(output) if output.status.success() => return Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                let said = said.trim();
                let said = if said.is_empty() { output.status.to_string() } else { said.to_owned() };
                return Err(format!(" {} cannot read it: {said}", reader.display()));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(format!(" cannot start {}: {error}", reader.display())),
        }
    }
    Err(format!(
        " these are records in LLVM's binary form, and there is neither {} nor {} to read them\n{HELP}",
        readers[0].display(),
        READERS[1]
    ))
}
