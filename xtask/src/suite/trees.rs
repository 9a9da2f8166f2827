//! The kernels in C, with arrays of variable length, and the same kernels in the affine dialect: where the models are
//! the same but for names, the trees must be.

use super::build::{Builder, Recipe};
use super::clang::style_flags;
use super::expected::Expected;
use super::kernel::{self, Kernel, Size};
use super::{FLAGS, MACHINE, in_parallel};
use crate::command::Command;
use crate::project::Project;
use crate::test::Counts;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};

/// The checked-in table, under the root.
const EXPECTED: &str = "test/c/trees.tsv";

const HEADER: &str = "kernel\tregions in C\tsame model\tsame tree\twhy the model is another";

/// What both compilers are told. The clock must not decide what a busy machine gets.
const OPTIONS: &str = "parallel=true profitability=off time-budget-ms=200000 dump=scop,schedule";

/// The least number of kernels of which some region has the same model.
const LEAST: usize = 20;

/// A region as the plugin dumps it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Region {
    name: String,
    scop: String,
    tree: String,
}

/// What became of a kernel.
struct Outcome {
    row: String,
    agrees: bool,
    complaints: Vec<String>,
}

/// Runs the comparison and prints its table.
///
/// # Errors
/// When the suite cannot be read or a kernel does not compile.
pub fn run(project: &Project) -> Result<Counts> {
    let kernels = kernel::read_all(&project.root.join("test/polybench"))?;
    let builder = Builder::new(project, "trees-test", FLAGS)?.machine(project.root.join(MACHINE));
    let scratch = project.scratch("trees-test/regions")?;
    let outcomes = in_parallel(&kernels, |kernel| {
        compare(project, &builder, &scratch, kernel).unwrap_or_else(|error| Outcome {
            row: String::new(),
            agrees: false,
            complaints: vec![format!("{}: {error:#}", kernel.name)],
        })
    });
    conclude(&project.root.join(EXPECTED), &outcomes)
}

