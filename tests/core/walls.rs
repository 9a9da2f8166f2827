//! The walls of the house (ARCHITECTURE.md, "Invariants"), read off the source text.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| ["rs", "cpp", "c", "h", "py"].iter().any(|known| e == *known)) {
                let text = fs::read_to_string(&path).unwrap();
                files.push((path, text));
            }
        }
    }
    assert!(!files.is_empty(), "no source in {folder}");
    files
}

/// Panics with every line of `folder` that holds one of the words, comments aside.
#[track_caller]
fn assert_absent(folder: &str, words: &[&str], except: &[&str]) {
    let mut found = Vec::new();
    for (path, text) in sources(folder) {
        let name = path.display().to_string();
        if except.iter().any(|e| name.contains(e)) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if words.iter().any(|word| code.contains(word)) {
                found.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "{words:?} must not be used in {folder}:\n{}", found.join("\n"));
}

#[test]
fn core_knows_neither_mlir_nor_llvm() {
    // `polyrs doctor` and `polyrs report` start compilers by their names, and are linked to none of them.
    let starting = ["src/cli/doctor/", "src/cli/report/"];
    assert_absent("src", &["mlir", "melior", "llvm", "inkwell"], &starting);
    for folder in starting {
        assert_absent(folder, &["mlir_sys", "melior", "llvm_sys", "inkwell"], &[]);
    }
}

/// The packages of ours that a package in a folder depends on; those of its tests aside.
fn dependencies(folder: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("Cargo.toml")).unwrap();
    let section = manifest.split("\n[dependencies]\n").nth(1).expect("there are dependencies");
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    lines.filter(|line| line.starts_with("polyrs")).map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

#[test]
fn crates_know_only_those_below() {
    let below = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(dependencies("src/isl"), below(&[]));
    assert_eq!(dependencies("src/ilp"), below(&[]));
    assert_eq!(dependencies("src/model"), below(&["polyrs-isl"]));
    assert_eq!(dependencies("src/check"), below(&["polyrs-isl", "polyrs-model"]));
}

#[test]
fn trees_know_no_cost_and_cost_no_transformations() {
    assert_absent("src/schedule_tree", &["cost::", "transform::", "crate::schedule::", "driver::"], &[]);
    assert_absent("src/cost", &["transform::", "crate::schedule::", "driver::"], &["tests"]);
    assert_absent("src/transform", &["driver::"], &["tests"]);
}

#[test]
fn unsafe_stays_in_isl() {
    for root in
        ["src/lib.rs", "src/ilp/lib.rs", "src/model/lib.rs", "src/check/lib.rs", "src/cli/main.rs", "src/report/lib.rs"]
    {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(root)).unwrap();
        assert!(text.contains("#![forbid(unsafe_code)]"), "{root}");
    }
    assert_absent("src", &["unsafe "], &["src/isl/"]);
    for folder in ["examples", "tools", "xtask"] {
        assert_absent(folder, &["unsafe "], &[]);
    }
}

#[test]
fn passes_use_no_raw_isl() {
    for folder in ["passes", "plugin"] {
        assert_absent(folder, &["isl_rs", "isl_set_", "isl_map_", "isl_union_", "isl_schedule_", "isl_ctx_"], &[]);
    }
}

#[test]
fn plugin_needs_neither_mlir_nor_the_core() {
    assert_absent("plugin", &["mlir_sys", "melior", "polyrs_core"], &[]);
    assert_absent("plugin/host", &["mlir/", "mlir-c/", "mlir::"], &[]);
}

#[test]
fn no_file_of_tests_is_left_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (core, command) = (root.join("tests/core"), root.join("src/cli/tests"));
    let files = fs::read_dir(core).unwrap().chain(fs::read_dir(command).unwrap());
    for entry in files {
        let path = entry.unwrap().path();
        let main = fs::read_to_string(path.with_file_name("main.rs")).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_some() && name != "main" {
            assert!(main.contains(&format!("\nmod {name};\n")), "{} is not a module of main.rs", path.display());
        }
    }
}

#[test]
fn files_stay_readable() {
    for folder in ["src", "passes", "plugin", "runtime", "tools", "xtask/src", "examples", "test", "tests"] {
        for (path, text) in sources(folder) {
            let lines = text.lines().count();
            assert!(lines <= 600, "{} has {lines} lines", path.display());
            assert_ne!(path.file_name().unwrap(), "util.rs", "{}", path.display());
        }
    }
}

/// Programs that were built by hand in the root were committed once.
#[test]
fn what_is_committed_is_text() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output();
    let Some(listed) = listed.ok().filter(|listed| listed.status.success()) else {
        return; // An unpacked archive of the sources knows no history.
    };
    let names = String::from_utf8(listed.stdout).unwrap();
    for name in names.split_terminator('\0').filter(|name| !name.ends_with(".png")) {
        // A file that is taken away is listed until that is committed.
        let Ok(bytes) = fs::read(root.join(name)) else { continue };
        assert!(std::str::from_utf8(&bytes).is_ok(), "{name} is no text");
    }
}
