//! The benchmark `integrated`: Table 1 of Shirako and Sarkar 2019. Schedules of Pluto, of least distance and of the
//! unified strategy, each with the layout that is best when measured, against the layout that is chosen together with
//! the schedule (`layout=auto`). Copies are part of every time.
//!
//! Layouts are what the paper has: arrays of two dimensions as they are or transposed. Where a kernel has three of
//! them at most, all combinations are measured, as in section 5; where it has more, each transposition alone and then
//! all that gained together. Every layout is scheduled anew, so that the best of the unified strategy is what the joint
//! search could find at best. The table says how close the choice comes to it, by the model alone.

use super::agreement::Dump;
use super::program::{Program, pool_equal};
use super::results::{Row, geomean, to_json};
use super::{chart::Chart, machine, save};
use crate::project::Project;
use crate::suite::build::{Builder, Recipe};
use crate::suite::kernel::{self, Kernel, Size};
use crate::suite::remarks;
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const BASE: &str = "original";
const INTEGRATED: &str = "integrated";

/// What a schedule aims at: the names of its rows as it is and with its best layout, and its option.
const STRATEGIES: [[&str; 3]; 3] = [
    ["pluto", "pluto+layout", "scheduler=pluto"],
    ["distance", "distance+layout", "scheduler=ppcg"],
    ["unified", "unified+layout", "scheduler=unified"],
];

/// With so many arrays all combinations are tried.
const FEW: usize = 3;

/// What a transposition alone has to gain to be one of those that are tried together.
const GAINS: f64 = 0.98;

/// A choice that takes so much longer than the best counts as right.
const CLOSE: f64 = 1.05;

/// An array of a region that may be transposed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Matrix {
    /// The region's name as files of maps have it.
    region: String,
    /// The array's.
    name: String,
    /// The bytes of an element.
    bytes: usize,
}

/// A strategy's program with some arrays transposed, by their numbers.
struct Variant {
    strategy: usize,
    transposed: Vec<usize>,
    program: Program,
}

/// What was measured of a kernel.
struct Outcome {
    row: Row,
    /// Every layout that was measured.
    layouts: Vec<Value>,
    /// For each strategy what is transposed in its best layout.
    best: Vec<String>,
    /// What the plugin expects of the layout that it chose; empty if it chose none.
    expected: String,
    complaints: Vec<String>,
}

impl Outcome {
    /// How much longer the choice takes than the best layout.
    fn regret(&self) -> Option<f64> {
        Some(1.0 / self.row.ratio(INTEGRATED, STRATEGIES[2][1])?)
    }
}

/// How it is measured.
#[derive(Clone, Copy)]
pub struct Request<'r> {
    /// Only these kernels, if any is named.
    pub kernels: &'r [String],
    /// Their sizes.
    pub size: Size,
    /// How many times each program runs.
    pub repeat: u32,
    /// On so many threads.
    pub threads: usize,
}

/// Measures the chosen kernels; whether every program built and agreed.
///
/// # Errors
/// An unknown name; when the suite cannot be read or the results cannot be written.
pub fn run(project: &Project, request: Request<'_>) -> Result<bool> {
    let kernels = kernel::choose(kernel::read_all(&project.root.join("test/polybench"))?, request.kernels)?;
    let bench =
        Bench { project, builder: Builder::new(project, "bench/integrated", &["-O3", "-march=native"])?, request };
    println!(
        "seconds, the fastest of {} runs that take turns, {} threads; in brackets what is transposed",
        request.repeat, request.threads
    );
    let header: Vec<String> = STRATEGIES.iter().map(|[name, best, _]| format!("{name:>10} {best:>15}")).collect();
    println!("{:<15} {BASE:>10} {} {INTEGRATED:>10} {:>6}  expected", "kernel", header.join(" "), "/best");
    let mut outcomes: Vec<Outcome> = Vec::new();
    for (index, kernel) in kernels.iter().enumerate() {
        eprint!("[{}/{}] {}:", index + 1, kernels.len(), kernel.name);
        let outcome = bench.kernel(kernel)?;
        eprintln!();
        let Some(outcome) = outcome else { continue };
        for complaint in &outcome.complaints {
            eprintln!("FAIL {}: {complaint}", kernel.name);
        }
        println!("{}", line(&outcome));
        outcomes.push(outcome);
        // Written after each kernel, so that a run that is cut short leaves what it has.
        write(project, &outcomes, request)?;
    }
    ensure!(!outcomes.is_empty(), "no kernel has arrays of two dimensions");
    summarize(&outcomes);
    println!("written: target/bench/integrated.json, target/bench/integrated.svg");
    Ok(outcomes.iter().all(|outcome| outcome.complaints.is_empty()))
}

