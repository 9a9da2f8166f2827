//! `cargo xtask setup`: the Debian packages and Rust components that the build and the tests need.

use crate::command::Command;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;

/// What the build and the tests need.
const PACKAGES: &[Package] = &[
    Package("llvm-22-dev", "LLVM 22's headers and libraries"),
    Package("llvm-22-tools", "lit, FileCheck, not, split-file"),
    Package("libmlir-22-dev", "MLIR 22's headers and libraries"),
    Package("mlir-22-tools", "mlir-opt, mlir-translate"),
    Package("clang-22", "compiles what comes out, and is the base of comparison"),
    Package("flang-22", "Fortran through the plugin"),
    Package("libclang-22-dev", "read by bindgen for the MLIR bindings"),
    Package("libpolly-22-dev", "Polly, for comparison"),
    Package("lld-22", "the linker that belongs to clang-22"),
    Package("libomp-22-dev", "OpenMP for parallel loops"),
    Package("libomp5-19", "the OpenMP runtime that loads on Debian 12"),
    Package("libzstd-dev", "linked by the MLIR bindings"),
    Package("libxml2-dev", "linked by the MLIR bindings"),
    Package("libz3-dev", "linked by the MLIR bindings"),
    Package("zlib1g-dev", "linked by the MLIR bindings"),
    Package("g++", "the plugin's C++ glue"),
    Package("make", "isl's build"),
    Package("autoconf", "isl's build"),
    Package("automake", "isl's build"),
    Package("libtool", "isl's build"),
    Package("pkg-config", "isl's build"),
    Package("cmake", "tests the package for CMake projects"),
    Package("dpkg-dev", "finds what the Debian package depends on"),
    Package("xz-utils", "packs"),
    Package("man-db", "shows whether manual pages are well-formed"),
    Package("csmith", "writes random C programs"),
    Package("libcsmith-dev", "the headers of csmith's programs"),
    Package("chromium", "looks at the pages of `polyrs report`"),
    Package("chromium-driver", "tells it what to look at"),
    Package("python3", "runs lit"),
    Package("python3-pip", "fetches NVIDIA's assembler for the tests of PTX"),
    Package("python3-psutil", "lit's time limit for one test"),
    Package("python3-selenium", "what the browser's test is written with"),
];

/// What the memory checks need besides.
const MEMORY_CHECK_PACKAGES: &[Package] = &[
    Package("valgrind", "the memory checks of level long"),
    Package("libclang-rt-22-dev", "the address sanitizer's run-time library"),
];

/// Components of the Rust toolchain, by the command that shows that they are there.
const COMPONENTS: &[(&str, &str)] = &[("rustfmt", "fmt"), ("clippy", "clippy")];

/// A Debian package: its name, and what it is for.
struct Package(&'static str, &'static str);

/// Options of `cargo xtask setup`.
#[derive(clap::Args, Default)]
pub struct Options {
    /// Also install what the memory checks need
    #[arg(long)]
    pub memory_check: bool,
    /// Only say what is missing, install nothing; fails if anything is
    #[arg(long)]
    pub check: bool,
}

/// Installs what is missing; quiet when nothing is.
///
/// # Errors
/// When something is missing and cannot be installed; the message lists it.
pub fn run(options: &Options) -> Result<()> {
    let extra = if options.memory_check { MEMORY_CHECK_PACKAGES } else { &[] };
    let wanted: Vec<&Package> = PACKAGES.iter().chain(extra).collect();
    let missing = missing_packages(&wanted)?;
    if !missing.is_empty() {
        println!("missing Debian packages:");
        for package in &missing {
            println!("  {:<16} {}", package.0, package.1);
        }
        let names: Vec<&str> = missing.iter().map(|package| package.0).collect();
        if options.check {
            bail!("packages are missing; `cargo xtask setup` installs them");
        }
        install(&names)?;
        let left = missing_packages(&wanted)?;
        if !left.is_empty() {
            let names: Vec<&str> = left.iter().map(|package| package.0).collect();
            bail!("apt-get succeeded, yet these packages are still missing: {}", names.join(" "));
        }
    }
    components(options.check)
}

