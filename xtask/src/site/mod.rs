//! `cargo xtask site`: the documentation as a site, made by mdBook of `book.toml` and `docs`.
//!
//! mdBook is built once, without its search and its server, as a program of its own: as a crate of this one it would be
//! built for each profile that this one is. It compiles in less than a minute on two cores.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the steps |
//! | `stage.rs` | pages as the site has them: names of other pages are links |
//! | `links.rs` | whether links lead somewhere, anchors included |

mod links;
mod stage;

use crate::command::Command;
use crate::project::Project;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The version that pages are written for.
const MDBOOK: &str = "0.5.4";

/// Makes the site, checks its links, and says where it is.
///
/// # Errors
/// When mdBook cannot be had or fails, or a link leads nowhere.
pub fn run(project: &Project) -> Result<()> {
    let page = build(project)?;
    println!("{}", page.display());
    Ok(())
}

/// Makes the site and checks its links; its first page.
///
/// # Errors
/// As for [`run`].
pub fn build(project: &Project) -> Result<PathBuf> {
    let mdbook = mdbook(project)?;
    let site = project.scratch("site")?;
    let (source, html) = (site.join("source"), site.join("html"));
    for folder in [&source, &html] {
        if folder.exists() {
            std::fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
    }
    stage::copy(&project.root, &source)?;
    Command::new(&mdbook).args(["build", "--dest-dir"]).arg(&html).arg(&source).checked()?;
    let broken = links::broken(&html)?;
    if !broken.is_empty() {
        bail!("links that lead nowhere:\n{}", broken.join("\n"));
    }
    Ok(html.join("index.html"))
}

/// The program, which is built where it is not there.
fn mdbook(project: &Project) -> Result<PathBuf> {
    let root = project.scratch("tools")?;
    let program = root.join("bin/mdbook");
    if is_right(&program) {
        return Ok(program);
    }
    eprintln!("building mdBook {MDBOOK}");
    let status = Command::cargo()
        .args(["install", "mdbook", "--version", MDBOOK, "--locked", "--no-default-features", "--debug", "--force"])
        .arg("--root")
        .arg(&root)
        .arg("--target-dir")
        .arg(project.scratch("tools-build")?)
        .status()?;
    if !status.success() || !is_right(&program) {
        bail!("mdBook {MDBOOK} could not be built: the site needs it, and the network to fetch it once");
    }
    Ok(program)
}

/// Whether a program is there, and mdBook of the version that is wanted.
fn is_right(program: &Path) -> bool {
    program.is_file()
        && Command::new(program).arg("--version").output().is_ok_and(|output| output.stdout.trim().ends_with(MDBOOK))
}
