//! No file imports another one that imports it, on whatever way round (ARCHITECTURE.md, "Invariants"). Read off the
//! source text: paths that begin with `crate`, `self`, `super` or a module of the file, to the file that has what they
//! name. What a `mod.rs` only hands on with `pub use` is looked for where it is, so handing on is no import.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The crates that are looked at, and the modules in them that must have no cycle; none are all. Folders with crates of
/// their own are not the crate's.
const CRATES: &[(&str, &[&str])] = &[
    ("passes/src", &["llvm", "mlir"]),
    (
        "src",
        &[
            "clustering",
            "codegen",
            "cost",
            "dependence",
            "driver",
            "linear",
            "machine",
            "proximity",
            "schedule",
            "schedule_tree",
            "script",
            "transform",
        ],
    ),
    ("src/check", &[]),
    ("src/cli", &[]),
    ("src/ilp", &[]),
    ("src/isl", &[]),
    ("src/model", &[]),
    ("src/report", &[]),
];

/// Crates and modules whose files may know each other, and why.
const DEFENDED: &[(&str, &str, &str)] = &[
    (
        "passes/src",
        "llvm::ir",
        "a function has blocks, a block instructions, an instruction is in a block, and all but blocks are values: thin \
         wrappers, one type each",
    ),
    (
        "src",
        "schedule::clusters",
        "the graph of merged clusters is made of the state of the combination, which is a loop over such graphs",
    ),
    (
        "src/isl",
        "",
        "isl's types are made of each other: a set has lists of sets, which have maps, which have sets: thin wrappers, \
         one type each",
    ),
];

/// A file, by the module that it is.
struct File {
    /// Its text, without comments, strings and tests.
    text: String,
    /// What it hands on: names (or `*`) and the paths of these.
    exports: Vec<(String, Vec<String>)>,
}

type Files = BTreeMap<Vec<String>, File>;

/// For each module, those whose files it takes something from.
type Graph = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

#[test]
fn no_file_imports_itself() {
    let mut wrong = Vec::new();
    for (folder, modules) in CRATES {
        let files = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
        let is_looked_at = |module: &[String]| {
            modules.is_empty() || modules.iter().any(|one| module.first().is_some_and(|first| first == one))
        };
        let graph = graph(&files);
        for cycle in cycles(&graph) {
            let is_defended = |(krate, prefix, _): &(&str, &str, &str)| {
                krate == folder && cycle.iter().all(|module| module.join("::").starts_with(prefix))
            };
            if !cycle.iter().any(|module| is_looked_at(module)) || DEFENDED.iter().any(is_defended) {
                continue;
            }
            let edges = cycle.iter().flat_map(|from| {
                let inside = graph[from].iter().filter(|to| cycle.contains(to));
                inside.map(|to| format!("  {} -> {}", from.join("::"), to.join("::")))
            });
            wrong.push(format!("{folder}:\n{}", edges.collect::<Vec<_>>().join("\n")));
        }
    }
    assert!(wrong.is_empty(), "files import each other in a circle:\n{}", wrong.join("\n"));
}

#[test]
fn a_circle_is_found_and_handing_on_is_none() {
    let file = |text: &str| File { text: plain(text), exports: exports(&plain(text)) };
    let path = |text: &str| text.split("::").map(str::to_owned).collect::<Vec<_>>();
    let mut files = Files::from([
        (path("a"), file("pub mod one;\npub mod two;\npub use one::{One, Other as Else};\n")),
        (path("a::one"), file("use super::two::Two; // use crate::b::B;\npub struct One; pub struct Other;\n")),
        (path("a::two"), file("use crate::b;\npub struct Two;\n")),
        (path("b"), file("fn f() { let text = \"crate::a::two::Two\"; }\n")),
    ]);
    assert_eq!(graph(&files)[&path("a::one")], BTreeSet::from([path("a::two")]));
    assert!(cycles(&graph(&files)).is_empty());
    files.insert(path("b"), file("use crate::a::Else;\n"));
    assert_eq!(cycles(&graph(&files)), [vec![path("a::one"), path("a::two"), path("b")]]);
}

