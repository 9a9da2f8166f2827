//! What the benchmark `polybench` compares: by the front end through which the plugin sees the kernels.

use crate::suite::build::Recipe;
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::path::Path;

/// Where the plugin meets the kernels.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frontend {
    /// The kernels in the affine dialect, `mlir-opt` with the plugin
    Mlir,
    /// The kernels in C, clang with the plugin
    Clang,
    /// The same as PolyBench's own sources have them: no `restrict`, sizes as arguments
    Own,
}

/// How a program is made.
pub enum Source {
    /// The C program, by clang with further flags.
    C(&'static [&'static str]),
    /// The C program, by clang with the plugin and these options of it.
    Plugin(String),
    /// The MLIR program.
    Mlir(Recipe),
}

/// A configuration: its name, its source, its threads.
pub struct Config {
    /// As `--config` names it.
    pub name: &'static str,
    /// How its program is made.
    pub source: Source,
    /// How many threads it runs on.
    pub threads: usize,
    /// Whether the plugin that makes it is the earlier one, to which `--against` leads.
    pub is_before: bool,
}

/// Arrays keep their layout, as they do with other schedulers.
const UNRELAID: &str = "layout=none ";

/// No tile is packed.
const UNPACKED: &str = "pack-tiles=none ";

const POLLY: &[&str] = &["-mllvm", "-polly"];
const POLLY_PARALLEL: &[&str] =
    &["-mllvm", "-polly", "-mllvm", "-polly-parallel", "-mllvm", "-polly-omp-backend=LLVM", "-fopenmp"];

/// A strategy's file, as a configuration that has its name.
#[derive(Debug, Clone)]
pub struct StrategyFile {
    /// The file's name without what follows the dot.
    pub name: &'static str,
    /// Where it is, with further options.
    options: String,
}

impl StrategyFile {
    /// A file that there is, with further options of the plugin.
    ///
    /// # Errors
    /// There is none, or its name cannot be that of a configuration.
    pub fn new(path: &Path, further: &[String]) -> Result<StrategyFile> {
        let found = path.canonicalize().with_context(|| format!("there is no strategy {}", path.display()))?;
        let name = found.file_stem().and_then(OsStr::to_str).filter(|name| !name.contains('@'));
        let (Some(name), Some(path)) = (name, found.to_str()) else {
            bail!("{} is no name for a configuration", found.display());
        };
        // Names of configurations live as long as the process.
        let options = [&[format!("strategy={path}")], further].concat().join(" ") + " ";
        Ok(StrategyFile { name: Box::leak(name.to_owned().into_boxed_str()), options })
    }

    /// Its names: for one thread, and for two.
    pub fn names(&self) -> [&'static str; 2] {
        [self.name, Box::leak(format!("{}@2", self.name).into_boxed_str())]
    }
}

impl Frontend {
    /// The name of the result's files.
    pub fn file(self) -> &'static str {
        match self {
            Frontend::Mlir => "polybench",
            Frontend::Clang => "polybench-clang",
            Frontend::Own => "polybench-own",
        }
    }

    /// The configurations that the base `clang` is the fastest of.
    pub fn bases(self) -> &'static [&'static str] {
        match self {
            Frontend::Mlir => &["clang-c", "clang-mlir"],
            Frontend::Clang | Frontend::Own => &["clang-c"],
        }
    }

    /// What is compared with the base. `@2` means two threads. A scheduler that is the default has no name of its own.
    pub fn compared(self) -> &'static [&'static str] {
        match self {
            Frontend::Mlir => &[
                "default",
                "default@2",
                "unrelaid",
                "unrelaid@2",
                "unpacked",
                "polly",
                "isl",
                "isl@2",
                "ppcg",
                "ppcg@2",
                "pluto",
                "pluto@2",
            ],
            Frontend::Clang => &[
                "default",
                "default@2",
                "unrelaid",
                "unrelaid@2",
                "unpacked",
                "mlir",
                "mlir@2",
                "isl",
                "isl@2",
                "polly",
                "polly@2",
            ],
            Frontend::Own => &["default", "default@2", "polly", "polly@2"],
        }
    }

    /// These, and next to each that has the default options the same by an earlier plugin, named `before` for
    /// `default`.
    pub fn beside_before(compared: &[&'static str]) -> Vec<&'static str> {
        let with_before = |&name: &&'static str| match name {
            "default" => vec!["default", "before"],
            "default@2" => vec!["default@2", "before@2"],
            other => vec![other],
        };
        compared.iter().flat_map(with_before).collect()
    }

    /// The chosen ones of those; all, if none is.
    ///
    /// # Errors
    /// An unknown name.
    pub fn chosen(self, names: &[String]) -> Result<Vec<&'static str>> {
        let all = self.compared();
        match names.iter().find(|name| !all.iter().any(|known| known == name)) {
            Some(unknown) => bail!("there is no configuration {unknown}; there are {}", all.join(", ")),
            None if names.is_empty() => Ok(all.to_vec()),
            None => Ok(all.iter().copied().filter(|known| names.iter().any(|name| name == known)).collect()),
        }
    }

    /// The bases, and these.
    pub fn configurations(self, compared: &[&'static str], strategies: &[StrategyFile]) -> Vec<Config> {
        let bases = self.bases().iter().map(|&name| Config { name, source: base(name), threads: 1, is_before: false });
        let rest = compared.iter().map(|&name| {
            let (kind, threads) = name.strip_suffix("@2").map_or((name, 1), |kind| (kind, 2));
            let is_before = kind == "before";
            let kind = if is_before { "default" } else { kind };
            let strategy = strategies.iter().find(|strategy| strategy.name == kind);
            let source = match strategy {
                Some(strategy) => self.by_strategy(name, &strategy.options, threads),
                None => self.source(name, kind, threads),
            };
            Config { name, source, threads, is_before }
        });
        bases.chain(rest).collect()
    }

    /// By the strategy of a file, else as by default.
    fn by_strategy(self, name: &'static str, chosen: &str, threads: usize) -> Source {
        let parallel = threads > 1;
        match self {
            Frontend::Mlir => Source::Mlir(scheduled(name, chosen, parallel)),
            Frontend::Clang | Frontend::Own => Source::Plugin(options(chosen, parallel)),
        }
    }

    fn source(self, name: &'static str, kind: &str, threads: usize) -> Source {
        let parallel = threads > 1;
        match (self, kind) {
            (_, "polly") => Source::C(if parallel { POLLY_PARALLEL } else { POLLY }),
            (Frontend::Clang, "mlir") | (Frontend::Mlir, "default") => Source::Mlir(scheduled(name, "", parallel)),
            (Frontend::Mlir, "unrelaid") => Source::Mlir(scheduled(name, UNRELAID, parallel)),
            (Frontend::Mlir, "unpacked") => Source::Mlir(scheduled(name, UNPACKED, parallel)),
            (Frontend::Mlir, other) => {
                Source::Mlir(scheduled(name, &format!("scheduler={other} {UNRELAID}"), parallel))
            }
            (Frontend::Clang | Frontend::Own, "default") => Source::Plugin(options("", parallel)),
            (Frontend::Clang, "unrelaid") => Source::Plugin(options(UNRELAID, parallel)),
            (Frontend::Clang, "unpacked") => Source::Plugin(options(UNPACKED, parallel)),
            (Frontend::Clang | Frontend::Own, other) => {
                Source::Plugin(options(&format!("scheduler={other} {UNRELAID}"), parallel))
            }
        }
    }
}

