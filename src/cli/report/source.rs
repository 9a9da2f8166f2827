//! The sources that records name.

use super::collect::Compilation;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// All sources, by their numbers.
#[derive(Debug, Default)]
pub struct Sources {
    all: Vec<Source>,
    known: BTreeMap<PathBuf, usize>,
}

/// One source.
#[derive(Debug)]
pub struct Source {
    /// What it is called: its path, from the folder on that this runs in.
    pub name: String,
    /// Its lines; why not, where it is gone.
    pub lines: Result<Vec<String>, String>,
}

impl Sources {
    /// The number of a source that a compilation names.
    pub fn number(&mut self, file: &str, compilation: &Compilation) -> usize {
        let path = locate(file, compilation);
        if let Some(number) = self.known.get(&path) {
            return *number;
        }
        let number = self.all.len();
        self.known.insert(path.clone(), number);
        self.all.push(Source::read(&path, file));
        number
    }

    /// The source of a number.
    pub fn get(&self, number: usize) -> &Source {
        &self.all[number]
    }

    /// The bytes of all of them.
    pub fn size(&self) -> usize {
        let lines = self.all.iter().filter_map(|source| source.lines.as_ref().ok());
        lines.flatten().map(|line| line.len() + 1).sum()
    }
}

impl Source {
    /// Its name, also where there is none.
    pub fn shown(&self) -> &str {
        if self.name.is_empty() { "(no file)" } else { &self.name }
    }

    fn read(path: &Path, file: &str) -> Self {
        let lines = match file {
            "" => Err("the records say no file: compile with -g, or ask the compiler for records".to_owned()),
            _ => match fs::read(path) {
                Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()),
                Err(error) => Err(format!("the source cannot be read ({}): {error}", path.display())),
            },
        };
        let here = std::env::current_dir().unwrap_or_default();
        let name = path.strip_prefix(&here).unwrap_or(path).display().to_string();
        Source { name, lines }
    }
}

/// Where a source is: seen from the folder that the compiler ran in, or where that is not known, from that of the
/// records or a folder around it, or from here.
fn locate(file: &str, compilation: &Compilation) -> PathBuf {
    let name = Path::new(file);
    if file.is_empty() {
        return PathBuf::new();
    }
    let here = std::env::current_dir().unwrap_or_default();
    let records = std::path::absolute(&compilation.file).unwrap_or_default();
    let places = compilation.folder.iter().map(PathBuf::as_path);
    let places = places.chain(records.ancestors().skip(1)).chain([here.as_path()]);
    let mut candidates = places.map(|folder| plain(&folder.join(name)));
    let found = candidates.clone().find(|path| path.is_file());
    found.or_else(|| candidates.next()).unwrap_or_else(|| name.to_owned())
}

/// A path without `.` and `..`, as far as its text tells.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = plain.pop(),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{Sources, plain};
    use crate::report::collect::Compilation;
    use std::fs;
    use std::path::{Path, PathBuf};

    #[test]
    fn sources_are_found_from_the_records_or_told_to_be_gone() {
        let folder = std::env::temp_dir().join(format!("polyrs-source-{}", std::process::id()));
        fs::create_dir_all(folder.join("build/deep")).unwrap();
        fs::write(folder.join("a.c"), "one\ntwo\n").unwrap();
        let compilation = |folder: Option<PathBuf>, file: PathBuf| Compilation {
            file,
            records: Vec::new(),
            folder,
            milliseconds: None,
        };
        let beside = compilation(None, folder.join("build/deep/a.opt.yaml"));
        let told = compilation(Some(folder.join("build")), "elsewhere/a.opt.yaml".into());
        let mut sources = Sources::default();
        let first = sources.number("a.c", &beside);
        assert_eq!(sources.number("../a.c", &told), first);
        assert_eq!(sources.get(first).lines.as_ref().unwrap(), &["one", "two"]);
        let gone = sources.number("gone.c", &told);
        assert!(sources.get(gone).lines.as_ref().unwrap_err().contains("build/gone.c"));
        let nowhere = sources.number("", &told);
        assert!(sources.get(nowhere).lines.as_ref().unwrap_err().contains("compile with -g"));
        assert_eq!((sources.all.len(), sources.size()), (3, 8));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn paths_are_made_plain() {
        assert_eq!(plain(Path::new("/a/./b/../c.h")), Path::new("/a/c.h"));
    }
}
