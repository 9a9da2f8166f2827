//! Files that commands name.

use polyrs::script::Files;

/// Those of the file system.
pub struct Disk;

impl Files for Disk {
    fn read(&mut self, name: &str) -> Result<String, String> {
        std::fs::read_to_string(name).map_err(|error| format!("cannot read {name}: {error}"))
    }

    fn write(&mut self, name: &str, text: &str) -> Result<(), String> {
        std::fs::write(name, text).map_err(|error| format!("cannot write {name}: {error}"))
    }
}
