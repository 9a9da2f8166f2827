//! The kernels in C, compiled by clang with and without the plugin: the same bits, and what was lifted as a table.

use super::build::{Builder, execute};
use super::comparison::first_difference;
use super::expected::Expected;
use super::kernel::{self, Kernel, Size};
use super::remarks::{self, Message, Remark};
use super::{MACHINE, in_parallel};
use crate::project::Project;
use crate::test::Counts;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// How the kernels' arrays are written, and of how many kernels the deepest nest must at least be lifted.
const STYLES: [(&str, usize); 3] = [("fixed", 28), ("vla", 26), ("pointers", 20)];

/// The flags of all programs. Multiplications and additions are fused where C lets clang do that by default,
const FLAGS: &[&str] = &["-O3", "-march=native"];

/// but not in this style.
const UNFUSED_STYLE: &str = "pointers";

/// In this style, whose sizes are arguments, the compiler also runs each new function beside its original on random
/// memory,
const VALIDATED_STYLE: &str = "vla";

/// in at least so many kernels.
const LEAST_VALIDATED: usize = 28;

/// The checked-in table, under the root.
const EXPECTED: &str = "test/c/expected.tsv";

const HEADER: &str = "kernel\tstyle\tdeepest nest\tscops\tstatements\trefused";

/// The options of the plugin with a name and a number of threads. The clock must not decide what a busy machine gets.
/// All loops are taken, so that the table says what can be lifted, in the layouts that they have.
const SEQUENTIAL: (&str, &str, usize) =
    ("sequential", "parallel=false single-loops=true layout=none size-versions=false time-budget-ms=200000", 1);

/// The same for several threads, read back.
const PARALLEL: (&str, &str, usize) =
    ("parallel", "parallel=true scheduler=unified profitability=off time-budget-ms=200000 read-back=true", 2);

/// In this style the sizes are a part of the code; in the others the code is the same for all sizes, and compiled once.
const CONSTANT_STYLE: &str = "fixed";

/// A program that is built of a kernel.
struct Build {
    /// What its files are called by.
    name: &'static str,
    /// The macro that chooses the sizes.
    sizes: &'static str,
    /// The sizes that it runs at, and the argument for each.
    runs: &'static [(Size, Option<&'static str>)],
    /// How it is compiled.
    variants: &'static [(&'static str, &'static str, usize)],
}

/// The programs of a style.
fn builds(style: &str) -> &'static [Build] {
    // The smallest size is for what happens in no whole tile; one variant will do.
    const CONSTANT: &[Build] = &[
        Build { name: "mini", sizes: "TEST_MINI", runs: &[(Size::Mini, None)], variants: &[PARALLEL] },
        Build { name: "small", sizes: "TEST_SMALL", runs: &[(Size::Small, None)], variants: &[SEQUENTIAL, PARALLEL] },
    ];
    const ARGUMENTS: &[Build] = &[Build {
        name: "all",
        sizes: "TEST_SIZES",
        runs: &[(Size::Mini, Some("--sizes=1")), (Size::Small, Some("--sizes=2"))],
        variants: &[SEQUENTIAL, PARALLEL],
    }];
    if style == CONSTANT_STYLE { CONSTANT } else { ARGUMENTS }
}

/// What became of a kernel in one style.
struct Outcome {
    style: &'static str,
    /// The line of the table.
    row: String,
    /// The deepest nest was lifted.
    lifted: bool,
    /// A function was run beside its original by the compiler.
    validated: bool,
    counts: Counts,
    complaints: Vec<String>,
}

/// Runs the suite and prints its table.
///
/// # Errors
/// When the suite cannot be read or the harness cannot be built.
pub fn run(project: &Project) -> Result<Counts> {
    let kernels = kernel::read_all(&project.root.join("test/polybench"))?;
    let builder = Builder::new(project, "clang-test", FLAGS)?.machine(project.root.join(MACHINE));
    let jobs: Vec<(&Kernel, &'static str)> =
        kernels.iter().flat_map(|kernel| STYLES.map(|(style, _)| (kernel, style))).collect();
    let outcomes = in_parallel(&jobs, |(kernel, style)| check(project, &builder, kernel, style));
    conclude(&project.root.join(EXPECTED), &outcomes)
}

fn check(project: &Project, builder: &Builder, kernel: &Kernel, style: &'static str) -> Outcome {
    let mut outcome = Outcome {
        style,
        row: String::new(),
        lifted: false,
        validated: false,
        counts: Counts::default(),
        complaints: Vec::new(),
    };
    if let Err(error) = compare(project, builder, kernel, &mut outcome) {
        outcome.counts += Counts::one(false);
        outcome.complaints.push(format!("{} {style}: {error:#}", kernel.name));
    }
    outcome
}

/// What tells the compiler which size of a kernel is wanted, and in which style.
pub fn style_flags(kernel: &Kernel, style: &str, size: Size) -> Vec<String> {
    flags_of(kernel, style, size.c_macro())
}

fn flags_of(kernel: &Kernel, style: &str, sizes: &str) -> Vec<String> {
    let mut flags = vec!["-DUSE_RESTRICT".to_owned(), format!("-D{sizes}")];
    if style != "fixed" {
        flags.push(format!("-DPOLYBENCH_KERNEL_FILE=\"{style}/{}.h\"", kernel.name));
    }
    flags
}

/// The same for the style of PolyBench's own sources: sizes are arguments, extents constants, and there is no
/// `restrict`. It is made of the one with arrays of variable length.
///
/// # Errors
/// When a file cannot be read or written.
pub fn own_style(project: &Project, kernel: &Kernel, size: Size) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(kernel_file(project, kernel, "vla"))?;
    let file = project.scratch("own-style")?.join(format!("{}.h", kernel.name));
    std::fs::write(&file, with_constant_extents(&text).context("there is no kernel")?)?;
    Ok(vec![format!("-D{}", size.c_macro()), format!("-DPOLYBENCH_KERNEL_FILE=\"{}\"", file.display())])
}

