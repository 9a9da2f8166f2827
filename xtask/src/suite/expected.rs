//! A suite's table, beside the one that is checked in.

use super::BLESS;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The table that is checked in.
pub struct Expected {
    path: PathBuf,
    text: String,
}

impl Expected {
    /// Prints the table that a suite made, writes it to its place if that is wanted ([`BLESS`]), and reads what is
    /// there.
    ///
    /// # Errors
    /// When there is no table that could be read.
    pub fn settle<'r>(path: &Path, header: &str, rows: impl Iterator<Item = &'r str>) -> Result<Expected> {
        let table = format!("{header}\n{}\n", rows.collect::<Vec<_>>().join("\n"));
        print!("{table}");
        if std::env::var_os(BLESS).is_some() {
            std::fs::write(path, &table)?;
            println!("wrote {}", path.display());
        }
        let absent = || format!("{}; with {BLESS}=1 in the environment it is written", path.display());
        let text = std::fs::read_to_string(path).with_context(absent)?;
        Ok(Expected { path: path.to_owned(), text })
    }

    /// The row that starts with a name, without it.
    pub fn row(&self, name: &str) -> Option<&str> {
        self.text
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .find(|(first, _)| *first == name)
            .map(|(_, rest)| rest)
    }

    /// Whether a row is in the table; says so if it is not.
    pub fn has(&self, row: &str) -> bool {
        let found = self.text.lines().any(|line| line == row);
        if !found {
            eprintln!("FAIL not in {}: {row}", self.path.display());
        }
        found
    }
}
