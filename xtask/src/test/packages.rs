//! The packages: reproducible, and what README.md says works with what they hold.

use super::Counts;
use crate::command::Command;
use crate::contents::DOCUMENTS;
use crate::package::readme::{self, Example, FIRST_PAGE};
use crate::package::{Packages, epoch, pack};
use crate::project::{Project, files};
use crate::{copyright, suite};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How hard the packages are packed here: what is compared are the files in them, their order, rights and times.
const LEVEL: u8 = 0;

/// Crates that are in the plugin, and carry code of others.
const LINKED: [&str; 3] = ["isl-rs-", "mlir-sys-", "clap-"];

/// What lintian is not asked about.
const SUPPRESSED: [&str; 5] = [
    // A package of no distribution has no bug that it closes.
    "initial-upload-closes-no-bugs",
    // Compilers load plugins by their files.
    "sharedobject-in-library-directory-missing-soname",
    // Debian's LLVM 22 lies there, where the loader does not look by itself.
    "custom-library-search-path",
    // The same text is in the archive, where no other package has the licence.
    "copyright-file-contains-full-apache-2-license",
    "copyright-not-using-common-license-for-apache2",
];

/// Counts checks, and tells each.
#[derive(Default)]
struct Checks {
    counts: Counts,
}

impl Checks {
    fn check(&mut self, name: &str, result: Result<()>) {
        println!("{} package: {name}", if result.is_ok() { "ok" } else { "FAIL" });
        if let Err(error) = &result {
            eprintln!("{error:#}");
        }
        self.counts += Counts::one(result.is_ok());
    }

    fn skip(&mut self, name: &str, why: &str) {
        println!("skipped package: {name}: {why}");
        self.counts.skipped += 1;
    }
}

/// What was unpacked.
struct Unpacked {
    /// The folder that stands for `/usr`.
    prefix: PathBuf,
    /// Where examples are compiled.
    scratch: PathBuf,
}

/// Packs what was built twice, compares, unpacks, and uses it.
///
/// # Errors
/// When packing fails, or a tool cannot be started.
pub fn run(project: &Project) -> Result<Counts> {
    let scratch = project.scratch("package-test")?;
    std::fs::remove_dir_all(&scratch)?;
    let folders = [scratch.join("first"), scratch.join("second")];
    let packed = suite::in_parallel(&folders, |folder| {
        std::fs::create_dir_all(folder)?;
        if *folder == folders[1] {
            // Files bear whole seconds: those of the same one would be equal by chance.
            std::thread::sleep(Duration::from_millis(1500));
        }
        pack(project, folder, LEVEL)
    });
    let [first, second]: [Packages; 2] =
        packed.into_iter().collect::<Result<Vec<_>>>()?.try_into().ok().context("two packages")?;
    let mut checks = Checks::default();
    checks.check("the Debian package is the same bits when built twice", same(&first.deb, &second.deb));
    checks.check("the archive is the same bits when built twice", same(&first.archive, &second.archive));

    let root = scratch.join("root");
    Command::new("dpkg-deb").arg("--extract").arg(&first.deb).arg(&root).checked()?;
    let time = format!("--date=@{}", epoch(project)?);
    let time = Command::new("date").args(["--utc", &time, "+%F %T"]).checked()?.stdout;
    for (name, unpack, file) in [
        ("the Debian package", "dpkg-deb --fsys-tarfile", &first.deb),
        ("the archive", "xz --decompress --stdout", &first.archive),
    ] {
        checks.check(&format!("rights and times in {name}"), rights(unpack, file, time.trim()));
    }
    let unpacked = Unpacked { prefix: root.join("usr"), scratch: scratch.join("examples") };
    std::fs::create_dir_all(&unpacked.scratch)?;
    for example in readme::commands(project)?.examples {
        checks.check(&format!("the example {}", example.name), unpacked.example(&example));
    }
    checks.check("the page of the first ten minutes", unpacked.first_page(project));
    checks.check("the libraries that pkg-config names", unpacked.runtime(project));
    checks.check("polyrs doctor", unpacked.doctor());
    checks.check("the archive, unpacked elsewhere", archive(&first.archive, &scratch.join("elsewhere")));
    pages(&unpacked, &mut checks)?;
    completions(&unpacked, &mut checks)?;
    checks.check("licences", licences(&unpacked));
    lintian(&first.deb, &mut checks)?;
    Ok(checks.counts)
}

