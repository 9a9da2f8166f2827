//! The Debian package, made by Debian's own tools of the tree that the archive has.

use crate::command::Command;
use anyhow::{Context, Result, bail};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Who makes the package: an address that nobody has, as there is none yet that somebody reads.
const MAINTAINER: &str = "The polyrs developers <developers@polyrs.invalid>";

/// What of the tree needs libraries.
const BINARIES: [&str; 4] = ["lib/libpolyrs.so", "lib/libpolyrs_mlir.so", "lib/libpolyrs_gpu.so", "bin/polyrs"];

/// LLVM's library: its package, and what it is called in Debian's lists of libraries.
const LLVM: (&str, &str) = ("libllvm22", "libLLVM 22.1");

/// Packs the tree. What that takes is written into the folder `parts`.
///
/// # Errors
/// When a tool fails or a file cannot be written.
pub fn pack(tree: &Path, parts: &Path, deb: &Path, epoch: &str, level: u8) -> Result<()> {
    let root = parts.join("root");
    let prefix = root.join("usr");
    make(&prefix)?;
    let files = format!("{}/.", tree.display());
    Command::new("cp").args(["--recursive", "--preserve=mode", &files]).arg(&prefix).checked()?;
    // Debian's rules ask for it, and for no name and time in it.
    write(&prefix.join("share/doc/polyrs/changelog"), &changelog(epoch)?)?;
    for compressed in ["share/man/man1", "share/doc/polyrs/CHANGELOG.md", "share/doc/polyrs/changelog"] {
        Command::new("gzip").args(["-9", "--no-name", "--recursive"]).arg(prefix.join(compressed)).checked()?;
    }
    let control = root.join("DEBIAN");
    make(&control)?;
    write(&control.join("control"), &control_file(tree, parts)?)?;
    // A library came or went that the loader finds.
    write(&control.join("triggers"), "activate-noawait ldconfig\n")?;
    write(&control.join("md5sums"), &sums(&root)?)?;
    readable(&root)?;
    Command::new("dpkg-deb")
        .args(["--root-owner-group", "-Zxz", "--uniform-compression", &format!("-z{level}"), "--build"])
        .arg(&root)
        .arg(deb)
        .env("SOURCE_DATE_EPOCH", epoch)
        .checked()
        .map(drop)
}

fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// The changelog in Debian's form, which names the other one.
fn changelog(epoch: &str) -> Result<String> {
    let date = format!("--date=@{epoch}");
    let date = Command::new("date").args(["--utc", "--rfc-email", &date]).env("LC_ALL", "C").checked()?.stdout;
    Ok(format!(
        "polyrs ({}) unstable; urgency=medium\n\n  * What changed is in CHANGELOG.md.\n\n -- {MAINTAINER}  {}\n",
        env!("CARGO_PKG_VERSION"),
        date.trim()
    ))
}

/// What dpkg knows of the package.
fn control_file(tree: &Path, parts: &Path) -> Result<String> {
    let size = Command::new("du").args(["--summarize", "--apparent-size", "--block-size=1024"]).arg(tree).checked()?;
    let size = size.stdout.split_whitespace().next().context("du says a size")?.to_owned();
    Ok(format!(
        "Package: polyrs\n\
         Version: {}\n\
         Architecture: amd64\n\
         Maintainer: {MAINTAINER}\n\
         Section: devel\n\
         Priority: optional\n\
         Installed-Size: {size}\n\
         Depends: {}\n\
         Recommends: clang-22\n\
         Suggests: flang-22, mlir-22-tools, llvm-22, libomp-22-dev, libomp5-19\n\
         Description: polyhedral loop optimizer for clang, flang, opt and mlir-opt 22\n \
         A plugin that finds loops a polyhedral compiler can reorder, schedules them\n \
         for locality and parallelism, proves the new order right, and writes tiled\n \
         loops back. With it come the command polyrs, the runtime for programs with\n \
         kernels for GPUs, and what CMake and pkg-config read.\n \
         .\n \
         `polyrs doctor` tells which compilers of this machine it works with.\n",
        env!("CARGO_PKG_VERSION"),
        dependencies(tree, parts)?
    ))
}

/// The packages with the libraries that ours are linked to, as Debian's tool finds them.
fn dependencies(tree: &Path, parts: &Path) -> Result<String> {
    let source = parts.join("debian");
    make(&source)?;
    write(&source.join("control"), "Source: polyrs\n\nPackage: polyrs\nArchitecture: amd64\n")?;
    // On a machine that programs for LLVM are built on, the library is found under a name that belongs to the
    // package with its headers, of which no list says anything.
    let version = Command::new("dpkg-query").args(["--show", "--showformat=${Version}", LLVM.0]).checked()?.stdout;
    let upstream = version.split('-').next().unwrap_or(&version);
    write(&source.join("shlibs.local"), &format!("{} {} (>= {upstream})\n", LLVM.1, LLVM.0))?;
    let binaries = BINARIES.iter().map(|file| tree.join(file));
    let output = Command::new("dpkg-shlibdeps").arg("-O").args(binaries).directory(parts).checked()?;
    let found = output.stdout.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    let found = found.with_context(|| format!("dpkg-shlibdeps says no dependencies: {}", output.stdout))?;
    for needed in ["libc6", "libllvm22", "libmlir-22"] {
        if !found.split(", ").any(|one| one.split(' ').next() == Some(needed)) {
            bail!("the plugin is linked to what {needed} has, yet dpkg-shlibdeps found only: {found}");
        }
    }
    Ok(found.to_owned())
}

/// The sums that `dpkg --verify` compares, in the order of names.
fn sums(root: &Path) -> Result<String> {
    let find = Command::new("find").args(["usr", "-type", "f"]).directory(root).checked()?.stdout;
    let mut files: Vec<&str> = find.lines().collect();
    files.sort_unstable();
    Ok(Command::new("md5sum").args(files).directory(root).checked()?.stdout)
}

/// Folders are for everybody, whatever the mask of who packs them.
fn readable(folder: &Path) -> Result<()> {
    let told = || format!("cannot read {}", folder.display());
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).with_context(told)?;
    for entry in std::fs::read_dir(folder).with_context(told)? {
        let path = entry.with_context(told)?.path();
        if path.is_dir() {
            readable(&path)?;
        } else if path.parent().is_some_and(|parent| parent.ends_with("DEBIAN")) {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).with_context(told)?;
        }
    }
    Ok(())
}
