//! Which words of a text are paths, and whether they lead anywhere.

use std::collections::BTreeSet;

/// Endings of the files that a checkout holds. A word with another ending, or none, may be anything.
const ENDINGS: [&str; 10] = ["rs", "md", "cpp", "h", "py", "toml", "tsv", "scop", "mlir", "supp"];

/// Endings of files that need no folder to be meant as ours: others are what a user calls his own.
const OWN_ENDINGS: [&str; 4] = ["rs", "cpp", "md", "tsv"];

/// The files and folders of a checkout.
pub struct Tree {
    paths: BTreeSet<String>,
    /// The entries of the root that are folders.
    roots: BTreeSet<String>,
}

impl Tree {
    /// A checkout with these paths, folders included.
    pub fn new(paths: impl IntoIterator<Item = String>) -> Self {
        let paths: BTreeSet<String> = paths.into_iter().collect();
        let roots = paths.iter().filter_map(|path| path.split_once('/')).map(|(root, _)| root.to_owned()).collect();
        Tree { paths, roots }
    }

    /// Whether a path from the root exists. `*` and words of capital letters stand for any name or part of one.
    fn has(&self, path: &str) -> bool {
        if !is_pattern(path) {
            return self.paths.contains(path);
        }
        let depth = path.split('/').count();
        self.paths.iter().any(|known| {
            known.split('/').count() == depth
                && known.split('/').zip(path.split('/')).all(|(name, part)| fits(name, part))
        })
    }

    /// Whether some path ends with these names.
    fn has_end(&self, end: &str) -> bool {
        let behind = format!("/{end}");
        self.paths.iter().any(|known| known == end || known.ends_with(&behind))
    }
}

fn is_placeholder(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part);
    stem.len() > 1 && stem.chars().all(|c| c.is_ascii_uppercase()) && stem != "README" && stem != "ARCHITECTURE"
}

fn is_pattern(path: &str) -> bool {
    path.contains('*') || path.split('/').any(is_placeholder)
}

/// Whether a name is what a part of a pattern describes.
fn fits(name: &str, part: &str) -> bool {
    if is_placeholder(part) {
        return part.split_once('.').is_none_or(|(_, ending)| name.ends_with(&format!(".{ending}")));
    }
    match part.split_once('*') {
        Some((first, rest)) => name
            .strip_prefix(first)
            .is_some_and(|left| (0..=left.len()).any(|at| left.is_char_boundary(at) && fits(&left[at..], rest))),
        None => name == part,
    }
}

/// Whether paths in this file are looked at.
pub fn is_checked(path: &str) -> bool {
    path.ends_with(".md") || path.ends_with(".rs") || path.ends_with(".cpp") || path.ends_with(".h")
}

/// A line for each path in a text that leads nowhere: in documents every path and link, in sources those in comments.
pub fn stale(tree: &Tree, file: &str, text: &str) -> Vec<String> {
    let is_document = file.ends_with(".md");
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let prose = match is_document {
            true => line,
            false => comment(line),
        };
        let mut wrong: Vec<String> = words(prose).filter(|word| !leads_somewhere(tree, file, word)).collect();
        wrong.extend(links(prose).filter(|target| is_document && !is_linked(tree, file, target)).map(str::to_owned));
        wrong.dedup();
        found.extend(wrong.into_iter().map(|word| format!("{file}:{}: {word}", number + 1)));
    }
    found
}

/// The comment of a line that holds nothing else.
fn comment(line: &str) -> &str {
    let line = line.trim_start();
    if line.starts_with("//") { line } else { "" }
}

/// The words of a line that may be paths, without what follows them in a sentence.
fn words(line: &str) -> impl Iterator<Item = String> {
    let is_part = |c: char| c.is_alphanumeric() || "_./*-:…<>{}$~@%+".contains(c);
    // Addresses, variables and parts of paths are no paths of a checkout.
    let is_other = |word: &str| {
        word.contains("://") || word.contains("::") || word.contains(['…', '<', '{', '$', '~', '@', '%', '+'])
    };
    line.split(move |c: char| !is_part(c)).filter(move |word| !is_other(word)).map(|word| {
        let word = word.split(':').next().unwrap_or(word);
        word.trim_end_matches(['.', '-', '>', '/']).trim_start_matches("./").to_owned()
    })
}