struct Bench<'b> {
    project: &'b Project,
    builder: Builder,
    request: Request<'b>,
}

impl Bench<'_> {
    /// All of a kernel; `None` where no array has two dimensions.
    fn kernel(&self, kernel: &Kernel) -> Result<Option<Outcome>> {
        let source = self.project.root.join(format!("test/polybench/{}.mlir", kernel.name));
        let matrices = self.matrices(kernel, &source)?;
        if matrices.is_empty() {
            return Ok(None);
        }
        let mut complaints = Vec::new();
        let mut reference = None;
        let (original, _) = self.builder.build_mlir(&source, &lowered("untransformed", Vec::new(), 1))?;
        let mut original = Program::new(original, kernel.sizes_argument(self.request.size), 1);
        original.first_run(kernel.element, &mut reference)?;
        let (mut chosen, expected) = self.chosen(kernel, &source)?;
        chosen.first_run(kernel.element, &mut reference)?;
        let mut variants = Vec::new();
        for strategy in 0..STRATEGIES.len() {
            for transposed in layouts(matrices.len()) {
                self.add(
                    kernel,
                    &source,
                    &matrices,
                    (strategy, transposed),
                    &mut reference,
                    &mut variants,
                    &mut complaints,
                );
            }
        }
        self.rounds(variants.iter_mut().map(|variant| &mut variant.program).collect())?;
        for strategy in 0..STRATEGIES.len() {
            if let Some(together) = those_that_gain(&variants, strategy, matrices.len()) {
                self.add(
                    kernel,
                    &source,
                    &matrices,
                    (strategy, together),
                    &mut reference,
                    &mut variants,
                    &mut complaints,
                );
            }
        }
        let programs = variants.iter_mut().map(|variant| &mut variant.program);
        self.rounds(programs.chain([&mut original, &mut chosen]).collect())?;
        Ok(Some(outcome(kernel, &matrices, &original, &variants, &chosen, expected, complaints)))
    }

    /// The program of the joint search, and what it expects of its layout.
    fn chosen(&self, kernel: &Kernel, source: &Path) -> Result<(Program, String)> {
        let recipe = self.recipe(INTEGRATED, "layout=auto");
        let (path, said) = self.builder.build_mlir(source, &recipe)?;
        let text = std::fs::read_to_string(source)?;
        let lines = remarks::lines_of_function(&said, &text, &kernel.function());
        // `layout: 1.7x with MAPS` is said of a layout that was taken, `that of the program (next: ...)` of its own.
        let expected = lines.iter().filter_map(|line| line.split_once("; layout: ")?.1.split_once("x with "));
        let expected: Vec<&str> = expected.map(|(ratio, _)| ratio).filter(|ratio| !ratio.contains(' ')).collect();
        let expected = expected.join(" ");
        Ok((Program::new(path, kernel.sizes_argument(self.request.size), self.request.threads), expected))
    }

    /// Builds and runs a strategy with some arrays transposed. Where the plugin says that they cannot be, there is no
    /// such variant.
    #[expect(clippy::too_many_arguments, reason = "what is known of a kernel and what is found")]
    fn add(
        &self,
        kernel: &Kernel,
        source: &Path,
        matrices: &[Matrix],
        (strategy, transposed): (usize, Vec<usize>),
        reference: &mut Option<Dump>,
        variants: &mut Vec<Variant>,
        complaints: &mut Vec<String>,
    ) {
        eprint!(" {}", STRATEGIES[strategy][0]);
        let described = format!("{} [{}]", STRATEGIES[strategy][0], named(matrices, &transposed));
        let mut built = || {
            let Some(path) = self.variant(kernel, source, matrices, strategy, &transposed)? else { return Ok(None) };
            let mut program = Program::new(path, kernel.sizes_argument(self.request.size), self.request.threads);
            program.first_run(kernel.element, reference)?;
            anyhow::Ok(Some(program))
        };
        match built() {
            Ok(Some(program)) => variants.push(Variant { strategy, transposed, program }),
            Ok(None) => eprint!(" (not {described})"),
            Err(error) => complaints.push(format!("{described}: {error:#}")),
        }
    }

    /// The program of a variant; `None` where the plugin refuses the layout.
    fn variant(
        &self,
        kernel: &Kernel,
        source: &Path,
        matrices: &[Matrix],
        strategy: usize,
        transposed: &[usize],
    ) -> Result<Option<PathBuf>> {
        let [name, _, scheduler] = STRATEGIES[strategy];
        let numbers: String = transposed.iter().map(|number| format!("-{number}")).collect();
        let folder = self.builder.scratch().join(format!("{}{numbers}.maps", kernel.name));
        // Region by region; those without a file stay as they are.
        _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        let mut regions = std::collections::BTreeMap::<&str, String>::new();
        for &number in transposed {
            *regions.entry(&matrices[number].region).or_default() += &matrices[number].map(number);
        }
        for (region, maps) in &regions {
            save(&folder.join(region), maps)?;
        }
        let maps = if transposed.is_empty() {
            " layout=none".to_owned()
        } else {
            format!(" layout-maps={}/%", folder.display())
        };
        let Ok((path, said)) = self.builder.build_mlir(source, &self.recipe(name, &format!("{scheduler}{maps}")))
        else {
            return Ok(None);
        };
        if said.matches(" layout=1").count() < regions.len() {
            return Ok(None);
        }
        let own = self.builder.scratch().join(format!("{}-{name}-transposed{numbers}", kernel.name));
        std::fs::rename(&path, &own)?;
        Ok(Some(own))
    }

    fn recipe(&self, name: &'static str, options: &str) -> Recipe {
        let threads = self.request.threads;
        let schedule = format!("--poly-schedule={options} parallel={} time-budget-ms=60000", threads > 1);
        lowered(name, vec![schedule], threads)
    }

    /// The arrays of two dimensions of a kernel's regions.
    fn matrices(&self, kernel: &Kernel, source: &Path) -> Result<Vec<Matrix>> {
        let passes = vec!["--poly-schedule=scheduler=none layout=none tile=false dump=scop".to_owned()];
        let recipe = Recipe { name: "regions", plugin: true, passes };
        let said = self.builder.mlir_opt(&recipe).arg(source).args(["-o", "/dev/null"]).checked()?.stderr;
        Ok(matrices(&said, &kernel.function()))
    }

    /// Runs programs so often that each ran the requested times. The machine's speed drifts, so they take turns.
    fn rounds(&self, mut programs: Vec<&mut Program>) -> Result<()> {
        for _ in 1..self.request.repeat {
            eprint!(".");
            for program in &mut programs {
                program.run_again()?;
            }
        }
        pool_equal(&mut programs)
    }
}

