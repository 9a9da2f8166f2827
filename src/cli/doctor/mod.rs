//! `polyrs doctor`: what of an installation works on this machine.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the command, and the order of what is looked at |
//! | `finding.rs` | what is told of one thing, and how it is written |
//! | `plugin.rs` | where the plugin is, and what must lie beside it |
//! | `compilers.rs` | which compilers there are, and of which version |
//! | `probe.rs` | whether a compiler loads the plugin, found out with a small loop nest of `inputs` |
//! | `process.rs` | other programs, with a time limit |
//! | `surroundings.rs` | the runtime for GPUs, the driver, the description of the machine |

mod compilers;
mod finding;
mod plugin;
mod probe;
mod process;
mod surroundings;

use crate::failure::Failure;
use crate::output::print;
use clap::Args;
use compilers::Places;
use finding::State;
use probe::Plugin;
use std::path::{Path, PathBuf};

/// Check an installation, and say what works with which compilers on this machine
///
/// Looks for clang, opt, mlir-opt and flang of LLVM 22 in PATH and in Debian's folder, and has each compile a small loop
/// nest with the plugin: it works if the plugin tells that it took the loops. Then come the runtime for GPUs with the
/// driver, and the machine that code is made for. Whatever is missing is told with what would help.
#[derive(Debug, Args)]
#[command(after_help = "Exit code: 0 if the plugin works with at least one compiler, 1 otherwise.

Examples:
  polyrs doctor
  polyrs doctor --plugin target/release/libpolyrs.so --json")]
pub struct Doctor {
    /// The plugin. Default: the libpolyrs.so that was installed with this command
    #[arg(long, value_name = "FILE")]
    plugin: Option<PathBuf>,
    /// The folder that LLVM 22 is installed to, where it is not in PATH
    #[arg(long, value_name = "FOLDER", default_value = "/usr/lib/llvm-22")]
    llvm: PathBuf,
    /// Write the findings as JSON, for programs
    #[arg(long)]
    json: bool,
}

/// The plugin in the file that is asked for, or the one that belongs to this command, if all of it is there.
pub fn installed_plugin(asked: Option<&Path>) -> Option<PathBuf> {
    plugin::find(asked).0.map(|plugin| plugin.file().to_owned())
}

impl Doctor {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let (plugin, mut findings) = plugin::find(self.plugin.as_deref());
        findings.extend(compilers::examine(&Places::new(&self.llvm), plugin.as_ref()));
        findings.extend(surroundings::examine(plugin.as_ref().map(Plugin::file)));
        let works = findings.iter().any(|finding| finding.state == State::Works);
        print(&if self.json { finding::to_json(&findings, works)? } else { finding::to_text(&findings) })?;
        if works {
            return Ok(());
        }
        Err(Failure::Failed("error: the plugin works with no compiler on this machine".to_owned()))
    }
}