/// The files of a crate; the module of its `lib.rs` is empty.
fn read(root: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![(root.to_owned(), Vec::new())];
    while let Some((folder, module)) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let below = || module.iter().cloned().chain([name.clone()]).collect::<Vec<_>>();
            if path.is_dir() {
                if name != "tests" && !path.join("Cargo.toml").exists() {
                    folders.push((path, below()));
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests" {
                let text = plain(&fs::read_to_string(&path).unwrap());
                let module = if ["mod", "lib"].contains(&name.as_str()) { module.clone() } else { below() };
                files.insert(module, File { exports: exports(&text), text });
            }
        }
    }
    assert!(!files.is_empty(), "no source in {}", root.display());
    files
}

/// The text without comments, strings, letters and tests.
fn plain(text: &str) -> String {
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut result = String::new();
    let mut in_string = false;
    let mut rest = code;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '\\' if in_string => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '"' => {
                in_string = !in_string;
                1
            }
            '/' if !in_string && rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '\'' if !in_string && rest[1..].starts_with('\\') => 2 + rest[3..].find('\'').map_or(0, |end| end + 2),
            '\'' if !in_string && rest.chars().nth(2) == Some('\'') => rest.chars().take(3).map(char::len_utf8).sum(),
            _ => letter.len_utf8(),
        };
        if length == letter.len_utf8() && !in_string && letter != '"' {
            result.push(letter);
        }
        rest = &rest[length..];
    }
    result
}

/// The words and signs of a text that paths are made of.
fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter);
            continue;
        }
        if !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if letter == ':' && rest.peek() == Some(&':') {
            rest.next();
            found.push("::".to_owned());
        } else if !letter.is_whitespace() {
            found.push(letter.to_string());
        }
    }
    found.extend((!word.is_empty()).then_some(word));
    found
}

/// The paths of a tree of imports, each with the name that it is known by afterwards; and how many tokens the tree has.
fn tree(tokens: &[String], before: &[String], found: &mut Vec<(String, Vec<String>)>) -> usize {
    let mut path = before.to_vec();
    let mut at = 0;
    loop {
        match tokens.get(at).map(String::as_str) {
            Some("{") => {
                at += 1;
                while at < tokens.len() && tokens[at] != "}" {
                    at += tree(&tokens[at..], &path, found).max(1);
                    at += usize::from(tokens.get(at).is_some_and(|next| next == ","));
                }
                return at + 1;
            }
            Some("self") if !path.is_empty() => {}
            Some(word) if word == "*" || word.starts_with(|first: char| first.is_alphabetic() || first == '_') => {
                path.push(word.to_owned());
            }
            _ => return at,
        }
        at += 1;
        if tokens.get(at).is_some_and(|next| next == "::") {
            at += 1;
            continue;
        }
        let mut name = path.last().cloned().unwrap_or_default();
        if tokens.get(at).is_some_and(|next| next == "as") {
            name = tokens.get(at + 1).cloned().unwrap_or_default();
            at += 2;
        }
        found.push((name, path));
        return at;
    }
}

/// Behind `pub`, or `pub(in PATH)`.
fn behind_visibility(tokens: &[String], at: usize) -> usize {
    match tokens.get(at + 1) {
        Some(next) if next == "(" => at + 1 + tokens[at..].iter().position(|token| token == ")").unwrap_or(0),
        _ => at + 1,
    }
}

/// What a file hands on.
fn exports(text: &str) -> Vec<(String, Vec<String>)> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let behind = behind_visibility(&tokens, at);
        if tokens[at] == "pub" && tokens.get(behind).is_some_and(|next| next == "use") {
            tree(&tokens[behind + 1..], &[], &mut found);
        }
    }
    found
}

fn graph(files: &Files) -> Graph {
    files.keys().map(|module| (module.clone(), imports(files, module))).collect()
}

