//! What programs need besides: the runtime for GPUs and a driver; and the machine that code is made for.

use super::finding::{Finding, State};
use super::process::{Outcome, run};
use polyrs::machine::{Choice, ENVIRONMENT};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The library that programs with kernels link.
const RUNTIME: &str = "libpolyrs_gpu.a";

/// The driver of NVIDIA's GPUs, under the name that programs load it by.
const DRIVER: &str = "libcuda.so.1";

/// The variable that names another driver.
const DRIVER_VARIABLE: &str = "POLYRS_GPU_DRIVER";

/// What there is to tell of them.
pub fn examine(plugin: Option<&Path>) -> Vec<Finding> {
    vec![runtime(plugin), driver(), machine()]
}

/// It is installed beside the plugin; where it is built, it has a folder of its own.
fn runtime(plugin: Option<&Path>) -> Finding {
    let folder = plugin.and_then(Path::parent).unwrap_or(Path::new("/usr/lib"));
    let places = [folder.join(RUNTIME), folder.join("../runtime").join(RUNTIME)];
    match places.iter().find(|file| file.is_file()) {
        Some(file) => Finding::new("gpu-runtime", State::Good, "for programs with kernels").file(file),
        None => Finding::new("gpu-runtime", State::Missing, format!("there is no {}", places[0].display()))
            .help("only programs with kernels (target=gpu) link it; it is installed with the plugin"),
    }
}

/// Programs with kernels run on the CPU where there is none.
fn driver() -> Finding {
    let asked = std::env::var_os(DRIVER_VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let name = asked.clone().unwrap_or_else(|| DRIVER.into());
    let file = match loaded(&name) {
        Ok(file) => file,
        Err(problem) => {
            let detail = format!("{problem}: programs with kernels run on the CPU");
            let help = match asked {
                Some(_) => format!("{DRIVER_VARIABLE} names it; unset, it is {DRIVER}"),
                None => "for an NVIDIA GPU, install its driver (Debian's package libcuda1)".to_owned(),
            };
            return Finding::new("gpu-driver", State::Missing, detail).help(help);
        }
    };
    let device = Path::new("/proc/driver/nvidia/version").exists() || asked.is_some();
    if device {
        return Finding::new("gpu-driver", State::Good, "").file(file);
    }
    Finding::new("gpu-driver", State::Fails, "the library is there, and its part in the kernel is not loaded")
        .file(file)
        .help("without a GPU this is no fault: programs with kernels run on the CPU")
}

/// The file of a library, as the system's loader finds it for a program that asks for it. The loader is asked itself: it
/// lists what it loads for another program, and says what it cannot load.
fn loaded(name: &Path) -> Result<PathBuf, String> {
    let missing = || format!("there is no {}", name.display());
    // A name with a folder is a file, seen from here.
    let is_path = name.components().count() > 1;
    if is_path && !name.is_file() {
        return Err(missing());
    }
    let asked = if is_path { std::path::absolute(name).map_err(|error| error.to_string())? } else { name.to_owned() };
    let mut command = Command::new("/bin/true");
    command.env("LD_PRELOAD", &asked).env("LD_TRACE_LOADED_OBJECTS", "1");
    let Outcome::Ended { output, errors, .. } = run(command, "", Duration::from_secs(10)) else {
        return Err(format!("the loader cannot be asked for {}", name.display()));
    };
    if let Some((_, why)) = errors.split_once("cannot be preloaded (") {
        let why = why.split(')').next().unwrap_or(why);
        let is_missing = why.starts_with("cannot open shared object file") && !is_path;
        return Err(if is_missing { missing() } else { format!("{} cannot be loaded ({why})", name.display()) });
    }
    if let Some(needed) = output.lines().find_map(|line| line.trim().strip_suffix(" => not found")) {
        return Err(format!("{} cannot be loaded (it needs {needed}, which is not there)", name.display()));
    }
    // A line is `NAME => FILE (ADDRESS)`, or `FILE (ADDRESS)` where a file was named.
    let found = output.lines().find_map(|line| match line.trim().split_once(" => ") {
        Some((known, file)) => (Path::new(known) == asked).then_some(file),
        None => line.trim().strip_prefix(asked.to_str()?).map(|_| line.trim()),
    });
    let file = found.and_then(|file| file.rsplit_once(" (")).map(|(file, _)| PathBuf::from(file));
    file.ok_or_else(missing)
}

/// The machine that code is made for.
fn machine() -> Finding {
    let choice = Choice::of_environment();
    let source = match std::env::var_os(ENVIRONMENT).filter(|value| !value.is_empty()) {
        Some(value) => format!("{ENVIRONMENT}={}", value.display()),
        None => "this one".to_owned(),
    };
    match choice.load() {
        Ok(machine) => {
            let gpu = machine.gpu.as_ref().map_or_else(String::new, |gpu| format!(", GPU {}", gpu.name));
            let detail = format!(
                "{source}: {}, {} threads, vectors of {} bits{gpu} (`polyrs machine` has the rest)",
                machine.name, machine.cores, machine.vector_bits
            );
            Finding::new("machine", State::Good, detail)
        }
        Err(error) => Finding::new("machine", State::Fails, format!("{source}: {error}"))
            .help(format!("correct {ENVIRONMENT} or the file that it names; unset, code is made for this machine")),
    }
}
