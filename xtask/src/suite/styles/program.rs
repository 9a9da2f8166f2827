//! Programs of styles: compiled by plain clang or flang, and with the plugin, as its users call it.

use super::notation::{Kernel, Order, loops};
use super::raised::{Raised, is_rewritten};
use super::{Language, Style, sources};
use crate::command::Command;
use crate::project::{Project, llvm_tool};
use crate::suite::{MACHINE, in_parallel};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// The flags of functions in C and C++. Complex products are those of schools, without a second look at infinities.
const C_FLAGS: [&str; 5] = ["-O3", "-march=native", "-fno-math-errno", "-ffp-contract=off", "-fcx-limited-range"];

/// The flags of subroutines.
const FORTRAN_FLAGS: [&str; 3] = ["-O3", "-march=native", "-ffp-contract=off"];

/// The options of the plugin; what is printed changes nothing.
const OPTIONS: &str = "-poly-schedule=parallel=false time-budget-ms=60000 dump=raised";

/// The same where results are compared: all that can be rewritten is, for the machine of the tests.
const SMALL_OPTIONS: &str = "-poly-schedule=parallel=false time-budget-ms=200000 dump=raised profitability=off";

/// One way of writing a kernel's order.
#[derive(Clone, Copy)]
pub struct Variant<'k> {
    /// The kernel.
    pub kernel: &'k Kernel,
    /// The order of its loops.
    pub order: &'k Order,
    /// The style.
    pub style: &'static Style,
}

impl Variant<'_> {
    /// Kernel, order and style.
    pub fn name(&self) -> String {
        format!("{}/{}/{}", self.kernel.name, self.order.name, self.style.name())
    }
}

/// The programs of a variant.
pub struct Programs {
    /// By the compiler alone.
    pub plain: PathBuf,
    /// With the plugin.
    pub ours: PathBuf,
    /// What became of the loops.
    pub raised: Raised,
    /// There is new code.
    pub is_rewritten: bool,
    /// Both functions are the same, byte for byte.
    pub is_equal: bool,
}

/// Builds both programs of a variant; none where the style has nothing of its own to say about the loops.
///
/// # Errors
/// When a file cannot be written or compiled.
pub fn build(project: &Project, variant: &Variant<'_>, small: bool) -> Result<Option<Programs>> {
    let Variant { kernel, order, style } = *variant;
    let Some(texts) = sources(kernel, order, style, small) else { return Ok(None) };
    let sizes = if small { "styles-small" } else { "styles" };
    let folder = project.scratch(&format!("{sizes}/{}", variant.name()))?;
    let (language, ending) = (style.language(), ending(style.language()));
    let write = |name: &str, text: &str| -> Result<PathBuf> {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        Ok(path)
    };
    let source = write(&format!("kernel.{ending}"), &texts.kernel)?;
    let driver_ending = if language == Language::Cpp { "cpp" } else { "c" };
    let driver = write(&format!("driver.{driver_ending}"), &texts.driver)?;
    let object = |name: &str| folder.join(format!("{name}.o"));
    compiler(language, &folder)
        .args(flags(language))
        .arg("-c")
        .arg(&source)
        .arg("-o")
        .arg(object("plain"))
        .checked()?;
    let mut ours = compiler(language, &folder).args(flags(language));
    if small {
        ours = ours.env("POLYRS_MACHINE", project.root.join(MACHINE));
    }
    let ours = ours
        .arg(format!("-fpass-plugin={}", project.plugin().display()))
        .args(["-mllvm", if small { SMALL_OPTIONS } else { OPTIONS }])
        .args(["", "-missed", "-analysis"].map(|kind| format!("-Rpass{kind}=poly-schedule")));
    let said = ours.arg("-c").arg(&source).arg("-o").arg(object("ours")).checked()?.stderr;
    write("said.txt", &said)?;
    let caller = if language == Language::Cpp { Language::Cpp } else { Language::C };
    let mut others = vec![object("driver")];
    compiler(caller, &folder).args(["-O1", "-c"]).arg(driver).arg("-o").arg(object("driver")).checked()?;
    if let Some(bridge) = &texts.bridge {
        let bridge = write("bridge.f90", bridge)?;
        compiler(language, &folder).args(["-O1", "-c"]).arg(bridge).arg("-o").arg(object("bridge")).checked()?;
        others.push(object("bridge"));
    }
    for name in ["plain", "ours"] {
        let command = compiler(language, &folder).arg(object(name)).args(&others);
        command.arg("-o").arg(folder.join(name)).arg("-lm").checked()?;
    }
    Ok(Some(Programs {
        plain: folder.join("plain"),
        ours: folder.join("ours"),
        raised: Raised::from_remarks(&said, loops(&order.body)),
        is_rewritten: is_rewritten(&said),
        is_equal: std::fs::read(object("plain"))? == std::fs::read(object("ours"))?,
    }))
}

fn ending(language: Language) -> &'static str {
    match language {
        Language::C => "c",
        Language::Cpp => "cpp",
        Language::Fortran => "f90",
    }
}

fn flags(language: Language) -> &'static [&'static str] {
    if language == Language::Fortran { &FORTRAN_FLAGS } else { &C_FLAGS }
}

/// A compiler that works in a folder, where modules are.
fn compiler(language: Language, folder: &Path) -> Command {
    let command = Command::new("timeout").arg("300").directory(folder);
    match language {
        Language::C => command.arg(llvm_tool("clang")),
        Language::Cpp => command.arg(llvm_tool("clang++")).arg("-std=c++20"),
        Language::Fortran => command.arg(llvm_tool("flang")),
    }
}

/// What a comparison at small sizes found.
pub struct Compared {
    /// Kernel, order and style.
    pub name: String,
    /// What became of the loops.
    pub raised: Raised,
    /// There is new code.
    pub is_rewritten: bool,
}

/// Builds a kernel in some styles at small sizes and runs what comes out: the bits are the same with the plugin, and in
/// all of them.
///
/// # Errors
/// For each variant: when it cannot be built, or has other results.
pub fn compare_small(project: &Project, kernel: &Kernel, styles: &[&'static Style]) -> Vec<Result<Compared>> {
    let mut found = Vec::new();
    for order in &kernel.orders {
        let variants: Vec<Variant<'_>> = styles.iter().map(|style| Variant { kernel, order, style }).collect();
        let sums = in_parallel(&variants, |variant| {
            let told = || variant.name();
            let Some(built) = build(project, variant, true).with_context(told)? else { return Ok(None) };
            let (plain, ours) = (sum(&built.plain).with_context(told)?, sum(&built.ours).with_context(told)?);
            ensure!(plain == ours, "{}: another result with the plugin", told());
            Ok(Some((told(), plain, built)))
        });
        let mut first = None;
        for outcome in sums {
            match outcome {
                Ok(None) => {}
                Err(error) => found.push(Err(error)),
                Ok(Some((name, sum, built))) => {
                    let is_same = first.get_or_insert_with(|| sum.clone()) == &sum;
                    let Programs { raised, is_rewritten, .. } = built;
                    let good = is_same.then_some(Compared { name: name.clone(), raised, is_rewritten });
                    found.push(good.with_context(|| format!("{name}: another result than in the first style")));
                }
            }
        }
    }
    found
}

/// What a program prints of its results.
fn sum(program: &Path) -> Result<String> {
    let printed = Command::new("timeout").arg("60").arg(program).checked()?.stdout;
    Ok(printed.trim().split_once(' ').context("a program without a result")?.1.to_owned())
}