impl Matrix {
    /// The map that transposes it, in a field of its own, with rows that begin at lines.
    fn map(&self, field: usize) -> String {
        format!("map(inout: {}(e0, e1) -> ({field}, e1, e0 align {}))\n", self.name, 64 / self.bytes)
    }
}

fn lowered(name: &'static str, schedule: Vec<String>, threads: usize) -> Recipe {
    let lower = if threads > 1 { "--poly-lower-openmp" } else { "--poly-lower-x86" };
    let passes = schedule.into_iter().chain(["--poly-allow-contract".to_owned(), lower.to_owned()]);
    Recipe { name, plugin: true, passes: passes.collect() }
}

/// What is transposed in each layout that is measured first: nothing, then all combinations of a few arrays, or each of
/// many alone.
fn layouts(arrays: usize) -> Vec<Vec<usize>> {
    let mut layouts = vec![Vec::new()];
    for array in 0..arrays {
        let with: Vec<Vec<usize>> = if arrays <= FEW {
            layouts.iter().map(|layout| layout.iter().copied().chain([array]).collect()).collect()
        } else {
            vec![vec![array]]
        };
        layouts.extend(with);
    }
    layouts
}

/// Of many arrays those whose transposition alone gains, if they are several.
fn those_that_gain(variants: &[Variant], strategy: usize, arrays: usize) -> Option<Vec<usize>> {
    let of = |transposed: &[usize]| {
        let mut own = variants.iter().filter(|one| one.strategy == strategy);
        own.find(|one| one.transposed == transposed).map(|one| one.program.best)
    };
    let as_it_is = of(&[])?;
    let gains = |array: &usize| of(&[*array]).is_some_and(|time| time < GAINS * as_it_is);
    let together: Vec<usize> = (0..arrays).filter(gains).collect();
    (arrays > FEW && together.len() > 1).then_some(together)
}

