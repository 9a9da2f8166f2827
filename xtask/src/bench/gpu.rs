//! A folder of programs that measure a GPU, on whatever machine has one: it needs a driver and nothing else.

use crate::project::Project;
use crate::runtime;
use crate::suite::build::{Builder, Recipe};
use crate::suite::kernel::{self, Kernel, Size};
use crate::suite::{ML, POLYBENCH, Suite, gpu, in_parallel, stub};
use anyhow::{Context, Result};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What runs the programs.
const SCRIPT: &str = include_str!("gpu.sh");

/// The folder is carried to other machines. Nothing is fused that the IR does not allow, so that bits can be compared.
const FLAGS: &[&str] = &["-O3", "-march=x86-64-v3", "-ffp-contract=off"];

/// The folder, and what is in it.
pub struct Folder {
    path: PathBuf,
    rows: Vec<String>,
}

impl Folder {
    /// An empty one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(path: PathBuf) -> Result<Self> {
        let _ = std::fs::remove_dir_all(&path);
        for part in ["programs", "plain", "ptx"] {
            std::fs::create_dir_all(path.join(part)).with_context(|| path.display().to_string())?;
        }
        Ok(Self { path, rows: Vec::new() })
    }

    /// Adds a kernel's program, with its PTX, which is measured at a size.
    ///
    /// # Errors
    /// When a file cannot be copied.
    pub fn add(&mut self, kernel: &Kernel, program: &Path, ptx: &Path, measured: Size) -> Result<()> {
        std::fs::copy(program, self.path.join("programs").join(&kernel.name))?;
        std::fs::copy(ptx, self.path.join("ptx").join(format!("{}.ptx", kernel.name)))?;
        let arguments = |size| kernel.sizes_argument(size).unwrap_or_else(|| "-".to_owned());
        self.rows.push(format!("{}\t{}\t{}", kernel.name, arguments(Size::Small), arguments(measured)));
        Ok(())
    }

    /// Adds the program of a kernel whose blocks share nothing: what the others are compared with.
    ///
    /// # Errors
    /// When the file cannot be copied.
    pub fn add_plain(&self, kernel: &Kernel, program: &Path) -> Result<()> {
        std::fs::copy(program, self.path.join("plain").join(&kernel.name))?;
        Ok(())
    }

    /// Writes the list and the script; the script.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn finish(self) -> Result<PathBuf> {
        std::fs::write(self.path.join("programs.tsv"), self.rows.join("\n") + "\n")?;
        let script = self.path.join("run.sh");
        std::fs::write(&script, SCRIPT)?;
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))?;
        Ok(script)
    }
}

/// Builds the folder with the programs that have kernels, and says how it is used.
///
/// # Errors
/// When a program does not build.
pub fn run(project: &Project, chosen: &[String], size: Size) -> Result<bool> {
    runtime::build(project)?;
    let builder = Builder::new(project, "gpu-bench", FLAGS)?.machine("generic".into());
    let mut programs: Vec<(&Suite, Kernel)> = Vec::new();
    for suite in [&POLYBENCH, &ML] {
        let kernels = kernel::read_all(&project.root.join(suite.folder))?;
        programs.extend(kernels.into_iter().map(|kernel| (suite, kernel)));
    }
    programs.retain(|(_, kernel)| chosen.is_empty() || chosen.contains(&kernel.name));
    let built = in_parallel(&programs, |(suite, kernel)| {
        let shared = build(project, &builder, suite, kernel, &gpu::nvptx_always())?;
        let plain = build(project, &builder, suite, kernel, &gpu::nvptx_without_shared_memory())?;
        anyhow::Ok((shared, plain))
    });
    let mut folder = Folder::new(project.target.join("bench/gpu"))?;
    for ((_, kernel), built) in programs.iter().zip(built) {
        let (shared, plain) = built.with_context(|| kernel.name.clone())?;
        match shared {
            Some((program, ptx)) => folder.add(kernel, &program, &ptx, size)?,
            None => println!("{}: no kernels", kernel.name),
        }
        if let Some((program, _)) = plain {
            folder.add_plain(kernel, &program)?;
        }
    }
    println!("on a machine with a GPU, run {}", folder.finish()?.display());
    Ok(true)
}

/// A program and its PTX; nothing if its kernel has none.
fn build(
    project: &Project,
    builder: &Builder,
    suite: &Suite,
    kernel: &Kernel,
    recipe: &Recipe,
) -> Result<Option<(PathBuf, PathBuf)>> {
    let source = project.root.join(suite.folder).join(format!("{}.mlir", kernel.name));
    let recipe = recipe.clone().after(suite.prepare);
    let (ir, _) = builder.lower(&source, &recipe)?;
    let folder = builder.file(&source, &recipe, ".ptx");
    std::fs::create_dir_all(&folder)?;
    let name = format!("{}_kernels.ptx", kernel.function());
    let Some(ptx) = stub::write_ptx(&ir, &folder)?.into_iter().find(|file| file.ends_with(&name)) else {
        return Ok(None);
    };
    let program = builder.file(&source, &recipe, "");
    builder.link_ir(&ir, &[runtime::archive(project)], &["-fno-openmp", "-ldl", "-pthread", "-lm"], &program)?;
    Ok(Some((program, ptx)))
}
