//! The crates that are linked into what is packed, as Cargo knows them.

use crate::command::Command;
use crate::project::Project;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates that become libraries and programs which are packed.
const ROOTS: [&str; 3] = ["polyrs-cli", "polyrs-passes", "polyrs-plugin"];

/// What files with licences are called, in small letters.
const NAMES: [&str; 6] = ["licen", "copying", "copyright", "unlicense", "notice", "authors"];

/// A crate of somebody else.
pub struct Crate {
    /// Its name and version, with a hyphen between them.
    pub name: String,
    /// Its terms, in the form of SPDX; its name, where the terms have none.
    pub terms: String,
    /// Who wrote it, as its manifest says.
    pub authors: Vec<String>,
    /// The texts of its files with licences and notices, those of code that it carries included.
    pub texts: Vec<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    license_file: Option<String>,
    #[serde(default)]
    authors: Vec<String>,
    manifest_path: PathBuf,
    /// Nothing for the crates of the workspace.
    source: Option<String>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// Nothing for what is linked; `build` or `dev`.
    kind: Option<String>,
}

/// All that are linked, in the order of their names.
///
/// # Errors
/// When Cargo fails, or a crate says nothing of its terms.
pub fn linked(project: &Project) -> Result<Vec<Crate>> {
    let platform = format!("--filter-platform={}-unknown-linux-gnu", std::env::consts::ARCH);
    let command = Command::cargo().args(["metadata", "--format-version=1", "--locked"]).arg(platform);
    let metadata: Metadata =
        serde_json::from_str(&command.directory(&project.root).checked()?.stdout).context("cargo metadata")?;
    let linked = reachable(&metadata);
    let crates = metadata.packages.iter().filter(|package| linked.contains(&package.id) && package.source.is_some());
    let mut crates = crates.map(Package::read).collect::<Result<Vec<_>>>()?;
    crates.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(crates)
}

/// The packages that code is linked of. What macros and build scripts are made of is not.
fn reachable(metadata: &Metadata) -> BTreeSet<&String> {
    let nodes: BTreeMap<&String, &Node> = metadata.resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let is_macro = |package: &Package| package.targets.iter().any(|it| it.kind.iter().any(|kind| kind == "proc-macro"));
    let macros: BTreeSet<&String> = metadata.packages.iter().filter(|it| is_macro(it)).map(|it| &it.id).collect();
    let roots = metadata.packages.iter().filter(|package| ROOTS.contains(&package.name.as_str()));
    let mut open: Vec<&String> = roots.map(|package| &package.id).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if macros.contains(id) || !seen.insert(id) {
            continue;
        }
        let dependencies = nodes.get(id).map_or(&[][..], |node| &node.deps);
        let linked = dependencies.iter().filter(|it| it.dep_kinds.iter().any(|kind| kind.kind.is_none()));
        open.extend(linked.map(|dependency| &dependency.pkg));
    }
    seen
}

impl Package {
    fn read(&self) -> Result<Crate> {
        let name = format!("{}-{}", self.name, self.version);
        let terms = match (&self.license, &self.license_file) {
            (Some(terms), _) => terms.replace('/', " OR "),
            (None, Some(_)) => self.name.clone(),
            (None, None) => bail!("the crate {name} does not say under which terms it is"),
        };
        let folder = self.manifest_path.parent().context("a manifest lies in a folder")?;
        let mut texts = Vec::new();
        collect(folder, self.license_file.as_deref(), &mut texts)?;
        Ok(Crate { name, terms, authors: self.authors.clone(), texts })
    }
}

/// Adds the texts of the files with licences in a folder and those below it.
fn collect(folder: &Path, named: Option<&str>, texts: &mut Vec<String>) -> Result<()> {
    let told = || format!("cannot read {}", folder.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(told)? {
        paths.push(entry.with_context(told)?.path());
    }
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if path.is_dir() {
            collect(&path, None, texts)?;
        } else if is_licence(&name) || named.is_some_and(|named| folder.join(named) == path) {
            let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            texts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    Ok(())
}

/// Whether a file of this name has a licence in it. Sources that are called so do not.
fn is_licence(name: &str) -> bool {
    let is_code = [".rs", ".c", ".h", ".py", ".sh", ".toml"].iter().any(|ending| name.ends_with(ending));
    !is_code && NAMES.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::is_licence;

    #[test]
    fn licences_are_known_by_their_names() {
        assert!(["license-mit", "licence.txt", "copying", "unlicense"].into_iter().all(is_licence));
        assert!(!["license.rs", "readme.md", "my-license"].into_iter().any(is_licence));
    }
}