/// Whether a word is no path of the checkout, or one that exists.
///
/// A path is meant from the root, from the folder of the file, or, if it does not begin with a folder of the root, from
/// anywhere.
fn leads_somewhere(tree: &Tree, file: &str, word: &str) -> bool {
    let (first, rest) = word.split_once('/').unwrap_or(("", word));
    let last = rest.rsplit('/').next().unwrap_or(rest);
    let ending = last.rsplit_once('.').map(|(stem, ending)| if stem.is_empty() { "" } else { ending });
    let is_rooted = tree.roots.contains(first) && !rest.is_empty();
    let is_file = match first {
        "" => !word.starts_with('/') && ending.is_some_and(|ending| OWN_ENDINGS.contains(&ending)),
        _ => ending.is_some_and(|ending| ENDINGS.contains(&ending)),
    };
    if !is_rooted && (!is_file || first == "target" || first == "..") || word.contains("..") {
        return true;
    }
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    tree.has(word) || tree.has(&format!("{folder}/{word}")) || !is_rooted && (is_pattern(word) || tree.has_end(word))
}

/// The targets of Markdown's links.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("](").filter_map(|(at, open)| line[at + open.len()..].split_once(')').map(|(target, _)| target))
}

/// Whether a link leads to a page elsewhere, a part of this page, or a file that exists.
fn is_linked(tree: &Tree, file: &str, target: &str) -> bool {
    let path = target.split(['#', ' ']).next().unwrap_or(target);
    if path.is_empty() || path.contains("://") {
        return true;
    }
    let mut names: Vec<&str> = file.split('/').collect();
    names.pop();
    for name in path.trim_end_matches('/').split('/') {
        match name {
            "." => {}
            ".." if names.pop().is_none() => return false,
            ".." => {}
            name => names.push(name),
        }
    }
    tree.paths.contains(&names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::{Tree, stale};

    fn tree() -> Tree {
        let paths = [
            "src",
            "src/isl",
            "src/isl/set.rs",
            "docs",
            "docs/guide.md",
            "README.md",
            "test",
            "test/a",
            "test/a/x.mlir",
        ];
        Tree::new(paths.map(str::to_owned))
    }

    fn found(file: &str, text: &str) -> Vec<String> {
        stale(&tree(), file, text)
    }

    #[test]
    fn wrong_paths_are_found_with_their_place() {
        let text = "A line.\nSee `src/isl/map.rs`, `src/isl` and src/nothing.\n";
        assert_eq!(found("docs/guide.md", text), ["docs/guide.md:2: src/isl/map.rs", "docs/guide.md:2: src/nothing"]);
        assert_eq!(found("README.md", "`isl/map.rs`, `map.rs`, `isl/set.rs`, `set.rs`").len(), 2);
        assert_eq!(
            found("README.md", "    opt test/a/y.mlir test/*/x.mlir test/b*/x.mlir"),
            ["README.md:1: test/a/y.mlir", "README.md:1: test/b*/x.mlir"]
        );
    }

    #[test]
    fn wrong_links_are_found() {
        assert_eq!(found("docs/guide.md", "[a](guide.md) [b](../README.md#top) [c](#here)"), Vec::<String>::new());
        assert_eq!(found("docs/guide.md", "[a](README.md)"), ["docs/guide.md:1: README.md"]);
        assert_eq!(found("README.md", "![a](docs/gone.svg)"), ["README.md:1: docs/gone.svg"]);
    }

    #[test]
    fn sources_are_checked_in_their_comments() {
        let text =
            "//! See `src/isl/set.rs` and `src/old.rs`.\nlet path = \"src/older.rs\";\n    // From src/oldest.rs:12.\n";
        assert_eq!(found("src/isl/set.rs", text), ["src/isl/set.rs:1: src/old.rs", "src/isl/set.rs:3: src/oldest.rs"]);
    }

    #[test]
    fn other_words_are_no_paths() {
        let text = "n/2, and/or, https://a.b/src/gone.rs, src::isl, target/release/x.rs, /usr/lib/gone.h, kernel.c, src/…/x.rs, x.scop";
        assert_eq!(found("README.md", text), Vec::<String>::new());
        assert_eq!(found("README.md", "test/a/NAME.mlir is any"), Vec::<String>::new());
        assert_eq!(found("README.md", "test/b/NAME.mlir is none"), ["README.md:1: test/b/NAME.mlir"]);
    }
}
