//! What README.md and the page of the first ten minutes say, typed in a fresh Debian with the package alone: in a folder that
//! mmdebstrap makes and removes.

use super::readme;
use crate::command::{Command, tail};
use crate::project::Project;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The release that the package is built on.
const RELEASE: &str = "bookworm";

/// Where this machine's packages of Debian come from, if that is written where Debian 12 writes it.
const SOURCES: &str = "/etc/apt/sources.list.d/debian.sources";

/// What the log has before the output of the examples, which is where remarks are looked for.
const MARK: &str = "polyrs: example ";

/// What types the commands of the page.
const PAGE: &str = "python3 typed/test/pages/run.py --commands --polyrs=/usr/bin/polyrs --plugin=/usr/lib/libpolyrs.so";

/// What types the commands of pages, and the page, under the root of the checkout.
const TYPED: [&str; 3] = ["test/typed.py", "test/pages/run.py", readme::FIRST_PAGE];

/// Installs the package with its dependencies, and runs the examples.
///
/// # Errors
/// When there is no mmdebstrap, the root cannot be made, an example fails, or its loops were not taken.
pub fn run(project: &Project, deb: &Path) -> Result<()> {
    let there = Command::new("mmdebstrap").arg("--version").output();
    if !there.is_ok_and(|output| output.status.success()) {
        bail!("there is no mmdebstrap: as root, `apt-get install mmdebstrap`");
    }
    let commands = readme::commands(project)?;
    let script = project.scratch("package/parts")?.join("fresh-root.sh");
    std::fs::write(&script, script_of(&commands)).with_context(|| format!("cannot write {}", script.display()))?;
    let typed = typed(project)?;
    println!("a fresh {RELEASE} with {}", deb.display());
    let start = Instant::now();
    let mut command = Command::new("mmdebstrap")
        .args(["--variant=minbase", "--format=null", "--aptopt=APT::Get::Assume-Yes \"true\""])
        .args(["--aptopt=APT::Install-Recommends \"false\"", "--include=ca-certificates,python3"])
        .arg(format!("--customize-hook=copy-in {} {} {} /root", deb.display(), script.display(), typed.display()))
        .arg("--customize-hook=chroot \"$1\" sh /root/fresh-root.sh")
        .args([RELEASE, "-"]);
    if Path::new(SOURCES).is_file() {
        command = command.arg(SOURCES);
    }
    let output = command.tee()?;
    let seconds = start.elapsed().as_secs_f64();
    if !output.status.success() {
        let said = tail(&output.stderr, 15);
        bail!("after {seconds:.0} s the fresh root or an example in it failed:\n{said}");
    }
    judge(&commands, &(output.stdout + &output.stderr))?;
    println!("{} examples and a page ran in a fresh {RELEASE}, in {seconds:.0} s", commands.examples.len());
    Ok(())
}

/// A folder `typed` with what types the commands of pages.
fn typed(project: &Project) -> Result<PathBuf> {
    let folder = project.scratch("package/parts")?.join("typed");
    for name in TYPED {
        let file = folder.join(name);
        let parent = file.parent().unwrap_or(&folder);
        std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        std::fs::copy(project.root.join(name), &file).with_context(|| format!("cannot copy {name}"))?;
    }
    Ok(folder)
}

/// What is typed there. Remarks join the rest of the output, so that each is after its example's mark.
fn script_of(commands: &readme::Commands) -> String {
    let mut script = format!(
        "set -ex\nexec 2>&1\nexport DEBIAN_FRONTEND=noninteractive\ncd /root\n{}\npolyrs doctor\n{PAGE}\n",
        commands.install
    );
    for example in &commands.examples {
        script.push_str(&format!("set +x\necho '{MARK}{}'\nset -x\n(\n{})\n", example.name, example.commands));
    }
    script
}

/// Whether the plugin took the loops of each example, and whether each found its results right.
fn judge(commands: &readme::Commands, said: &str) -> Result<()> {
    for example in &commands.examples {
        let mark = format!("{MARK}{}\n", example.name);
        let (_, after) = said.split_once(&mark).with_context(|| format!("the example {} did not run", example.name))?;
        let part = after.split_once(MARK).map_or(after, |(part, _)| part);
        example.judge(part)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{MARK, judge};
    use crate::package::readme::{Commands, Example};

    fn example(name: &str) -> Example {
        Example { name: name.into(), commands: "true\n".into() }
    }

    #[test]
    fn each_example_is_judged_by_what_it_said() {
        let commands = Commands { install: String::new(), examples: vec![example("C"), example("MLIR")] };
        let good = "remark: scop: product: tiled=1\nthe product is right\n";
        assert!(judge(&commands, &format!("{MARK}C\n{good}{MARK}MLIR\n{good}")).is_ok());
        assert!(judge(&commands, &format!("{MARK}C\n{good}{MARK}MLIR\nthe product is right\n")).is_err());
        assert!(judge(&commands, &format!("{MARK}C\n{good}{good}")).is_err());
        assert!(judge(&commands, &format!("{MARK}C\nremark: scop: product: tiled=1\n{MARK}MLIR\n{good}")).is_err());
    }
}