/// What Debian's own checker says of the package, where it is installed.
fn lintian(deb: &Path, checks: &mut Checks) -> Result<()> {
    const NAME: &str = "lintian finds no error";
    if Command::new("lintian").arg("--version").output().is_err() {
        checks.skip(NAME, "it is not installed");
        return Ok(());
    }
    // Warnings are told, and some are as they have to be: a package of no distribution has no bug in it that it closes.
    let output = Command::new("lintian")
        .args(["--no-cfg", "--allow-root", "--fail-on", "error", "--suppress-tags", &SUPPRESSED.join(",")])
        .arg(deb)
        .output()?;
    let said = format!("{}{}", output.stdout, output.stderr);
    print!("{said}");
    checks.check(NAME, if output.status.success() { Ok(()) } else { Err(anyhow::anyhow!("it says:\n{said}")) });
    Ok(())
}

/// Whether two files are equal.
fn same(first: &Path, second: &Path) -> Result<()> {
    Command::new("cmp").arg(first).arg(second).checked().map(drop)
}

/// Whether all that is packed in `file`, which `unpack` makes a plain archive of, belongs to root, can be changed by
/// root alone, and is of this time.
fn rights(unpack: &str, file: &Path, time: &str) -> Result<()> {
    let script = format!("{unpack} \"$0\" | tar --list --verbose --numeric-owner --full-time");
    let listing = Command::new("sh").args(["-c", &script]).arg(file).env("TZ", "UTC").checked()?.stdout;
    let is_good = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [mode, owner, _, date, clock, ..] = words.as_slice() else { return false };
        let is_mode = matches!(*mode, "drwxr-xr-x" | "-rwxr-xr-x" | "-rw-r--r--");
        is_mode && *owner == "0/0" && format!("{date} {clock}") == time
    };
    let bad: Vec<&str> = listing.lines().filter(|line| !is_good(line)).collect();
    anyhow::ensure!(bad.is_empty() && listing.contains("lib/libpolyrs.so"), "not of {time}:\n{}", bad.join("\n"));
    Ok(())
}

impl Unpacked {
    /// A command that finds what was unpacked, as it would what is installed.
    fn shell(&self, script: &str) -> Command {
        Command::new("sh")
            .args(["-e", "-c", script])
            .env("PKG_CONFIG_PATH", self.prefix.join("lib/pkgconfig"))
            .env("CMAKE_PREFIX_PATH", &self.prefix)
            .directory(&self.scratch)
    }

    /// Types what README.md says, and judges what is said.
    fn example(&self, example: &Example) -> Result<()> {
        let here = |folder: &str| self.prefix.join(folder).display().to_string();
        let commands = example.commands.replace(&format!("/usr/{DOCUMENTS}"), &here(DOCUMENTS));
        let output = self.shell(&format!("exec 2>&1\n{commands}")).output()?;
        anyhow::ensure!(output.status.success(), "it failed:\n{}", output.stdout);
        example.judge(&output.stdout)
    }

    /// Types what the page of the first ten minutes says.
    fn first_page(&self, project: &Project) -> Result<()> {
        let there = |name: &str, file: &str| format!("--{name}={}", self.prefix.join(file).display());
        Command::new("python3")
            .arg(project.root.join("test/pages/run.py"))
            .args(["--commands", "--only", FIRST_PAGE])
            .args([there("polyrs", "bin/polyrs"), there("plugin", "lib/libpolyrs.so")])
            .output()
            .and_then(|output| {
                anyhow::ensure!(output.status.success(), "it says:\n{}{}", output.stdout, output.stderr);
                Ok(())
            })
    }

    /// Compiles and runs a program with the library for kernels, both ways.
    fn runtime(&self, project: &Project) -> Result<()> {
        let source = project.root.join("test/cmake/gpu.c");
        let flags = self.shell("pkg-config --cflags --libs polyrs-gpu").checked()?.stdout;
        anyhow::ensure!(flags.contains("-lpolyrs_gpu") && flags.contains("-I"), "pkg-config says {flags}");
        let library = self.prefix.join("lib");
        let shared = format!(
            "cc {0} $(pkg-config --cflags --libs polyrs-gpu) -o gpu-shared\nLD_LIBRARY_PATH={1} ./gpu-shared",
            source.display(),
            library.display()
        );
        self.shell(&shared).checked()?;
        let archive = format!(
            "cc {0} $(pkg-config --cflags polyrs-gpu) {1}/libpolyrs_gpu.a -ldl -pthread -o gpu-static\n./gpu-static",
            source.display(),
            library.display()
        );
        self.shell(&archive).checked().map(drop)
    }

