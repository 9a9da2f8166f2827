//! `cargo xtask package`: a Debian package and an archive of what users get.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the task, the tree of files that both hold, the archive |
//! | `deb.rs` | the Debian package |
//! | `readme.rs` | what README.md tells users of packages to type |
//! | `fresh_root.rs` | that, typed in a fresh Debian |

mod deb;
mod fresh_root;
pub mod readme;

use crate::command::Command;
use crate::contents::{self, Item, Kind};
use crate::project::Project;
use crate::{setup, test};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// How hard `xz` tries: the most that unpacks in little memory.
const LEVEL: u8 = 9;

/// Options of `cargo xtask package`.
#[derive(clap::Args)]
pub struct Options {
    /// Install the Debian package into a fresh Debian with mmdebstrap, and do there what README.md says; needs the
    /// network, and minutes
    #[arg(long)]
    fresh_root: bool,
}

/// What was made.
pub struct Packages {
    /// The Debian package.
    pub deb: PathBuf,
    /// The archive.
    pub archive: PathBuf,
}

/// Sets up, builds and packs.
///
/// # Errors
/// When set-up, the build or a tool fails.
pub fn run(project: &Project, options: &Options) -> Result<()> {
    setup::run(&setup::Options::default())?;
    if test::build(project)?.failed > 0 {
        bail!("the build failed");
    }
    println!("packing");
    let packages = pack(project, &project.scratch("package")?, LEVEL)?;
    for file in [&packages.deb, &packages.archive] {
        let bytes = std::fs::metadata(file).with_context(|| format!("cannot read {}", file.display()))?.len();
        println!("{:>8.1} MB  {}", bytes as f64 / 1e6, file.display());
    }
    if options.fresh_root {
        fresh_root::run(project, &packages.deb)?;
    }
    Ok(())
}

/// Packs what was built, into a folder. The same build and commit give the same bits.
///
/// # Errors
/// When something that belongs to it is not there, or a tool fails.
pub fn pack(project: &Project, folder: &Path, level: u8) -> Result<Packages> {
    if std::env::consts::ARCH != "x86_64" {
        bail!("packages are made on x86-64 only, and this is {}", std::env::consts::ARCH);
    }
    let epoch = epoch(project)?;
    let name = format!("polyrs-{}-x86_64", env!("CARGO_PKG_VERSION"));
    // What an earlier version had must not stay.
    let parts = folder.join("parts");
    if parts.exists() {
        std::fs::remove_dir_all(&parts).with_context(|| format!("cannot remove {}", parts.display()))?;
    }
    let tree = parts.join(&name);
    for item in contents::list(project, &parts.join("made"))? {
        item.copy(&tree)?;
        strip(&item, &tree)?;
    }
    let archive = folder.join(format!("{name}.tar.xz"));
    Command::new("tar")
        .args(["--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=gnu"])
        .args(["--mode=u+rwX,go+rX,go-w".to_owned(), format!("--mtime=@{epoch}")])
        .arg(format!("--use-compress-program=xz -{level}"))
        .arg("--file")
        .arg(&archive)
        .arg("--directory")
        .arg(&parts)
        .arg(&name)
        .checked()?;
    let deb = folder.join(format!("polyrs_{}_amd64.deb", env!("CARGO_PKG_VERSION")));
    deb::pack(&tree, &parts, &deb, &epoch, level)?;
    Ok(Packages { deb, archive })
}

/// Takes away what only debuggers read: three quarters of all.
fn strip(item: &Item, tree: &Path) -> Result<()> {
    let what = match item.kind {
        Kind::Program => "--strip-all",
        Kind::Shared => "--strip-unneeded",
        Kind::Archive => "--strip-debug",
        Kind::Data => return Ok(()),
    };
    Command::new("strip").args([what, "--enable-deterministic-archives"]).arg(tree.join(&item.to)).checked().map(drop)
}

/// The time that packed files bear, in seconds since 1970: SOURCE_DATE_EPOCH, or else when the last commit was made.
///
/// # Errors
/// When nothing says it, or no number.
pub fn epoch(project: &Project) -> Result<String> {
    let epoch = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(epoch) => epoch,
        Err(_) => {
            let git = Command::new("git").args(["log", "-1", "--format=%ct"]).directory(&project.root).checked();
            git.context("when was this made? Set SOURCE_DATE_EPOCH where there is no git")?.stdout
        }
    };
    let epoch = epoch.trim();
    if epoch.is_empty() || !epoch.bytes().all(|byte| byte.is_ascii_digit()) {
        bail!("SOURCE_DATE_EPOCH is `{epoch}`, and should be seconds since 1970");
    }
    Ok(epoch.to_owned())
}