/// A kernel with the macros of sizes in the place of its parameters in the brackets of its signature.
fn with_constant_extents(text: &str) -> Option<String> {
    let start = text.find("void kernel_")?;
    let end = start + text[start..].find('{')?;
    let mut inside = false;
    let signature = text[start..end].chars().map(|letter| {
        inside = letter == '[' || inside && letter != ']';
        if inside { letter.to_ascii_uppercase() } else { letter }
    });
    Some(format!("{}{}{}", &text[..start], signature.collect::<String>(), &text[end..]))
}

/// Where the kernel's loops are.
fn kernel_file(project: &Project, kernel: &Kernel, style: &str) -> PathBuf {
    let folder = project.root.join("test/c");
    match style {
        "fixed" => folder.join(format!("{}.c", kernel.name)),
        other => folder.join(other).join(format!("{}.h", kernel.name)),
    }
}

fn compare(project: &Project, builder: &Builder, kernel: &Kernel, outcome: &mut Outcome) -> Result<()> {
    let style = outcome.style;
    let source = project.root.join(format!("test/c/{}.c", kernel.name));
    let text = std::fs::read_to_string(kernel_file(project, kernel, style))?;
    for build in builds(style) {
        let mut flags = flags_of(kernel, style, build.sizes);
        if style == UNFUSED_STYLE {
            flags.push("-ffp-contract=off".to_owned());
        }
        let name = |variant: &str| format!("{style}-{variant}-{}", build.name);
        let plain = builder.build_c(&source, &name("plain"), &flags)?;
        let expected = dumps(&plain, build, 1)?;
        ensure!(expected.iter().all(|(_, dump)| has_values(dump)), "the original prints no values");
        ensure!(expected.windows(2).all(|pair| pair[0].1 != pair[1].1), "all sizes print the same");
        for &(variant, options, threads) in build.variants {
            let is_parallel = variant == PARALLEL.0;
            let validate = style == VALIDATED_STYLE && is_parallel;
            let options = format!("{options} validate={validate}");
            let (program, said) = builder.build_c_with_plugin(&source, &name(variant), &flags, &options)?;
            if validate {
                examine_trials(kernel, &said, outcome);
            }
            if is_parallel {
                (outcome.row, outcome.lifted) = describe(kernel, style, &text, &said)?;
            }
            for ((size, expected), (_, actual)) in expected.iter().zip(dumps(&program, build, threads)?) {
                outcome.counts += Counts::one(actual == *expected);
                if actual != *expected {
                    let difference = first_difference(expected, &actual);
                    outcome.complaints.push(format!("{} {style}, {variant}, {size:?}: {difference}", kernel.name));
                }
            }
        }
    }
    Ok(())
}

/// What a program prints at its sizes.
fn dumps(program: &Path, build: &Build, threads: usize) -> Result<Vec<(Size, String)>> {
    let run = |(size, argument): &(Size, Option<&str>)| {
        let arguments: Vec<&str> = argument.iter().copied().chain(["--dump=bits"]).collect();
        Ok((*size, execute(program, &arguments, threads)?))
    };
    build.runs.iter().map(run).collect()
}

fn has_values(dump: &str) -> bool {
    dump.lines().any(|line| !line.starts_with("array "))
}

/// What the compiler said of functions that it ran beside their originals.
fn examine_trials(kernel: &Kernel, said: &str, outcome: &mut Outcome) {
    outcome.validated = said.contains(" remark: validated by ");
    let bad = said.lines().filter(|line| line.contains(" remark: not validated: ") || line.contains(": validation: "));
    for line in bad {
        outcome.counts += Counts::one(false);
        outcome.complaints.push(format!("{} {}: {line}", kernel.name, outcome.style));
    }
}

