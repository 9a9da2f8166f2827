//! Documents and comments name files that exist: every relative link, and every path.

mod paths;

use paths::{Tree, stale};
use std::fs;
use std::path::Path;

/// Folders whose files nobody wrote by hand, or that not every checkout has.
const SKIPPED: [&str; 4] = [".git", "target", "fuzz/target", "shared"];

/// Documents that speak of what was.
const HISTORY: [&str; 1] = ["CHANGELOG.md"];

/// Files of other projects that comments name.
const FOREIGN: [&str; 2] = ["isl/hash.h", "PassRegistry.cpp"];

/// The paths of a folder's files and folders, from the root of the checkout.
fn collect(root: &Path, below: &str, paths: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(below)).unwrap_or_else(|error| panic!("{below}: {error}")) {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        if SKIPPED.contains(&path.as_str()) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            collect(root, &path, paths);
        }
        paths.push(path);
    }
}

#[test]
fn paths_in_documents_and_comments_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    collect(root, "", &mut paths);
    let tree = Tree::new(paths.iter().cloned());
    let mut found = Vec::new();
    let mut read = 0;
    for path in &paths {
        if HISTORY.contains(&path.as_str()) || !paths::is_checked(path) {
            continue;
        }
        let text = fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        found.extend(stale(&tree, path, &text));
        read += 1;
    }
    found.retain(|line| !FOREIGN.iter().any(|name| line.ends_with(&format!(": {name}"))));
    assert!(read > 200, "only {read} files were read");
    assert!(found.is_empty(), "{} that lead nowhere:\n{}", found.len(), found.join("\n"));
}
