//! The IR tests again, with every access to memory watched: under valgrind, and with the address sanitizer.
//!
//! What a watcher finds goes to files of its own, so that a test that expects its compiler to fail cannot hide it.

use super::Counts;
use super::steps::run_lit;
use crate::command::{Command, head};
use crate::project::{Project, llvm_tool};
use anyhow::{Context, Result, bail};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The machine's name for Cargo. Naming it keeps the sanitizer out of build scripts.
const MACHINE: &str = "x86_64-unknown-linux-gnu";

/// Tests that are left out under valgrind, as lit's `--filter-out` takes them: those of the first group use up quotas,
/// those of the second work on hundreds of functions, twice. Each would take longer than all others. The address
/// sanitizer runs them.
const TOO_SLOW: &str = "run/(large-bodies|quota)|lift/threads|plugin/many-functions";

/// Seconds after which no further test is started, by far more than a quiet machine needs: under valgrind each of some
/// 300 compilers that load the plugin takes at least five seconds. Tests that were not started count as failed.
const TIME_LIMIT: u32 = 3600;

/// Runs the IR tests under valgrind. The plugin is the released one.
///
/// # Errors
/// When lit cannot be run.
pub fn valgrind(project: &Project) -> Result<Counts> {
    let logs = fresh_folder(project, "lit/valgrind")?;
    let host = format!(
        "exec valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite,indirect --show-leak-kinds=definite,indirect \
         --num-callers=30 --error-exitcode=99 --suppressions='{}' --log-file='{}/%p.log'",
        project.root.join("test/valgrind.supp").display(),
        logs.display()
    );
    // Programs with one set of options: the sanitizer's run, much faster, has them all.
    let lesser = [format!("--filter-out={TOO_SLOW}"), "--param=first=1".to_owned()];
    watched(project, &project.plugin(), &host, &logs, &lesser)
}

/// Builds plugin, glue and isl with the address sanitizer, and runs the IR tests with that plugin. Memory that is lost
/// is an error as well, LLVM's own included: it loses none.
///
/// # Errors
/// When the build fails or lit cannot be run.
pub fn asan(project: &Project) -> Result<Counts> {
    let plugin = build_with_sanitizer(project)?;
    let logs = fresh_folder(project, "lit/asan")?;
    let runtime = runtime_library()?;
    // LLVM itself is not instrumented: containers that it and the plugin share cannot be tracked.
    let host = format!(
        "export LD_PRELOAD='{}'\n\
         export ASAN_OPTIONS='detect_leaks=1:detect_container_overflow=0:detect_odr_violation=0:log_path={}/log'\n\
         exec",
        runtime.display(),
        logs.display()
    );
    watched(project, &plugin, &host, &logs, &[])
}

/// Runs the IR tests with each compiler that loads the plugin started behind `host`, the beginning of a shell command;
/// every log that holds anything is one more failure.
fn watched(project: &Project, plugin: &Path, host: &str, logs: &Path, arguments: &[String]) -> Result<Counts> {
    let scripts = write_scripts(host, plugin, &logs.with_extension("bin"))?;
    let own = [format!("--param=bin={}", scripts.display()), format!("--max-time={TIME_LIMIT}")];
    let mut counts = run_lit(project, plugin, &[&own, arguments].concat())?;
    for entry in std::fs::read_dir(logs)? {
        let path = entry?.path();
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        if !text.trim().is_empty() {
            eprintln!("FAIL {}:\n{}", path.display(), head(&text, 60));
            counts.failed += 1;
        }
    }
    Ok(counts)
}

/// The pass's outer net, in milliseconds, for tests that set none: what is watched is slow, and must end as it does
/// otherwise.
const TIME_BUDGET: u32 = 300_000;

/// Makes a folder with a script for each compiler, which starts it behind `host` if it loads the plugin. Scripts, since
/// tests call compilers by name, and lit would take the `%` of a command for its own.
fn write_scripts(host: &str, plugin: &Path, folder: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for name in ["mlir-opt", "opt", "clang"] {
        let path = folder.join(name);
        let text = script(host, &llvm_tool(name), plugin);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        std::fs::set_permissions(&path, Permissions::from_mode(0o755))?;
    }
    Ok(folder.to_owned())
}

