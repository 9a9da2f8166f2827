//! NVIDIA's assembler: PTX of kernels must be accepted by it for all architectures, and what kernels take of a
//! multiprocessor is compared with a table.

use crate::command::Command;
use crate::project::Project;
use anyhow::{Context, Result, bail};
use std::fmt;
use std::path::{Path, PathBuf};

/// What kernels are assembled for, whatever the oldest device is that their PTX is for.
pub const ARCHITECTURES: [&str; 3] = ["sm_70", "sm_80", "sm_90"];

/// The package and its checksum, under the root.
const PACKAGE: &str = "test/gpu/requirements.txt";

/// Where it is in the package.
const PROGRAM: &str = "nvidia/cuda_nvcc/bin/ptxas";

/// NVIDIA's library of functions, likewise.
const LIBRARY: &str = "nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc";

/// The assembler.
pub struct Assembler {
    program: PathBuf,
    /// The library of functions that comes with it.
    pub library: PathBuf,
}

/// What a thread, and a block, of a kernel takes.
#[derive(Debug, PartialEq, Eq, Clone, Copy, Default)]
pub struct Usage {
    pub registers: u32,
    /// Bytes that are stored for want of registers.
    pub spills: u32,
    /// Bytes of shared memory.
    pub shared: u32,
}

impl Usage {
    /// The most of each.
    fn or_more(self, other: Usage) -> Usage {
        Usage {
            registers: self.registers.max(other.registers),
            spills: self.spills.max(other.spills),
            shared: self.shared.max(other.shared),
        }
    }

    /// Takes no more than what is expected, but for a few registers: LLVM's versions differ.
    pub fn is_within(self, expected: Usage) -> bool {
        const SLACK: u32 = 8;
        self.registers <= expected.registers + SLACK && self.spills <= expected.spills && self.shared <= expected.shared
    }

    /// Reads what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Usage> {
        let mut numbers = text.split('/').map(|number| number.parse().ok());
        let mut next = || numbers.next().flatten();
        Some(Usage { registers: next()?, spills: next()?, shared: next()? })
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.registers, self.spills, self.shared)
    }
}

impl Assembler {
    /// Fetches it, if it is not there. Nothing, and a word about it, where there is no way to the package.
    ///
    /// # Errors
    /// When what was fetched is not what it should be.
    pub fn fetch(project: &Project) -> Result<Option<Self>> {
        let folder = project.target.join("ptxas");
        let (program, library) = (folder.join(PROGRAM), folder.join(LIBRARY));
        if program.is_file() {
            return Ok(Some(Self { program, library }));
        }
        let package = project.root.join(PACKAGE);
        let options = ["-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--requirement"];
        let command = Command::new("python3").args(options).arg(&package).arg("--dest").arg(&folder);
        println!("> {command}");
        let output = command.output()?;
        if !output.status.success() {
            println!("no assembler, so PTX is not assembled: {}", output.stderr.trim());
            return Ok(None);
        }
        let wheel = std::fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path()));
        let wheel = wheel.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "whl"));
        let wheel = wheel.context("pip fetched no package")?;
        Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&folder).checked()?;
        Command::new("chmod").arg("+x").arg(&program).checked()?;
        Ok(Some(Self { program, library }))
    }

    /// Assembles PTX; the most that its kernels take.
    ///
    /// # Errors
    /// The assembler's words, if it does not accept it.
    pub fn assemble(&self, ptx: &Path, architecture: &str) -> Result<Usage> {
        let object = ptx.with_extension("cubin");
        let command = Command::new(&self.program).args(["-v", "-c"]).arg(format!("-arch={architecture}"));
        read_usage(&command.arg(ptx).arg("-o").arg(&object).checked()?.stderr)
    }
}

/// Reads what the assembler says of all kernels.
fn read_usage(said: &str) -> Result<Usage> {
    let (mut most, mut kernels) = (Usage::default(), 0);
    for line in said.lines() {
        let number_before = |what: &str| -> Option<u32> {
            let (before, _) = line.split_once(what)?;
            before.trim_end().rsplit([' ', ',']).next()?.parse().ok()
        };
        let own = Usage {
            registers: number_before(" registers").unwrap_or(0),
            spills: number_before(" bytes spill stores").unwrap_or(0),
            shared: number_before(" bytes smem").unwrap_or(0),
        };
        kernels += usize::from(own.registers > 0);
        most = most.or_more(own);
    }
    if kernels == 0 {
        bail!("the assembler tells of no kernel: {said}");
    }
    Ok(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_of_all_kernels_counts() {
        let said = "ptxas info    : Compiling entry function 'f' for 'sm_80'\n\
                    ptxas info    : Function properties for f\n\
                    \x20   16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
                    ptxas info    : Used 24 registers, used 1 barriers, 2048 bytes smem, 416 bytes cmem[0]\n\
                    \x20   0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                    ptxas info    : Used 40 registers, used 0 barriers, 400 bytes cmem[0]\n";
        let usage = read_usage(said).unwrap();
        assert_eq!(usage, Usage { registers: 40, spills: 8, shared: 2048 });
        assert_eq!(Usage::parse(&usage.to_string()), Some(usage));
        assert!(read_usage("").is_err());
    }

    #[test]
    fn a_few_registers_more_are_no_fault() {
        let expected = Usage { registers: 24, spills: 0, shared: 0 };
        assert!(Usage { registers: 30, ..expected }.is_within(expected));
        assert!(!Usage { registers: 64, ..expected }.is_within(expected));
        assert!(!Usage { spills: 4, ..expected }.is_within(expected));
    }
}