/// The arrays of two dimensions in a dump of the regions of a function.
fn matrices(dump: &str, function: &str) -> Vec<Matrix> {
    let (mut found, mut region) = (Vec::new(), None);
    for line in dump.lines() {
        if let Some(name) = line.strip_prefix("scop: ") {
            let name = name.trim_matches('"');
            let is_own = name.split_once(':').is_some_and(|(own, _)| own == function);
            region = is_own.then(|| name.replace(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c)), "_"));
        }
        let Some(region) = &region else { continue };
        let Some((name, about)) = line.trim_start().split_once(": { kind: ") else { continue };
        let Some((_, extents)) = about.split_once("extent: [") else { continue };
        let bytes = match about.split_once("element: ").map(|(_, rest)| &rest[..rest.len().min(3)]) {
            Some("f64" | "i64") => 8,
            Some("f32" | "i32") => 4,
            _ => continue,
        };
        if extents.matches(',').count() == 1 {
            found.push(Matrix { region: region.clone(), name: name.trim_matches('"').to_owned(), bytes });
        }
    }
    found
}

fn named(matrices: &[Matrix], transposed: &[usize]) -> String {
    transposed.iter().map(|&number| matrices[number].name.as_str()).collect::<Vec<_>>().join(" ")
}

fn outcome(
    kernel: &Kernel,
    matrices: &[Matrix],
    original: &Program,
    variants: &[Variant],
    chosen: &Program,
    expected: String,
    complaints: Vec<String>,
) -> Outcome {
    let mut row = Row { kernel: kernel.name.clone(), ..Row::default() };
    let mut names = Vec::new();
    row.seconds.push((BASE, original.best));
    for (strategy, [own, with_layout, _]) in STRATEGIES.iter().enumerate() {
        let all = || variants.iter().filter(|one| one.strategy == strategy);
        let best = all().min_by(|one, other| one.program.best.total_cmp(&other.program.best));
        names.push(best.map_or(String::new(), |one| named(matrices, &one.transposed)));
        let as_it_is = all().find(|one| one.transposed.is_empty());
        row.seconds.extend(as_it_is.map(|one| (*own, one.program.best)));
        row.seconds.extend(best.map(|one| (*with_layout, one.program.best)));
    }
    row.seconds.push((INTEGRATED, chosen.best));
    let layouts = variants.iter().map(|one| {
        let (name, transposed) = (STRATEGIES[one.strategy][0], named(matrices, &one.transposed));
        json!({"kernel": kernel.name, "scheduler": name, "transposed": transposed, "seconds": one.program.best})
    });
    Outcome { row, layouts: layouts.collect(), best: names, expected, complaints }
}

fn line(outcome: &Outcome) -> String {
    let row = &outcome.row;
    let time = |config: &str| row.time(config).map_or("-".to_owned(), |seconds| format!("{seconds:.4}"));
    let mut text = format!("{:<15} {:>10}", row.kernel, time(BASE));
    for ([own, with_layout, _], transposed) in STRATEGIES.iter().zip(&outcome.best) {
        text += &format!(" {:>10} {:>15}", time(own), format!("[{transposed}] {}", time(with_layout)));
    }
    let regret = outcome.regret().map_or("-".to_owned(), |regret| format!("{regret:.2}"));
    text + &format!(" {:>10} {regret:>6}  {}", time(INTEGRATED), outcome.expected)
}

