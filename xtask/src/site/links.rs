//! Whether links of a site lead somewhere.

use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// What a page has.
struct Page {
    /// Where it leads.
    links: BTreeSet<String>,
    /// What can be led to in it.
    anchors: BTreeSet<String>,
}

/// For each link to a file or an anchor of the site that is not there, a line. Links to elsewhere are not tried.
///
/// # Errors
/// When a page cannot be read.
pub fn broken(site: &Path) -> Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    let mut folders = vec![site.to_owned()];
    while let Some(folder) = folders.pop() {
        let told = || format!("cannot read {}", folder.display());
        for entry in std::fs::read_dir(&folder).with_context(told)? {
            let path = entry.with_context(told)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "html") {
                let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
                pages.insert(path, Page::read(&text));
            }
        }
    }
    anyhow::ensure!(pages.len() > 10, "there are only {} pages", pages.len());
    let mut broken = Vec::new();
    for (path, page) in &pages {
        // All of it on one page has the links of other folders.
        if path.file_name().is_some_and(|name| name == "print.html" || name == "toc.html" || name == "404.html") {
            continue;
        }
        let wrong = page.links.iter().filter(|link| !leads_somewhere(path, link, &pages));
        let name = path.strip_prefix(site).unwrap_or(path);
        broken.extend(wrong.map(|link| format!("{}: {link}", name.display())));
    }
    Ok(broken)
}

fn leads_somewhere(from: &Path, link: &str, pages: &BTreeMap<PathBuf, Page>) -> bool {
    if link.contains("://") || link.starts_with("mailto:") || link.starts_with("data:") {
        return true;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let to = match file {
        "" => from.to_owned(),
        file => plain(&from.with_file_name("").join(file)),
    };
    match pages.get(&to) {
        Some(page) => anchor.is_empty() || page.anchors.contains(anchor),
        None => to.exists(),
    }
}

/// A path without `.` and `..`.
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

impl Page {
    fn read(text: &str) -> Self {
        let values = |name: &str| attributes(text, name).map(str::to_owned).collect::<BTreeSet<_>>();
        let mut links = values("href");
        links.extend(values("src"));
        Page { links, anchors: values("id") }
    }
}

/// The values of all attributes of a name. mdBook writes them between quotes.
fn attributes<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let start = format!(" {name}=\"");
    let mut rest = text;
    std::iter::from_fn(move || {
        let at = rest.find(&start)? + start.len();
        let (value, after) = rest[at..].split_once('"')?;
        rest = after;
        Some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::{Page, leads_somewhere};
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    #[test]
    fn links_and_anchors_are_looked_up() {
        let page = Page::read("<h2 id=\"one\">x</h2><a class=\"y\" href=\"b.html#two\">z</a> <img src=\"p.svg\">");
        assert_eq!(page.links.iter().collect::<Vec<_>>(), ["b.html#two", "p.svg"]);
        let pages = BTreeMap::from([(PathBuf::from("/s/d/a.html"), page)]);
        let leads = |link| leads_somewhere(Path::new("/s/d/a.html"), link, &pages);
        for good in ["#one", "a.html", "../d/a.html#one", "https://x.example/#y"] {
            assert!(leads(good), "{good}");
        }
        for bad in ["#two", "b.html", "../a.html", "a.html#two"] {
            assert!(!leads(bad), "{bad}");
        }
    }
}