/// Those of `wanted` that are not installed.
fn missing_packages<'a>(wanted: &[&'a Package]) -> Result<Vec<&'a Package>> {
    let names: Vec<&str> = wanted.iter().map(|package| package.0).collect();
    // dpkg-query exits with 1 when it does not know one of the packages, which is an answer and not an error.
    let query = Command::new("dpkg-query")
        .args(["--show", "--showformat=${Package} ${db:Status-Abbrev}\\n"])
        .args(&names)
        .output()
        .with_context(|| not_debian(&names))?;
    let installed = installed_packages(&query.stdout);
    Ok(wanted.iter().copied().filter(|package| !installed.contains(package.0)).collect())
}

/// The packages that a listing of `name status` lines calls installed.
fn installed_packages(listing: &str) -> BTreeSet<&str> {
    listing
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(_, status)| status.trim_end() == "ii")
        .map(|(name, _)| name)
        .collect()
}

fn not_debian(names: &[&str]) -> String {
    format!(
        "this machine has no dpkg; set-up knows only Debian 12. Elsewhere, install what these packages hold: {}",
        names.join(" ")
    )
}

/// Installs Debian packages with apt-get, as root or through sudo.
fn install(names: &[&str]) -> Result<()> {
    let by_hand = format!("apt-get install {}", names.join(" "));
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    if !is_debian(&release) {
        bail!("set-up installs packages only on Debian 12. On this machine, find the likes of: {by_hand}");
    }
    let mut prefix = Vec::new();
    if !is_root()? {
        let sudo = Command::new("sudo").args(["--non-interactive", "true"]).output();
        if !sudo.is_ok_and(|output| output.status.success()) {
            bail!("not root, and sudo is absent or asks for a password. As root, run: {by_hand}");
        }
        prefix.extend(["sudo", "--non-interactive"]);
    }
    prefix.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    let apt = |arguments: &[&str]| -> Result<bool> {
        let command = Command::new(prefix[0]).args(&prefix[1..]).args(arguments);
        println!("> {command}");
        Ok(command.tee()?.status.success())
    };
    let install: Vec<&str> =
        ["install", "--yes", "--no-install-recommends"].into_iter().chain(names.iter().copied()).collect();
    // A fresh image has no package lists, and old lists name files that mirrors have dropped.
    if !apt(&["update"])? {
        eprintln!("apt-get update failed; trying with the package lists that are here");
    }
    if !apt(&install)? {
        bail!("apt-get could not install the packages (its words are above). By hand: {by_hand}");
    }
    Ok(())
}

/// Whether os-release text says Debian.
fn is_debian(release: &str) -> bool {
    release.lines().any(|line| line.trim() == "ID=debian")
}

fn is_root() -> Result<bool> {
    Ok(Command::new("id").arg("-u").checked()?.stdout.trim() == "0")
}

/// Adds rustfmt and clippy to the toolchain where they are missing.
fn components(check_only: bool) -> Result<()> {
    for (component, subcommand) in COMPONENTS {
        let there =
            || -> Result<bool> { Ok(Command::cargo().args([subcommand, "--version"]).output()?.status.success()) };
        if there()? {
            continue;
        }
        println!("missing Rust component: {component}");
        if !check_only {
            let added = Command::new("rustup").args(["component", "add", component]).status();
            if added.is_ok_and(|status| status.success()) && there()? {
                continue;
            }
        }
        bail!("the Rust toolchain lacks {component}; `rustup component add {component}` adds it");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{installed_packages, is_debian};

    #[test]
    fn only_fully_installed_packages_count() {
        let listing = "clang-22 ii \nlld-22 rc \nmake un \nlibomp5-19 iU \n";
        assert_eq!(installed_packages(listing).into_iter().collect::<Vec<_>>(), ["clang-22"]);
    }

    #[test]
    fn derivatives_are_not_taken_for_debian() {
        assert!(is_debian("NAME=\"Debian GNU/Linux\"\nID=debian\n"));
        assert!(!is_debian("ID=ubuntu\nID_LIKE=debian\n"));
    }
}