/// The modules whose files a file takes something from.
fn imports(files: &Files, module: &[String]) -> BTreeSet<Vec<String>> {
    let tokens = tokens(&files[module].text);
    let is_module = |word: &String| {
        let below: Vec<String> = module.iter().cloned().chain([word.clone()]).collect();
        files.contains_key(&below)
    };
    let mut found = BTreeSet::new();
    let (mut at, mut depth) = (0, 0_i32);
    // This module and those that are written in it, with the depth of braces where they end.
    let (mut here, mut ends) = (module.to_vec(), Vec::new());
    while at < tokens.len() {
        if let [keyword, name, brace, ..] = &tokens[at..]
            && keyword == "mod"
            && brace == "{"
        {
            here.push(name.clone());
            ends.push(depth);
        }
        match tokens[at].as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if tokens[at] == "}" && ends.last() == Some(&depth) {
            here.pop();
            ends.pop();
        }
        if tokens[at] == "pub" {
            at = behind_visibility(&tokens, at);
            if tokens.get(at).is_some_and(|next| next == "use") {
                // Handed on.
                at += tokens[at..].iter().position(|token| token == ";").unwrap_or(1);
            }
            continue;
        }
        let starts = at == 0 || tokens[at - 1] != "::";
        let leads = tokens.get(at + 1).is_some_and(|next| next == "::");
        if starts && leads && (["crate", "self", "super"].contains(&tokens[at].as_str()) || is_module(&tokens[at])) {
            let mut paths = Vec::new();
            // `self` as the first word of a path is this module.
            at += if tokens[at] == "self" {
                2 + tree(&tokens[at + 2..], &[], &mut paths)
            } else {
                tree(&tokens[at..], &[], &mut paths).max(1)
            };
            found.extend(paths.iter().filter_map(|(_, path)| resolve(files, &here, path, 0)));
            continue;
        }
        at += 1;
    }
    found.remove(module);
    found
}

/// The module whose file has what a path names; nothing for what is of another crate.
fn resolve(files: &Files, from: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
    let mut module = from.to_vec();
    let mut names = path.iter().peekable();
    if names.next_if(|first| *first == "crate").is_some() {
        module.clear();
    }
    while names.next_if(|first| *first == "super").is_some() {
        module.pop();
    }
    while let Some(name) = names.next() {
        let below: Vec<String> = module.iter().cloned().chain([name.clone()]).collect();
        if files.contains_key(&below) {
            module = below;
            continue;
        }
        let known = &files.get(&module)?.exports;
        let exact = known.iter().find(|(known, _)| known == name).map(|(_, path)| path.clone());
        let any = known.iter().filter(|(known, _)| known == "*");
        let mut ways = exact.into_iter().chain(any.map(|(_, path)| path[..path.len() - 1].to_vec()));
        if let Some(way) = ways.next().filter(|_| depth < 8) {
            let below: Vec<String> = module.iter().cloned().chain(way.first().cloned()).collect();
            let is_ours = ["crate", "self", "super"].iter().any(|word| way.first().is_some_and(|first| first == word));
            if !is_ours && !files.contains_key(&below) {
                return None;
            }
            let path: Vec<String> = way.into_iter().chain(names.cloned()).collect();
            return resolve(files, &module, &path, depth + 1);
        }
        break;
    }
    files.contains_key(&module).then_some(module)
}

/// The largest sets of modules that all reach each other, of more than one.
fn cycles(graph: &Graph) -> Vec<Vec<Vec<String>>> {
    let reach = |from: &Vec<String>| {
        let mut found = BTreeSet::new();
        let mut work = vec![from];
        while let Some(module) = work.pop() {
            work.extend(graph[module].iter().filter(|next| found.insert((*next).clone())));
        }
        found
    };
    let all: BTreeMap<_, _> = graph.keys().map(|module| (module, reach(module))).collect();
    let mut sets = BTreeSet::new();
    for (module, reached) in &all {
        if reached.contains(*module) {
            let set = reached.iter().filter(|other| all[other].contains(*module)).cloned();
            sets.insert(set.collect::<Vec<_>>());
        }
    }
    sets.into_iter().collect()
}
