//! What is installed, and where: one list, for `cargo xtask install` and for packages.

use crate::command::Command;
use crate::project::{Project, files};
use crate::{copyright, runtime};
use anyhow::{Context, Result};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where documentation goes, below the prefix.
pub const DOCUMENTS: &str = "share/doc/polyrs";

/// What a file is, as far as it matters to who installs or packs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A program.
    Program,
    /// A library that is loaded.
    Shared,
    /// A library that becomes a part of programs.
    Archive,
    /// Anything that is read.
    Data,
}

/// One file.
pub struct Item {
    /// Where it is now.
    pub from: PathBuf,
    /// Where it belongs, below the prefix.
    pub to: String,
    /// What it is.
    pub kind: Kind,
}

impl Item {
    fn new(from: impl Into<PathBuf>, to: impl Into<String>, kind: Kind) -> Self {
        Self { from: from.into(), to: to.into(), kind }
    }

    /// Copies it below `prefix`, with the rights that it needs whoever copies it. It goes to its new name in one step:
    /// compilers that have the old one loaded keep it.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn copy(&self, prefix: &Path) -> Result<()> {
        let to = prefix.join(&self.to);
        let told = || format!("cannot copy {} to {}", self.from.display(), to.display());
        let folder = to.parent().with_context(told)?;
        std::fs::create_dir_all(folder).with_context(told)?;
        let fresh = to.with_extension("new");
        std::fs::copy(&self.from, &fresh).with_context(told)?;
        let mode = if self.kind == Kind::Program { 0o755 } else { 0o644 };
        std::fs::set_permissions(&fresh, std::fs::Permissions::from_mode(mode)).with_context(told)?;
        std::fs::rename(&fresh, &to).with_context(told)
    }
}

/// All that is installed, after the build. What is made of other things is written into the folder `made`.
///
/// # Errors
/// When something that belongs to it is not there or cannot be made.
pub fn list(project: &Project, made: &Path) -> Result<Vec<Item>> {
    std::fs::create_dir_all(made).with_context(|| format!("cannot make {}", made.display()))?;
    let mut items = binaries(project)?;
    items.extend(for_builds(project, made)?);
    items.extend(documents(project, made)?);
    items.extend(of_the_command(project, made)?);
    Ok(items)
}

/// What was built. What the plugin loads is there before the plugin is.
fn binaries(project: &Project) -> Result<Vec<Item>> {
    let mut items = vec![
        Item::new(project.optimizer(), "lib/libpolyrs_mlir.so", Kind::Shared),
        Item::new(project.plugin(), "lib/libpolyrs.so", Kind::Shared),
        Item::new(project.target.join("release/polyrs"), "bin/polyrs", Kind::Program),
    ];
    for (library, kind) in [(runtime::archive(project), Kind::Archive), (runtime::shared(project), Kind::Shared)] {
        let name = library.file_name().context("a library has a name")?.to_string_lossy().into_owned();
        items.push(Item::new(&library, format!("lib/{name}"), kind));
    }
    items.push(Item::new(project.root.join("runtime").join(runtime::HEADER), runtime::HEADER, Kind::Data));
    Ok(items)
}

/// What CMake and pkg-config read.
fn for_builds(project: &Project, made: &Path) -> Result<Vec<Item>> {
    let mut items = vec![Item::new(
        project.root.join("cmake/polyrsConfig.cmake"),
        "lib/cmake/polyrs/polyrsConfig.cmake",
        Kind::Data,
    )];
    let texts = [
        ("lib/cmake/polyrs/polyrsConfigVersion.cmake", version_file()),
        ("lib/pkgconfig/polyrs.pc", plugin_description()),
        ("lib/pkgconfig/polyrs-gpu.pc", runtime_description()),
    ];
    for (to, text) in texts {
        let from = made.join(Path::new(to).file_name().context("a file has a name")?);
        std::fs::write(&from, text).with_context(|| format!("cannot write {}", from.display()))?;
        items.push(Item::new(from, to, Kind::Data));
    }
    Ok(items)
}

