//! `polyrs manual`: the manual's pages and the completions of shells, from the definition of the command itself.

use crate::failure::Failure;
use clap::Args;
use clap_complete::Shell;
use polyrs::text_file::why;
use std::path::PathBuf;

/// Write the manual's pages and the completions of bash, zsh and fish into a folder
///
/// For those who make packages: man1 has a page for the command and one for each subcommand, with the words of --help;
/// completions has polyrs.bash, _polyrs and polyrs.fish.
#[derive(Debug, Args)]
pub struct Manual {
    /// The folder; it is made if it is not there
    folder: PathBuf,
}

impl Manual {
    /// Writes what describes `command`.
    pub fn run(&self, command: clap::Command) -> Result<(), Failure> {
        // `polyrs help draw` has no page: it shows that of `draw`.
        let mut command = command.disable_help_subcommand(true);
        let (pages, completions) = (self.folder.join("man1"), self.folder.join("completions"));
        let told = |folder: &PathBuf, error: std::io::Error| {
            Failure::Failed(format!("error: cannot write to {}: {}", folder.display(), why(&error)))
        };
        for folder in [&pages, &completions] {
            std::fs::create_dir_all(folder).map_err(|error| told(folder, error))?;
        }
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            clap_complete::generate_to(shell, &mut command, "polyrs", &completions)
                .map_err(|error| told(&completions, error))?;
        }
        // Last, as it takes the command.
        clap_mangen::generate_to(command, &pages).map_err(|error| told(&pages, error))
    }
}
