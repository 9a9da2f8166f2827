//! Files that commands name.

use polyrs::script::Files;
use polyrs::text_file::{read, why};
use std::path::Path;

/// Those of the file system.
pub struct Disk;

impl Files for Disk {
    fn read(&mut self, name: &str) -> Result<String, String> {
        read(Path::new(name))
    }

    fn write(&mut self, name: &str, text: &str) -> Result<(), String> {
        std::fs::write(name, text).map_err(|error| format!("cannot write {name}: {}", why(&error)))
    }
}