/// What people read, and the programs that README.md speaks of.
fn documents(project: &Project, made: &Path) -> Result<Vec<Item>> {
    let document = |name: &str| Item::new(project.root.join(name), format!("{DOCUMENTS}/{name}"), Kind::Data);
    let mut items = vec![document("README.md"), document("CHANGELOG.md")];
    for name in ["product.c", "product.f90", "product.mlir", "cmake/CMakeLists.txt"] {
        let from = project.root.join("examples/installed").join(name);
        items.push(Item::new(from, format!("{DOCUMENTS}/examples/{name}"), Kind::Data));
    }
    let file = made.join("copyright");
    std::fs::write(&file, copyright::text(project)?).with_context(|| format!("cannot write {}", file.display()))?;
    items.push(Item::new(file, format!("{DOCUMENTS}/copyright"), Kind::Data));
    Ok(items)
}

/// The manual's pages and the completions of shells, which the command writes itself.
fn of_the_command(project: &Project, made: &Path) -> Result<Vec<Item>> {
    let folder = made.join("manual");
    // Pages of subcommands that are no more must not stay.
    let _ = std::fs::remove_dir_all(&folder);
    Command::new(project.target.join("release/polyrs")).arg("manual").arg(&folder).checked()?;
    let mut items = Vec::new();
    for page in files(&folder.join("man1"), "1")? {
        let name = page.file_name().context("a page has a name")?.to_string_lossy().into_owned();
        items.push(Item::new(&page, format!("share/man/man1/{name}"), Kind::Data));
    }
    let completions = [
        ("polyrs.bash", "share/bash-completion/completions/polyrs"),
        ("_polyrs", "share/zsh/vendor-completions/_polyrs"),
        ("polyrs.fish", "share/fish/vendor_completions.d/polyrs.fish"),
    ];
    items.extend(completions.map(|(name, to)| Item::new(folder.join("completions").join(name), to, Kind::Data)));
    Ok(items)
}

/// What CMake asks whether a version will do. Before 1.0 a minor version may change anything.
fn version_file() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let series = version.rsplit_once('.').map_or(version, |(series, _)| series);
    format!(
        "set(PACKAGE_VERSION {version})\n\
         set(asked \"${{PACKAGE_FIND_VERSION_MAJOR}}.${{PACKAGE_FIND_VERSION_MINOR}}\")\n\
         if(asked STREQUAL \"{series}\" AND NOT PACKAGE_FIND_VERSION VERSION_GREATER {version})\n  \
         set(PACKAGE_VERSION_COMPATIBLE TRUE)\nendif()\n\
         if(PACKAGE_FIND_VERSION VERSION_EQUAL {version})\n  set(PACKAGE_VERSION_EXACT TRUE)\nendif()\n\
         unset(asked)\n"
    )
}

/// For pkg-config: what loads the plugin. Paths follow the file, so that the folder can be moved.
fn plugin_description() -> String {
    format!(
        "plugin=${{pcfiledir}}/../libpolyrs.so\n\n\
         Name: polyrs\n\
         Description: Polyhedral loop optimizer: a plugin for clang, flang, opt and mlir-opt 22\n\
         Version: {}\n\
         Cflags: -fpass-plugin=${{plugin}}\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// For pkg-config: what programs with kernels link.
fn runtime_description() -> String {
    format!(
        "libdir=${{pcfiledir}}/..\nincludedir=${{pcfiledir}}/../../include\n\n\
         Name: polyrs-gpu\n\
         Description: Runs kernels that polyrs makes of loops\n\
         Version: {}\n\
         Cflags: -I${{includedir}}\n\
         Libs: -L${{libdir}} -lpolyrs_gpu\n\
         Libs.private: -ldl -pthread\n",
        env!("CARGO_PKG_VERSION")
    )
}