fn summarize(outcomes: &[Outcome]) {
    let rows: Vec<Row> = outcomes.iter().map(|outcome| outcome.row.clone()).collect();
    for config in compared() {
        println!("geometric mean {config}/{BASE}: {:.3}", geomean(&rows, config, BASE).unwrap_or(f64::NAN));
    }
    let regrets: Vec<f64> = outcomes.iter().filter_map(Outcome::regret).collect();
    let right = regrets.iter().filter(|regret| **regret <= CLOSE).count();
    println!("the model's choice is the best layout or takes at most a twentieth longer: {right} of {}", regrets.len());
}

/// All configurations but the base.
fn compared() -> Vec<&'static str> {
    STRATEGIES.iter().flat_map(|[own, with_layout, _]| [*own, *with_layout]).chain([INTEGRATED]).collect()
}

fn write(project: &Project, outcomes: &[Outcome], request: Request<'_>) -> Result<()> {
    let folder = project.scratch("bench")?;
    let mut facts = machine::describe(project);
    facts.insert("size".to_owned(), format!("{:?}", request.size).to_lowercase().into());
    facts.insert("repeat".to_owned(), request.repeat.into());
    facts.insert("threads".to_owned(), request.threads.into());
    let rows: Vec<Row> = outcomes.iter().map(|outcome| outcome.row.clone()).collect();
    let mut json = to_json(facts, &rows, &compared(), BASE);
    json["layouts"] = outcomes.iter().flat_map(|outcome| outcome.layouts.clone()).collect();
    save(&folder.join("integrated.json"), &(serde_json::to_string_pretty(&json)? + "\n"))?;
    let series = [STRATEGIES[0][1], STRATEGIES[1][1], STRATEGIES[2][1], INTEGRATED];
    let ratios = |of: &dyn Fn(&str) -> Option<f64>| series.iter().map(|config| of(config)).collect();
    let mut groups: Vec<(String, Vec<Option<f64>>)> =
        rows.iter().map(|row| (row.kernel.clone(), ratios(&|config| row.ratio(config, BASE)))).collect();
    groups.push(("geometric mean".to_owned(), ratios(&|config| geomean(&rows, config, BASE))));
    let chart = Chart {
        title: "Schedules with their best layouts, and both chosen together: times faster than the original",
        axis: "logarithmic; to the right of 1 is faster than the original order",
        series: &series,
        groups,
    };
    save(&folder.join("integrated.svg"), &chart.to_svg())
}

#[cfg(test)]
mod tests {
    use super::{Matrix, layouts, matrices};

    #[test]
    fn few_arrays_have_all_combinations() {
        assert_eq!(layouts(2), [vec![], vec![0], vec![1], vec![0, 1]]);
        assert_eq!(layouts(3).len(), 8);
        assert_eq!(layouts(4), [vec![], vec![0], vec![1], vec![2], vec![3]]);
    }

    #[test]
    fn matrices_of_a_function_are_found() {
        let dump = "scop: \"init:3\"\narrays:\n  arg0: { kind: memory, element: f64, extent: [\"?\", \"?\"] }\n\
                    scop: \"kernel_x:5\"\narrays:\n  arg0: { kind: memory, element: f32, extent: [\"?\", 20] }\n  \
                    s: { kind: scalar, element: f64, extent: [] }\n  a: { kind: memory, element: f64, extent: [3] }\n";
        let expected = Matrix { region: "kernel_x_5".to_owned(), name: "arg0".to_owned(), bytes: 4 };
        assert_eq!(matrices(dump, "kernel_x"), std::slice::from_ref(&expected));
        assert_eq!(expected.map(2), "map(inout: arg0(e0, e1) -> (2, e1, e0 align 16))\n");
    }
}
