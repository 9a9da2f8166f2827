//! Suites of kernels: each program is compiled as it is and as the plugin makes it, and must give the same bits.

pub mod build;
mod callers;
pub mod checks;
pub mod clang;
mod comparison;
mod expected;
pub mod functions;
pub mod gpu;
pub mod gpu_c;
pub mod kernel;
pub mod loops;
pub mod ptxas;
pub mod remarks;
pub mod stub;
pub mod styles;
pub mod table;
pub mod trees;

use crate::project::Project;
use crate::test::Counts;
use anyhow::{Context, Result, bail};
use build::{Builder, Recipe};
use comparison::{Checks, Variant};
use kernel::Kernel;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use table::Row;

/// A suite of kernels.
pub struct Suite {
    /// Its name, also of the scratch folder.
    pub name: &'static str,
    /// Its folder under the root: `kernels/*.toml`, `<kernel>.mlir`, `expected.tsv`.
    pub folder: &'static str,
    /// The passes that make affine loops of the programs.
    pub prepare: &'static [&'static str],
    /// How many kernels must at least be there.
    pub kernels: usize,
    /// How many kernels must at least have a tiled band or a parallel loop.
    pub improved: usize,
}

/// PolyBench/C 4.2.1 in the affine dialect.
pub const POLYBENCH: Suite =
    Suite { name: "polybench", folder: "test/polybench", prepare: &[], kernels: 30, improved: 26 };

/// Layers of machine learning, as `linalg` operations on memrefs.
pub const ML: Suite =
    Suite { name: "ml", folder: "test/ml", prepare: &["--convert-linalg-to-affine-loops"], kernels: 17, improved: 17 };

/// Both sides are compiled with the same flags, and no multiply-add is formed that the IR does not allow. (The C suite
/// has flags of its own.)
const FLAGS: &[&str] = &["-O3", "-march=native", "-ffp-contract=off"];

/// What code is made for: `generic`, but for threads that start at once. The kernels are small so that the tests are
/// fast, and shall get the code of large ones.
const MACHINE: &str = "test/machine.txt";

/// Set to write the expected table instead of comparing with it.
pub const BLESS: &str = "POLYRS_BLESS";

/// What became of one kernel.
struct Outcome {
    row: Row,
    checks: Checks,
    /// Why new code could not be read back and compared with its schedule.
    unread: Vec<String>,
}

impl Suite {
    /// Runs all checks of the suite and prints its table.
    ///
    /// # Errors
    /// When the suite cannot be read or the harness cannot be built.
    pub fn run(&self, project: &Project) -> Result<Counts> {
        let folder = project.root.join(self.folder);
        let kernels = kernel::read_all(&folder)?;
        if kernels.len() < self.kernels {
            bail!("{} has {} kernels, not {}", self.folder, kernels.len(), self.kernels);
        }
        let scratch = format!("{}-test", self.name);
        // The table of results is the same wherever the tests run.
        let builder = Builder::new(project, &scratch, FLAGS)?.machine(project.root.join(MACHINE));
        let outcomes = in_parallel(&kernels, |kernel| {
            let source = folder.join(format!("{}.mlir", kernel.name));
            self.check_kernel(&builder, kernel, &source)
        });
        self.conclude(&folder.join("expected.tsv"), outcomes)
    }

    /// Builds and runs one kernel in every variant.
    fn check_kernel(&self, builder: &Builder, kernel: &Kernel, source: &Path) -> Outcome {
        let row = Row::from_remarks(&kernel.name, &[]);
        let mut outcome = Outcome { row, checks: Checks::default(), unread: Vec::new() };
        if let Err(error) = self.compare_variants(builder, kernel, source, &mut outcome) {
            outcome.checks.check(false, || format!("{}: {error:#}", kernel.name));
        }
        outcome
    }

    fn recipe(&self, recipe: Recipe) -> Recipe {
        recipe.after(self.prepare)
    }

    fn compare_variants(&self, builder: &Builder, kernel: &Kernel, source: &Path, outcome: &mut Outcome) -> Result<()> {
        let text = std::fs::read_to_string(source).with_context(|| source.display().to_string())?;
        let (original, _) = builder.build_mlir(source, &Recipe::original().after(self.prepare))?;
        let (sequential, _) = builder.build_mlir(source, &self.recipe(Recipe::sequential()))?;
        // The table is about the schedules of the layout that each program has.
        let recipe = Recipe::parallel().in_its_layout().parallel_from(0).read_back();
        let (parallel, said) = builder.build_mlir(source, &self.recipe(recipe))?;
        let (unified, _) =
            builder.build_mlir(source, &self.recipe(Recipe::unified().parallel_from(500).read_back()))?;
        let (relaid, _) = builder.build_mlir(source, &self.recipe(Recipe::relaid().read_back()))?;
        let about_kernel = remarks::of_function(&remarks::parse(&said), &text, &kernel.function());
        outcome.row = Row::from_remarks(&kernel.name, &about_kernel);
        outcome.unread = remarks::not_read_back(&said);
        let variants = [
            Variant::new("sequential", &sequential, 1),
            Variant::new("parallel", &parallel, 2),
            Variant::new("parallel", &parallel, 3),
            Variant::new("unified", &unified, 2),
            Variant::new("relaid", &relaid, 1),
        ];
        outcome.checks.same_bits(kernel, &original, &variants)
    }

    /// Prints the table and compares it with the expected one.
    fn conclude(&self, expected: &Path, outcomes: Vec<Outcome>) -> Result<Counts> {
        let rows: Vec<Row> = outcomes.iter().map(|outcome| outcome.row.clone()).collect();
        println!("{}", table::to_text(&rows));
        if std::env::var_os(BLESS).is_some() {
            std::fs::write(expected, table::to_tsv(&rows))?;
            println!("wrote {}", expected.display());
        }
        let known = if expected.exists() {
            let text = std::fs::read_to_string(expected)?;
            table::from_tsv(&text).with_context(|| expected.display().to_string())?
        } else {
            eprintln!("there is no {}; with {BLESS}=1 in the environment it is written", expected.display());
            Vec::new()
        };
        let mut total = Counts::default();
        for mut outcome in outcomes {
            let difference = table::difference(&known, &outcome.row);
            let whole = outcome.row.is_whole();
            let kernel = outcome.row.kernel().to_owned();
            outcome.checks.check(difference.is_none(), || difference.unwrap_or_default());
            outcome.checks.check(whole, || format!("{kernel}: was not lifted whole"));
            for reason in &outcome.unread {
                println!("{kernel}: not read back: {reason}");
            }
            total += outcome.checks.conclude();
        }
        let (equal, emitted) = table::read_back(&rows);
        println!("read back {equal} of {emitted} regions that were rewritten");
        let improved = rows.iter().filter(|row| row.is_improved()).count();
        println!("{improved} of {} kernels have a tiled band or a parallel loop", rows.len());
        if improved < self.improved {
            eprintln!("FAIL at least {} must", self.improved);
        }
        total += Counts::one(improved >= self.improved);
        Ok(total)
    }
}

/// Applies `work` to all items with as many threads as the machine has, and returns the results in order.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let (next, work) = (&next, &work);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    if sender.send((index, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        receiver.iter().collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::in_parallel;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();
        assert_eq!(in_parallel(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(in_parallel(&[] as &[u64], |item| *item).is_empty());
    }
}
