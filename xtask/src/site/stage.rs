//! Pages as the site has them.

use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where a file of the checkout that is no page is looked at by who reads the site.
const NOT_HERE: &str = "README.md";

/// Copies the book. In its pages `docs/NAME.md` outside of code becomes a link.
///
/// # Errors
/// When a file cannot be read or written.
pub fn copy(root: &Path, to: &Path) -> Result<()> {
    let docs = root.join("docs");
    let mut files = Vec::new();
    collect(&docs, &mut files)?;
    let names: BTreeSet<String> = files
        .iter()
        .filter_map(|file| file.strip_prefix(&docs).ok())
        .map(|file| file.to_string_lossy().into_owned())
        .collect();
    write(&to.join("book.toml"), &std::fs::read(root.join("book.toml")).context("book.toml")?)?;
    for file in &files {
        let name = file.strip_prefix(&docs).context("a file of docs")?;
        let content = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let content = match String::from_utf8(content) {
            Ok(text) if name.extension().is_some_and(|ending| ending == "md") => {
                let depth = name.components().count() - 1;
                linked(&text, &"../".repeat(depth), &names).into_bytes()
            }
            Ok(text) => text.into_bytes(),
            Err(error) => error.into_bytes(),
        };
        write(&to.join("docs").join(name), &content)?;
    }
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let told = || format!("cannot read {}", folder.display());
    for entry in std::fs::read_dir(folder).with_context(told)? {
        let path = entry.with_context(told)?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    files.sort();
    Ok(())
}

fn write(file: &Path, content: &[u8]) -> Result<()> {
    let told = || format!("cannot write {}", file.display());
    std::fs::create_dir_all(file.parent().with_context(told)?).with_context(told)?;
    std::fs::write(file, content).with_context(told)
}

/// A page with links; `up` leads to the folder of the book.
fn linked(text: &str, up: &str, names: &BTreeSet<String>) -> String {
    let mut is_fenced = false;
    let mut page = String::new();
    for line in text.split_inclusive('\n') {
        is_fenced ^= line.starts_with("```");
        let is_code = is_fenced || line.starts_with("    ") || line.starts_with("```");
        page += &if is_code { line.to_owned() } else { linked_line(line, up, names) };
    }
    page
}

/// A line of prose with links. What stands between backticks, or is a link already, stays.
fn linked_line(line: &str, up: &str, names: &BTreeSet<String>) -> String {
    let mut made = String::new();
    for (number, part) in line.split('`').enumerate() {
        if number > 0 {
            made.push('`');
        }
        // Parts with odd numbers are code.
        made += &if number % 2 == 1 { part.to_owned() } else { linked_text(part, up, names) };
    }
    made
}

fn linked_text(text: &str, up: &str, names: &BTreeSet<String>) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("docs/") {
        let (before, path) = rest.split_at(at);
        let end = path.find(".md").map(|end| end + 3);
        let name = end.map(|end| &path["docs/".len()..end]).filter(|name| names.contains(*name));
        let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || "/(<[".contains(c)) || before.ends_with(" (");
        let is_word = is_word || (before.ends_with('(') && !before.ends_with("]("));
        made += before;
        match (name, end) {
            (Some(name), Some(end)) if is_word => {
                made += &format!("[{}]({up}{name})", &path[..end]);
                rest = &path[end..];
            }
            _ => {
                made += "docs/";
                rest = &path["docs/".len()..];
            }
        }
    }
    made + &rest.replace(&format!("](../{NOT_HERE})"), "](index.md)")
}

#[cfg(test)]
mod tests {
    use super::linked;
    use std::collections::BTreeSet;

    #[test]
    fn names_of_pages_are_links() {
        let names = BTreeSet::from(["gpu.md".to_owned(), "measured/ml.md".to_owned()]);
        let made = |text| linked(text, "../", &names);
        assert_eq!(made("so (docs/gpu.md, \"The runtime\")"), "so ([docs/gpu.md](../gpu.md), \"The runtime\")");
        assert_eq!(made("see docs/measured/ml.md."), "see [docs/measured/ml.md](../measured/ml.md).");
        for same in ["`docs/gpu.md`", "[x](docs/gpu.md)", "    docs/gpu.md", "docs/none.md", "```\ndocs/gpu.md\n```\n"]
        {
            assert_eq!(made(same), same);
        }
    }
}