/// A program that the plugin does not schedule.
fn base(name: &'static str) -> Source {
    if name == "clang-c" {
        return Source::C(&[]);
    }
    let passes = vec![contract(), "--poly-lower-x86".to_owned()];
    Source::Mlir(Recipe { name: "untransformed", plugin: true, passes })
}

fn contract() -> String {
    "--poly-allow-contract".to_owned()
}

/// The options of the scheduling pass. The time budget of a region is raised, so that a busy machine measures what an
/// idle one would.
fn options(scheduler: &str, parallel: bool) -> String {
    format!("{scheduler}parallel={parallel} time-budget-ms=60000")
}

fn scheduled(name: &'static str, scheduler: &str, parallel: bool) -> Recipe {
    let lower = if parallel { "openmp" } else { "x86" };
    let schedule = format!("--poly-schedule={}", options(scheduler, parallel));
    Recipe { name, plugin: true, passes: vec![schedule, contract(), format!("--poly-lower-{lower}")] }
}

#[cfg(test)]
mod tests {
    use super::{Frontend, Source};

    #[test]
    fn every_name_stands_for_a_program() {
        for frontend in [Frontend::Mlir, Frontend::Clang, Frontend::Own] {
            let all = frontend.configurations(frontend.compared(), &[]);
            assert_eq!(all.len(), frontend.bases().len() + frontend.compared().len());
            assert!(all.iter().all(|config| (config.threads == 2) == config.name.ends_with("@2")));
        }
        assert!(Frontend::Clang.chosen(&["ppcg".to_owned()]).is_err());
    }

    #[test]
    fn the_plugin_before_gets_the_same_options() {
        for frontend in [Frontend::Mlir, Frontend::Clang, Frontend::Own] {
            let names = Frontend::beside_before(&["default@2", "polly"]);
            assert_eq!(names, ["default@2", "before@2", "polly"]);
            let all = &frontend.configurations(&names, &[])[frontend.bases().len()..];
            assert_eq!(all.iter().map(|config| config.is_before).collect::<Vec<_>>(), [false, true, false]);
            match (&all[0].source, &all[1].source) {
                (Source::Plugin(now), Source::Plugin(before)) => assert_eq!(now, before),
                (Source::Mlir(now), Source::Mlir(before)) => assert_eq!(now.passes, before.passes),
                _ => panic!("other sources"),
            }
        }
    }

    #[test]
    fn clang_with_the_plugin_and_mlir_have_the_same_options() {
        let all = Frontend::Clang.configurations(&["default@2", "mlir@2"], &[]);
        let (Source::Plugin(clang), Source::Mlir(mlir)) = (&all[1].source, &all[2].source) else {
            panic!("other sources")
        };
        assert_eq!(mlir.passes[0], format!("--poly-schedule={clang}"));
    }
}
