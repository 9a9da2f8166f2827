//! Where things are: the checkout, what is built from it, and the LLVM 22 it is built against.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The folder Debian installs LLVM and MLIR 22 to.
const LLVM_PREFIX: &str = "/usr/lib/llvm-22";

/// The checkout and its outputs.
pub struct Project {
    /// The folder that holds the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// Cargo's output folder.
    pub target: PathBuf,
}

impl Project {
    /// Finds the checkout that this program was started from.
    ///
    /// # Errors
    /// When the folder cannot be resolved.
    pub fn find() -> Result<Self> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest
            .parent()
            .context("the xtask package is not inside a workspace")?
            .canonicalize()
            .with_context(|| format!("cannot find the checkout around {}", manifest.display()))?;
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
        Ok(Self { root, target })
    }

    /// The plugin that `mlir-opt`, `opt` and `clang` load.
    pub fn plugin(&self) -> PathBuf {
        self.target.join("release/libpolyrs.so")
    }

    /// What the plugin loads when there is something to do; it lies beside it.
    pub fn optimizer(&self) -> PathBuf {
        self.plugin().with_file_name("libpolyrs_mlir.so")
    }

    /// A scratch folder of the given name inside Cargo's output folder, made if it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn scratch(&self, name: &str) -> Result<PathBuf> {
        let folder = self.target.join(name);
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder)
    }
}

/// The files in a folder whose names have an ending, in the order of their names.
///
/// # Errors
/// When the folder cannot be read.
pub fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let told = || format!("cannot read {}", folder.display());
    let entries = std::fs::read_dir(folder).with_context(told)?.collect::<Result<Vec<_>, _>>().with_context(told)?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == ending));
    files.sort();
    Ok(files)
}

/// The program `name` of LLVM 22.
pub fn llvm_tool(name: &str) -> PathBuf {
    Path::new(LLVM_PREFIX).join("bin").join(name)
}
