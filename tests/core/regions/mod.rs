//! The `.scop` files under `test/scop`, for the tests that go over all of them.

use std::path::{Path, PathBuf};

/// The folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("test/scop")
}

/// The `.scop` files below a folder, sorted.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "scop") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// All regions, sorted: the files that are right.
pub fn files() -> Vec<PathBuf> {
    let mut good = below(&root());
    good.retain(|file| !file.starts_with(root().join("bad")));
    assert!(good.len() >= 40, "only {} regions", good.len());
    good
}