fn compare(project: &Project, builder: &Builder, scratch: &Path, kernel: &Kernel) -> Result<Outcome> {
    let (in_c, in_mlir) = (regions_in_c(project, builder, kernel)?, regions_in_mlir(project, builder, kernel)?);
    ensure!(!in_c.is_empty() && !in_mlir.is_empty(), "nothing is lifted");
    let command = project.target.join("release/polyrs");
    let save = |region: &Region, kind: &str, text: &str| -> Result<PathBuf> {
        let path = scratch.join(format!("{}.{kind}", region.name.replace(':', "-")));
        std::fs::write(&path, text)?;
        Ok(path)
    };
    let (mut same_models, mut same_trees) = (0, 0);
    let (mut reasons, mut complaints) = (Vec::new(), Vec::new());
    for ours in &in_c {
        let mut reason = String::new();
        for theirs in &in_mlir {
            let scops = [save(theirs, "scop", &theirs.scop)?, save(ours, "scop", &ours.scop)?];
            let matched = Command::new(&command).arg("match").args(&scops).output()?;
            if !matched.status.success() {
                reason = matched.stderr.trim().replace("the regions differ: ", "");
                continue;
            }
            reason.clear();
            same_models += 1;
            let trees = [save(theirs, "tree", &theirs.tree)?, save(ours, "tree", &ours.tree)?];
            let matched = Command::new(&command).arg("match").args(&scops).arg("--trees").args(&trees).output()?;
            if matched.status.success() {
                same_trees += 1;
            } else {
                complaints.push(format!("{}: {}", ours.name, matched.stderr.trim()));
            }
            break;
        }
        if !reason.is_empty() && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let why = if reasons.is_empty() { "-".to_owned() } else { reasons.join("; ") };
    let row = format!("{}\t{}\t{same_models}\t{same_trees}\t{why}", kernel.name, in_c.len());
    Ok(Outcome { row, agrees: same_models > 0, complaints })
}

fn regions_in_c(project: &Project, builder: &Builder, kernel: &Kernel) -> Result<Vec<Region>> {
    let source = project.root.join(format!("test/c/{}.c", kernel.name));
    let flags = style_flags(kernel, "vla", Size::Small);
    let (_, said) = builder.build_c_with_plugin(&source, "trees", &flags, OPTIONS)?;
    Ok(of_function(regions(&said), &kernel.function()))
}

fn regions_in_mlir(project: &Project, builder: &Builder, kernel: &Kernel) -> Result<Vec<Region>> {
    let source = project.root.join(format!("test/polybench/{}.mlir", kernel.name));
    let recipe = Recipe { name: "trees", plugin: true, passes: vec![format!("--poly-schedule={OPTIONS}")] };
    let said = builder.mlir_opt(&recipe).arg(&source).args(["-o", "/dev/null"]).checked()?.stderr;
    Ok(of_function(regions(&said), &kernel.function()))
}

fn of_function(regions: Vec<Region>, function: &str) -> Vec<Region> {
    regions.into_iter().filter(|region| region.name.starts_with(function) && !region.tree.is_empty()).collect()
}

/// The regions in what a compiler said, in order: `# scop of NAME`, the text, and the same with `schedule`.
fn regions(said: &str) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::new();
    let mut current: Option<(bool, usize)> = None;
    for line in said.lines() {
        let title = [("# scop of ", true), ("# schedule of ", false)]
            .into_iter()
            .find_map(|(prefix, is_scop)| line.strip_prefix(prefix).map(|name| (name, is_scop)));
        if let Some((name, is_scop)) = title {
            let at = regions.iter().position(|region| region.name == name).unwrap_or(regions.len());
            if at == regions.len() {
                regions.push(Region { name: name.to_owned(), ..Region::default() });
            }
            current = Some((is_scop, at));
        } else if !is_text(line) {
            current = None;
        } else if let Some((is_scop, at)) = current {
            let region = &mut regions[at];
            let text = if is_scop { &mut region.scop } else { &mut region.tree };
            text.push_str(line);
            text.push('\n');
        }
    }
    regions
}

/// A line of a region's text and not of a remark or a log.
fn is_text(line: &str) -> bool {
    let is_key = |key: &str| !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let is_log = line.contains("polyrs::time: ");
    !is_log && (line.starts_with(' ') || line.split_once(':').is_some_and(|(key, _)| is_key(key)))
}

/// Prints the table and compares it with the checked-in one.
fn conclude(path: &Path, outcomes: &[Outcome]) -> Result<Counts> {
    let expected = Expected::settle(path, HEADER, outcomes.iter().map(|outcome| outcome.row.as_str()))?;
    let mut counts = Counts::default();
    for outcome in outcomes {
        for complaint in &outcome.complaints {
            eprintln!("FAIL {complaint}");
        }
        let same = expected.has(&outcome.row);
        counts += Counts::one(same && outcome.complaints.is_empty());
    }
    let agreeing = outcomes.iter().filter(|outcome| outcome.agrees).count();
    println!("of {agreeing} kernels some region has the same model; of {LEAST} at least it must");
    counts += Counts::one(agreeing >= LEAST);
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::{Region, regions};

    #[test]
    fn regions_end_where_remarks_begin() {
        let said = "x.c:1:2: remark: poly\n 3 | code\n# scop of f:3\nscop: \"f:3\"\n  S0:\n# schedule of f:3\ndomain: a\n  child:\n INFO polyrs::time: \
                    lift=1\n  none\n# scop of g:1\nscop: g\ng.c:3:4: remark: b\n";
        let region =
            |name: &str, scop: &str, tree: &str| Region { name: name.into(), scop: scop.into(), tree: tree.into() };
        let expected =
            [region("f:3", "scop: \"f:3\"\n  S0:\n", "domain: a\n  child:\n"), region("g:1", "scop: g\n", "")];
        assert_eq!(regions(said), expected);
    }
}
