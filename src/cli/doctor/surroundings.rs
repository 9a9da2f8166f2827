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
    let found =
        if name.components().count() > 1 { Some(name.clone()).filter(|file| file.is_file()) } else { search(&name) };
    let Some(file) = found else {
        let detail = format!("there is no {}: programs with kernels run on the CPU", name.display());
        let help = match asked {
            Some(_) => format!("{DRIVER_VARIABLE} names it; unset, it is {DRIVER}"),
            None => "for an NVIDIA GPU, install its driver (Debian's package libcuda1)".to_owned(),
        };
        return Finding::new("gpu-driver", State::Missing, detail).help(help);
    };
    let device = Path::new("/proc/driver/nvidia/version").exists() || asked.is_some();
    if device {
        return Finding::new("gpu-driver", State::Good, "").file(file);
    }
    Finding::new("gpu-driver", State::Fails, "the library is there, and its part in the kernel is not loaded")
        .file(file)
        .help("without a GPU this is no fault: programs with kernels run on the CPU")
}

/// A library where the system's loader finds it.
fn search(name: &Path) -> Option<PathBuf> {
    let listed = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    if let Some(file) = std::env::split_paths(&listed).map(|folder| folder.join(name)).find(|file| file.is_file()) {
        return Some(file);
    }
    // Its folder is not in the PATH of all users.
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("ldconfig");
    command.arg("-p").env("PATH", format!("{path}:/usr/sbin:/sbin"));
    let Outcome::Ended { output, .. } = run(command, "", Duration::from_secs(10)) else { return None };
    let name = name.to_str()?;
    let line = output.lines().find(|line| line.split_whitespace().next() == Some(name))?;
    line.split_once("=> ").map(|(_, file)| PathBuf::from(file.trim()))
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