/// The script that starts `tool` behind `host` if it loads the plugin, with a time budget for the pass if none is
/// given.
fn script(host: &str, tool: &Path, plugin: &Path) -> String {
    let (tool, plugin) = (tool.display(), plugin.display());
    let pass = "--poly-schedule";
    let budget = format!("{pass}=time-budget-ms={TIME_BUDGET}");
    format!(
        r#"#!/bin/sh
case " $*" in *'{plugin}'*) ;; *) exec {tool} "$@" ;; esac
for argument; do
  shift
  case "$argument" in
  *time-budget-ms*) ;;
  {pass}) argument={budget} ;;
  {pass}=*) argument="{budget} ${{argument#*=}}" ;;
  esac
  set -- "$@" "$argument"
done
{host} {tool} "$@"
"#
    )
}

/// An empty folder inside Cargo's output folder.
fn fresh_folder(project: &Project, name: &str) -> Result<PathBuf> {
    let folder = project.scratch(name)?;
    std::fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    project.scratch(name)
}

/// Builds the plugin, its C++ and isl with the address sanitizer; returns the plugin.
fn build_with_sanitizer(project: &Project) -> Result<PathBuf> {
    let target = project.scratch("asan")?;
    let build = Command::cargo()
        .args([
            "build",
            "--package",
            "polyrs-passes",
            "--package",
            "polyrs-plugin",
            "--profile",
            "bench",
            "--target",
            MACHINE,
        ])
        .arg("--target-dir")
        .arg(&target)
        .directory(&project.root)
        // The flag is not stable yet; this is how a stable compiler takes it.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Zsanitizer=address")
        .env("CONFIG_SITE", project.root.join("cmake/isl-asan.site"));
    if !build.tee()?.status.success() {
        bail!("the plugin does not build with the address sanitizer");
    }
    Ok(target.join(MACHINE).join("release/libpolyrs.so"))
}

/// The sanitizer's library of clang 22, which the compilers must load first.
fn runtime_library() -> Result<PathBuf> {
    let name = "libclang_rt.asan-x86_64.so";
    let told = Command::new(llvm_tool("clang")).arg(format!("-print-file-name={name}")).checked()?.stdout;
    let path = PathBuf::from(told.trim());
    if !path.is_absolute() {
        bail!("{name} is missing; it comes in libclang-rt-22-dev");
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::script;
    use crate::command::Command;
    use std::path::Path;

    /// What a script makes of arguments: one line for each word, `watched` first if the tool is started behind the
    /// host.
    fn run(arguments: &[&str]) -> String {
        let text = script("exec printf '%s\\n' watched", Path::new("/bin/echo"), Path::new("/p.so"));
        // What follows `-c` and a text is `$0` and the script's own arguments.
        Command::new("sh").args(["-c", &text, "script"]).args(arguments).checked().unwrap().stdout
    }

    #[test]
    fn only_compilers_with_the_plugin_are_watched() {
        assert_eq!(run(&["--x", "a b"]), "--x a b\n");
        assert_eq!(run(&["--load=/p.so", "a b", ""]), "watched\n/bin/echo\n--load=/p.so\na b\n\n");
    }

    #[test]
    fn the_pass_gets_time_unless_told_otherwise() {
        let last = |option: &str| run(&["/p.so", option]).lines().last().unwrap().to_owned();
        assert_eq!(last("--poly-schedule"), "--poly-schedule=time-budget-ms=300000");
        assert_eq!(last("--poly-schedule=a=1 b=2"), "--poly-schedule=time-budget-ms=300000 a=1 b=2");
        assert_eq!(last("--poly-schedule=time-budget-ms=1"), "--poly-schedule=time-budget-ms=1");
        assert_eq!(last("--poly-scheduler"), "--poly-scheduler");
    }
}
