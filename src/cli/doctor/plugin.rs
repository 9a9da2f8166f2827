//! Where the plugin is, and what must lie beside it.

use super::finding::{Finding, State};
use super::probe::Plugin;
use std::path::{Path, PathBuf};

/// The plugin, and what it loads from beside itself.
const FILES: [&str; 2] = ["libpolyrs.so", "libpolyrs_mlir.so"];

/// The plugin in the file that was asked for, or else the one that belongs to this command, and what there is to tell of
/// it.
pub fn find(asked: Option<&Path>) -> (Option<Plugin>, Vec<Finding>) {
    let places = match asked {
        Some(file) => vec![file.to_owned()],
        None => places(),
    };
    let Some(file) = places.iter().find(|file| file.is_file()) else {
        let places: Vec<String> = places.iter().map(|file| file.display().to_string()).collect();
        let detail = format!("there is no {}", places.join(" and no "));
        let help = if asked.is_some() {
            "give --plugin the file libpolyrs.so, or leave it out to take the one that was installed"
        } else {
            "install polyrs, or say where the plugin is: --plugin FILE"
        };
        return (None, vec![Finding::new("plugin", State::Missing, detail).help(help)]);
    };
    // Compilers look for a name without a slash in the system's folders.
    let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
    let finding = Finding::new("plugin", State::Good, "").file(&file);
    if optimizer(&file) {
        return (Some(Plugin::new(file)), vec![finding]);
    }
    let finding = Finding { state: State::Fails, detail: format!("there is no {} beside it", FILES[1]), ..finding };
    (None, vec![finding.help("both files come with polyrs, and belong into one folder")])
}

/// Where the plugin is if this command was installed, built, or is asked about a package.
fn places() -> Vec<PathBuf> {
    let command = std::env::current_exe().and_then(|file| file.canonicalize()).unwrap_or_default();
    let folder = command.parent().unwrap_or(Path::new("/"));
    let mut places: Vec<PathBuf> = Vec::new();
    let installed = folder.parent().map(|prefix| prefix.join("lib"));
    for folder in installed.into_iter().chain([folder.to_owned(), "/usr/lib".into(), "/usr/local/lib".into()]) {
        let file = folder.join(FILES[0]);
        if !places.contains(&file) {
            places.push(file);
        }
    }
    places
}

/// Whether what the plugin loads is beside it, or beside what it is a link to.
fn optimizer(plugin: &Path) -> bool {
    let real = plugin.canonicalize().unwrap_or_default();
    [plugin, &real].iter().any(|file| file.with_file_name(FILES[1]).is_file())
}