    /// Asks the command that was unpacked, which shall find the plugin that was unpacked with it.
    fn doctor(&self) -> Result<()> {
        let said = Command::new(self.prefix.join("bin/polyrs")).arg("doctor").checked()?.stdout;
        let plugin = self.prefix.join("lib/libpolyrs.so").display().to_string();
        anyhow::ensure!(said.contains(&plugin), "it did not look at {plugin}:\n{said}");
        Ok(())
    }
}

/// The archive holds an installation that can be anywhere.
fn archive(archive: &Path, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    Command::new("tar").arg("--extract").arg("--file").arg(archive).arg("--directory").arg(folder).checked()?;
    let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let [tree] = entries.as_slice() else { anyhow::bail!("the archive should hold one folder") };
    Unpacked { prefix: tree.path(), scratch: folder.to_owned() }.doctor()
}

/// The manual has a page for each subcommand, and `man` finds no fault in them.
fn pages(unpacked: &Unpacked, checks: &mut Checks) -> Result<()> {
    let pages = files(&unpacked.prefix.join("share/man/man1"), "gz")?;
    let names: Vec<String> =
        pages.iter().filter_map(|page| Some(page.file_name()?.to_string_lossy().into_owned())).collect();
    let help = Command::new(unpacked.prefix.join("bin/polyrs")).arg("--help").checked()?.stdout;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    // The command that explains others is a part of `polyrs.1`.
    let commands = lines.map_while(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    let mut missing: Vec<String> = commands.map(|name| format!("polyrs-{name}.1.gz")).collect();
    let is_told = missing.len() > 10;
    missing.retain(|name| !names.contains(name));
    let all = if missing.is_empty() && is_told && names.iter().any(|name| name == "polyrs.1.gz") {
        Ok(())
    } else {
        Err(anyhow::anyhow!("there is no page {}; --help is:\n{help}", missing.join(", ")))
    };
    checks.check("each subcommand has a page in the manual", all);
    if !there("man") {
        checks.skip("pages of the manual", "there is no man");
        return Ok(());
    }
    checks.check("the pages of the manual are well-formed", pages.iter().try_for_each(|page| well_formed(page)));
    Ok(())
}

fn well_formed(page: &Path) -> Result<()> {
    let output = Command::new("man")
        .args(["--warnings", "--encoding=UTF-8", "--local-file"])
        .arg(page)
        .env("LC_ALL", "C.UTF-8")
        .env("MANWIDTH", "80")
        .output()?;
    let is_good = output.status.success() && output.stderr.is_empty() && output.stdout.contains("SYNOPSIS");
    anyhow::ensure!(is_good, "{}: {}", page.display(), output.stderr);
    Ok(())
}

/// Shells read the completions; bash is everywhere, and completes with them.
fn completions(unpacked: &Unpacked, checks: &mut Checks) -> Result<()> {
    let share = unpacked.prefix.join("share");
    let bash = share.join("bash-completion/completions/polyrs");
    let ask = format!(
        "source {}; COMP_WORDS=(polyrs doctor --js); COMP_CWORD=2; _polyrs polyrs --js doctor; echo \"${{COMPREPLY[*]}}\"",
        bash.display()
    );
    let completed = Command::new("bash").args(["-c", &ask]).output()?;
    let result = if completed.stdout.trim() == "--json" {
        Command::new("bash").arg("-n").arg(&bash).checked().map(drop)
    } else {
        Err(anyhow::anyhow!("`polyrs doctor --js` is completed to `{}` {}", completed.stdout, completed.stderr))
    };
    checks.check("completions of bash", result);
    for (shell, file) in [("zsh", "zsh/vendor-completions/_polyrs"), ("fish", "fish/vendor_completions.d/polyrs.fish")]
    {
        let name = format!("completions of {shell}");
        if there(shell) {
            checks.check(&name, Command::new(shell).arg("-n").arg(share.join(file)).checked().map(drop));
        } else {
            anyhow::ensure!(share.join(file).is_file(), "there is no {file}");
            checks.skip(&name, "it is not installed");
        }
    }
    Ok(())
}

/// Whether a program is installed.
fn there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The file of licences names crates that are known to be linked in, isl with its own among them.
fn licences(unpacked: &Unpacked) -> Result<()> {
    let file = unpacked.prefix.join(DOCUMENTS).join("copyright");
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    for name in LINKED {
        anyhow::ensure!(copyright::names(&text, name), "{} does not name {name}", file.display());
    }
    anyhow::ensure!(!copyright::names(&text, "plotters"), "{} names what is not linked in", file.display());
    for words in ["LLVM Exceptions", "Sven Verdoolaege", "END OF TERMS AND CONDITIONS"] {
        anyhow::ensure!(text.contains(words), "{} does not say `{words}`", file.display());
    }
    Ok(())
}