/// The table's line for a kernel, and whether its deepest nest was lifted.
fn describe(kernel: &Kernel, style: &str, text: &str, said: &str) -> Result<(String, bool)> {
    let (first, last, deepest) = deepest_nest(text).context("there is no kernel with loops")?;
    let file = if style == "fixed" { format!("{}.c:", kernel.name) } else { format!("{style}/{}.h:", kernel.name) };
    let said: String = said.lines().filter(|line| line.contains(&file)).map(|line| format!("{line}\n")).collect();
    let inside = |remark: &Remark| remark.line.is_some_and(|line| (first..=last).contains(&line));
    let remarks: Vec<Remark> = remarks::parse(&said).into_iter().filter(inside).collect();
    let about = remarks.iter().filter(|remark| remark.line.is_some_and(|line| line <= deepest)).max_by_key(|r| r.line);
    let lifted = about.is_some_and(|remark| matches!(remark.message, Message::Found { .. }));
    let (mut scops, mut total, mut reasons) = (0, 0, Vec::new());
    for remark in &remarks {
        match &remark.message {
            Message::Found { statements, .. } => {
                scops += 1;
                total += statements;
            }
            Message::Refused(reason) => reasons.push(reason.replace('\t', " ")),
        }
    }
    reasons.dedup();
    let refused = if reasons.is_empty() { "-".to_owned() } else { reasons.join("; ") };
    let nest = if lifted { "lifted" } else { "not lifted" };
    Ok((format!("{}\t{style}\t{nest}\t{scops}\t{total}\t{refused}", kernel.name), lifted))
}

/// First and last line of the kernel, from 1, and the first line in its deepest loop. The programs are formatted: what
/// is deeper is indented further.
fn deepest_nest(text: &str) -> Option<(usize, usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().position(|line| line.contains("void kernel_"))?;
    let last = first + lines[first..].iter().position(|line| *line == "}")?;
    let mut open: Vec<usize> = Vec::new();
    let mut best = (0, 0);
    for (number, line) in lines.iter().enumerate().take(last).skip(first) {
        let indent = line.len() - line.trim_start().len();
        open.retain(|&outer| outer < indent);
        if line.trim_start().starts_with("for (") {
            open.push(indent);
            if open.len() > best.0 {
                best = (open.len(), number + 1);
            }
        }
    }
    (best.0 > 0).then_some((first + 1, last + 1, best.1))
}

/// Prints the table and compares it with the checked-in one.
fn conclude(path: &Path, outcomes: &[Outcome]) -> Result<Counts> {
    let expected = Expected::settle(path, HEADER, outcomes.iter().map(|outcome| outcome.row.as_str()))?;
    let mut counts = Counts::default();
    for outcome in outcomes {
        for complaint in &outcome.complaints {
            eprintln!("FAIL {complaint}");
        }
        counts += outcome.counts;
        counts += Counts::one(expected.has(&outcome.row));
    }
    let validated = outcomes.iter().filter(|outcome| outcome.validated).count();
    println!(
        "new functions of {validated} kernels were run beside their originals; at least {LEAST_VALIDATED} must be"
    );
    if validated < LEAST_VALIDATED {
        eprintln!("FAIL only {validated}");
    }
    counts += Counts::one(validated >= LEAST_VALIDATED);
    for (style, least) in STYLES {
        let lifted = outcomes.iter().filter(|outcome| outcome.style == style && outcome.lifted).count();
        println!("{style}: the deepest nests of {lifted} kernels are lifted; at least {least} must be");
        if lifted < least {
            eprintln!("FAIL {style}: only {lifted}");
        }
        counts += Counts::one(lifted >= least);
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::{deepest_nest, with_constant_extents};

    #[test]
    fn extents_become_constants() {
        let text = "// a\nvoid kernel_a(int n, int m, double a[n][m + 1]) {\n  a[n] = 0;\n}\n";
        let own = "// a\nvoid kernel_a(int n, int m, double a[N][M + 1]) {\n  a[n] = 0;\n}\n";
        assert_eq!(with_constant_extents(text).as_deref(), Some(own));
    }

    #[test]
    fn the_deepest_loop_is_found() {
        let text = "int x;\nvoid kernel_a(void) {\n  for (;;)\n    for (;;)\n      f();\n  for (;;) {\n    g();\n    \
                    for (;;) {\n      for (;;)\n        h();\n    }\n  }\n}\nvoid g(void) {\n}\n";
        assert_eq!(deepest_nest(text), Some((2, 13, 9)));
        assert_eq!(deepest_nest("void kernel_a(void) {\n}\n"), None);
    }
}
