//! What the plugin shows of regions, as inputs of benchmarks.

use crate::project::Project;
use anyhow::{Context, Result};
use std::path::PathBuf;

/// A text in a file.
pub struct Input {
    /// What it is called in tables.
    pub name: String,
    /// The file.
    pub path: PathBuf,
}

impl Input {
    /// Writes a text to a folder of the scratch space; the file has the name of the input and this ending.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(project: &Project, folder: &str, (name, ending): (&str, &str), text: &str) -> Result<Input> {
        let path = project.scratch(folder)?.join(format!("{name}.{ending}"));
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Input { name: name.to_owned(), path })
    }
}

/// The texts of a stage that the plugin shows, as `dump=STAGE` has it, by region.
pub fn dumps(printed: &str, stage: &str) -> Vec<(String, String)> {
    let head = format!("# {stage} of ");
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in printed.lines() {
        if let Some(region) = line.strip_prefix(&head) {
            found.push((region.to_owned(), String::new()));
            inside = true;
        } else if inside {
            inside = !line.contains(" remark: ") && !line.starts_with('#');
            if let (true, Some((_, text))) = (inside, found.last_mut()) {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    found
}
