//! `cargo xtask bench NAME`: measurements, printed, and written as JSON and as a plot to `target/bench`.

mod agreement;
mod chart;
mod clustering;
mod compile;
mod configurations;
mod curves;
mod driver;
mod figures;
pub mod gpu;
mod inputs;
mod integrated;
mod layout;
mod limits;
mod loops;
mod machine;
mod ml;
mod openblas;
mod polybench;
mod program;
mod ranking;
mod records;
mod report;
mod results;
mod schedule;
mod styles;
mod tune;
mod turns;

use crate::project::Project;
use crate::suite::kernel::Size;
use crate::{setup, test};
use anyhow::{Context, Result, bail};
use configurations::{Frontend, StrategyFile};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What can be measured.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Name {
    /// The 30 PolyBench kernels: clang, Polly and the plugin with its schedulers
    Polybench,
    /// Operations of linalg at the sizes of known networks: upstream's lowering, its tiles, the plugin, OpenBLAS
    Ml,
    /// Single functions with loops that are not PolyBench's, in all types: clang, Polly and the plugin
    Loops,
    /// The same loops in many styles of C, C++ and Fortran: clang or flang alone and with the plugin
    Styles,
    /// What computes on matrices against the rate of OpenBLAS, what reads them against reading, on PolyBench
    Limits,
    /// How long clang takes to compile PolyBench alone and with the plugin, and how large the code is
    Compile,
    /// What remarks and records cost a compilation, and whether objects are the same with records; C, C++ and Fortran
    Records,
    /// A folder with programs for a machine with a GPU, and the script that measures them there
    Gpu,
    /// Layouts chosen with schedules against schedules alone, on arrays of structures in C
    Layout,
    /// Three schedules with their best layouts against schedule and layout chosen together, on PolyBench
    Integrated,
    /// Figures 9, 10 and 11 of the paper on layouts: one product with three layouts and orders, beside what is chosen
    Figures,
    /// Our scheduler against isl's, from constraints to tree
    Schedule,
    /// What statements that are scheduled as one save, on three-address code and regions of up to 1,000 statements
    Clustering,
    /// The driver with `scheduler=unified` against `scheduler=ppcg`, from constraints to the trees that compete
    Driver,
    /// `polyrs tune` on five programs of our own: what it gains, and how long it takes
    Tune,
}

/// Options of `cargo xtask bench`.
#[derive(clap::Args)]
pub struct Options {
    /// What to measure
    #[arg(value_enum)]
    name: Name,
    /// Only this kernel or input (may be given several times)
    #[arg(long, value_name = "KERNEL")]
    kernel: Vec<String>,
    /// Only this style (may be given several times); for styles
    #[arg(long, value_name = "STYLE")]
    style: Vec<String>,
    /// Only this configuration besides the base (may be given several times); for polybench
    #[arg(long, value_name = "CONFIG")]
    config: Vec<String>,
    /// A strategy's file (docs/strategies.md), as one more configuration, on one thread and on two (may be given several
    /// times); for polybench
    #[arg(long, value_name = "FILE", conflicts_with = "documents")]
    strategy: Vec<PathBuf>,
    /// An option of the plugin for the strategies' configurations, such as candidate=… (may be given several times)
    #[arg(long, value_name = "NAME=VALUE", requires = "strategy")]
    option: Vec<String>,
    /// Another build of the plugin, libpolyrs_mlir.so beside it, to compare with side by side; for polybench and compile
    #[arg(long, value_name = "PLUGIN")]
    against: Option<PathBuf>,
    /// Where the plugin meets the kernels; for polybench
    #[arg(long, value_enum, default_value_t = Frontend::Mlir)]
    frontend: Frontend,
    /// The sizes of the kernels; with `small`, styles are compared and not measured
    #[arg(long, value_enum, default_value_t = Size::Large)]
    size: Size,
    /// How many times each program runs; the fastest run counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// On how many threads programs run; for integrated and figures
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Write table and plot of the full run to docs/measured; for polybench, ml, loops, styles and limits
    #[arg(long, conflicts_with_all = ["kernel", "style", "against"])]
    documents: bool,
}

/// Sets up, builds, measures.
///
/// # Errors
/// When set-up or the build fails or there is nothing to measure. A configuration that does not build or gives other
/// results is a failing exit code.
pub fn run(project: &Project, options: &Options) -> Result<ExitCode> {
    setup::run(&setup::Options::default())?;
    if test::build(project)?.failed > 0 {
        bail!("the build failed");
    }
    let (kernels, repeat, documents) = (&options.kernel, options.repeat, options.documents);
    if documents && !matches!(options.name, Name::Polybench | Name::Ml | Name::Loops | Name::Styles | Name::Limits) {
        bail!("--documents is for polybench, ml, loops, styles and limits; the others' tables are written by hand");
    }
    let good = match options.name {
        Name::Polybench => {
            let Options { frontend, size, .. } = *options;
            let (configs, against) = (&options.config, options.against.as_deref());
            let strategies = options
                .strategy
                .iter()
                .map(|path| StrategyFile::new(path, &options.option))
                .collect::<Result<Vec<_>>>()?;
            let strategies = &strategies[..];
            let request =
                polybench::Request { frontend, kernels, configs, strategies, against, size, repeat, documents };
            polybench::run(project, &request)?
        }
        Name::Ml => ml::run(project, kernels, repeat, documents)?,
        Name::Loops => loops::run(project, kernels, repeat, documents)?,
        Name::Styles if matches!(options.size, Size::Mini | Size::Small) => {
            styles::compare(project, kernels, &options.style)?
        }
        Name::Styles => {
            let styles = &options.style;
            styles::run(project, styles::Request { kernels, styles, repeat, documents })?
        }
        Name::Limits => limits::run(project, kernels, repeat, documents)?,
        Name::Compile => {
            compile::run(project, &compile::Request { kernels, against: options.against.as_deref(), repeat })?
        }
        Name::Records => records::run(project, kernels, repeat)?,
        Name::Gpu => gpu::run(project, kernels, options.size)?,
        Name::Layout => layout::run(project, kernels, repeat)?,
        Name::Integrated => {
            let Options { size, threads, .. } = *options;
            integrated::run(project, integrated::Request { kernels, size, repeat, threads })?
        }
        Name::Figures => figures::run(project, repeat, options.threads)?,
        Name::Clustering => clustering::run(project, kernels, repeat)?,
        Name::Tune => tune::run(project, kernels, repeat)?,
        Name::Driver => driver::run(project, kernels, repeat)?,
        Name::Schedule => schedule::run(project, kernels, repeat)?,
    };
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn save(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
