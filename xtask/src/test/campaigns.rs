//! Searches for programs that the plugin breaks: random ones from several generators, and C projects with their tests.
//!
//! The last line of each says how many programs, which seeds, what was transformed, and how long it took. The
//! environment variable `POLYRS_CAMPAIGN` is how many times as many programs are made (for hours),
//! `POLYRS_CAMPAIGN_FIRST` the first seed.

use super::Counts;
use super::steps::agree;
use crate::command::Command;
use crate::project::Project;
use anyhow::{Context, Result};
use std::ffi::OsStr;

/// Who writes the programs.
#[derive(Clone, Copy)]
enum Source {
    /// `test/run/fuzz.py`: loop nests in MLIR.
    Mlir,
    /// `test/llvm/random/fuzz.py` with this as its `--source`.
    C(&'static str),
}

/// Random programs of one kind.
struct Campaign {
    source: Source,
    programs: u32,
    /// The plugin's options; `None` for random ones, which hold tile sizes, schedulers and threads.
    options: Option<&'static str>,
    /// The percentage of programs that must be transformed.
    least: u32,
}

const fn campaign(source: Source, programs: u32, options: Option<&'static str>, least: u32) -> Campaign {
    Campaign { source, programs, options, least }
}

const UNPROFITABLE: &str = "profitability=off";
const THREADS: &str = "profitability=off parallel=true single-loops=true";

/// For `--level full`: a minute.
const PLACEMENT: &[Campaign] = &[campaign(Source::C("placement"), 80, None, 25)];

/// For `--level full`, with csmith's.
const RANDOM_C: &[Campaign] = &[
    campaign(Source::C("own"), 60, None, 50),
    campaign(Source::C("extreme"), 60, None, 40),
    campaign(Source::C("pipelines"), 12, None, 80),
    campaign(Source::C("products"), 16, None, 60),
    campaign(Source::C("views"), 30, None, 15),
    campaign(Source::C("numbers"), 30, None, 20),
    campaign(Source::C("rows"), 20, None, 60),
    campaign(Source::C("recurrences"), 24, None, 50),
    campaign(Source::C("stencils"), 16, None, 60),
    campaign(Source::C("grids"), 16, None, 40),
    campaign(Source::C("intervals"), 24, None, 30),
    campaign(Source::C("pivots"), 24, None, 50),
    campaign(Source::C("csmith"), 20, None, 0),
];

/// For `--level full`, in MLIR.
const RANDOM_MLIR: &[Campaign] = &[campaign(Source::Mlir, 40, None, 0)];

/// For `--level long`.
const MANY_PLACEMENT: &[Campaign] = &[
    campaign(Source::C("placement"), 1000, Some("default"), 20),
    campaign(Source::C("placement"), 500, Some(UNPROFITABLE), 25),
    campaign(Source::C("placement"), 500, Some(THREADS), 25),
    campaign(Source::C("placement"), 1000, None, 25),
];

/// For `--level long`.
const MANY_C: &[Campaign] = &[
    campaign(Source::C("own"), 300, Some("default"), 5),
    campaign(Source::C("own"), 500, None, 50),
    campaign(Source::C("extreme"), 1000, None, 40),
    campaign(Source::C("pipelines"), 300, None, 80),
    campaign(Source::C("pipelines"), 100, Some("layout=auto"), 20),
    campaign(Source::C("products"), 300, None, 50),
    campaign(Source::C("views"), 1000, None, 20),
    campaign(Source::C("numbers"), 1000, None, 25),
    campaign(Source::C("rows"), 1000, None, 50),
    campaign(Source::C("recurrences"), 1000, None, 50),
    campaign(Source::C("stencils"), 600, None, 60),
    campaign(Source::C("grids"), 1000, None, 40),
    campaign(Source::C("intervals"), 1000, None, 30),
    campaign(Source::C("pivots"), 1000, None, 50),
    campaign(Source::C("csmith"), 500, Some("default"), 0),
    campaign(Source::C("csmith"), 500, None, 0),
];

/// For `--level long`.
const MANY_MLIR: &[Campaign] = &[campaign(Source::Mlir, 600, None, 0)];

/// How many times as many programs, and the first seed.
fn scale(times: Option<&OsStr>, first: Option<&OsStr>) -> Result<(u32, u32)> {
    let number = |value: Option<&OsStr>, name: &str| match value {
        None => Ok(1),
        Some(value) => {
            value.to_str().and_then(|word| word.parse().ok()).with_context(|| format!("{name} is no number"))
        }
    };
    Ok((number(times, "POLYRS_CAMPAIGN")?, number(first, "POLYRS_CAMPAIGN_FIRST")?))
}

impl Campaign {
    fn run(&self, project: &Project, times: u32, first: u32) -> Result<Counts> {
        let script = match self.source {
            Source::Mlir => "test/run/fuzz.py",
            Source::C(_) => "test/llvm/random/fuzz.py",
        };
        let mut command = Command::new(script)
            .args([format!("--seeds={}", self.programs * times), format!("--first={first}")])
            .arg(format!("--plugin={}", project.plugin().display()));
        if let Source::C(source) = self.source {
            command =
                command.args([format!("--source={source}"), format!("--least={}", f64::from(self.least) / 100.0)]);
        }
        if let Some(options) = self.options {
            command = command.arg(format!("--options={options}"));
        }
        let output = command.env("POLYRS_MACHINE", "generic").directory(&project.root).tee()?;
        agree(Counts::from_verdicts(&output.stdout), output.status.success())
    }
}

fn run(project: &Project, campaigns: &[Campaign], times: u32, first: u32) -> Result<Counts> {
    let mut total = Counts::default();
    for campaign in campaigns {
        total += campaign.run(project, times, first)?;
    }
    Ok(total)
}

fn run_scaled(project: &Project, campaigns: &[Campaign]) -> Result<Counts> {
    let variable = |name| std::env::var_os(name);
    let (times, first) = scale(variable("POLYRS_CAMPAIGN").as_deref(), variable("POLYRS_CAMPAIGN_FIRST").as_deref())?;
    run(project, campaigns, times, first)
}

/// Programs that attack where new code is put.
pub fn placement(project: &Project) -> Result<Counts> {
    run(project, PLACEMENT, 1, 1)
}

/// Many of these, at several options.
pub fn many_placement(project: &Project) -> Result<Counts> {
    run_scaled(project, MANY_PLACEMENT)
}

/// Loop nests in C, with numbers of all sizes, and csmith's programs.
pub fn random_c(project: &Project) -> Result<Counts> {
    run(project, RANDOM_C, 1, 1)
}

/// Many of these.
pub fn many_c(project: &Project) -> Result<Counts> {
    run_scaled(project, MANY_C)
}

/// Loop nests in MLIR.
pub fn random_mlir(project: &Project) -> Result<Counts> {
    run(project, RANDOM_MLIR, 1, 1)
}

/// Many of these.
pub fn many_mlir(project: &Project) -> Result<Counts> {
    run_scaled(project, MANY_MLIR)
}

/// C projects with their own tests, at default options and with all that looks unprofitable.
pub fn projects(project: &Project) -> Result<Counts> {
    let mut total = Counts::default();
    for flags in ["", "-mllvm -poly-schedule=profitability=off;single-loops=true"] {
        let output = Command::new("test/llvm/projects/check.py")
            .arg(format!("--flags={flags}"))
            .env("POLYRS_PLUGIN", project.plugin())
            .directory(&project.root)
            .tee()?;
        total += agree(Counts::from_verdicts(&output.stdout), output.status.success())?;
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::scale;
    use std::ffi::OsStr;

    #[test]
    fn counts_are_scaled() {
        assert_eq!(scale(None, None).unwrap(), (1, 1));
        assert_eq!(scale(Some(OsStr::new("20")), Some(OsStr::new("5001"))).unwrap(), (20, 5001));
        assert!(scale(Some(OsStr::new("many")), None).is_err());
    }
}
