//! Schedule trees and reports in files.
//!
//! A file name may hold `%`, which stands for the region's name; without it, the name is for one region only.

use std::fs;
use std::path::{Path, PathBuf};

use polyrs_core::text_file::{self, why};

/// The file of a region.
///
/// # Errors
/// The name has no `%` although the function has more regions.
pub fn path_of(template: &Path, region: &str, regions: usize) -> Result<PathBuf, String> {
    let text = template.to_string_lossy();
    if text.contains('%') {
        return Ok(PathBuf::from(text.replace('%', &file_name(region))));
    }
    if regions == 1 {
        return Ok(template.to_path_buf());
    }
    Err(format!(
        "the function has {regions} regions, but {text} names one file; use % in the name for the name of the region"
    ))
}

/// Reads a schedule tree or a strategy.
///
/// # Errors
/// The file and what is wrong with it.
pub fn load(path: &Path) -> Result<String, String> {
    text_file::read(path)
}

/// Writes a text, making its folder where needed.
///
/// # Errors
/// The file and what went wrong.
pub fn save(path: &Path, text: &str) -> Result<(), String> {
    let write = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)
    };
    write().map_err(|error| format!("cannot write {}: {}", path.display(), why(&error)))
}

/// A region's name with what a file name cannot hold replaced.
pub fn file_name(region: &str) -> String {
    region.chars().map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_serves_one_region() {
        assert_eq!(path_of(Path::new("a.yaml"), "f:3", 1), Ok(PathBuf::from("a.yaml")));
        assert_eq!(path_of(Path::new("d/%.yaml"), "f:3", 2), Ok(PathBuf::from("d/f_3.yaml")));
        assert!(path_of(Path::new("a.yaml"), "f:3", 2).unwrap_err().contains('%'));
    }
}
