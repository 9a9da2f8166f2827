//! The benchmark `styles`: the same loops in many styles of real code (test/styles), by clang or flang alone and with the
//! plugin, on one thread. One loop should have one speed, in whatever style it is written.
//!
//! Each function is compiled in a file of its own; the program that calls it is another. Multiply-adds are not
//! contracted and nothing is reassociated, so that all have the same bits.

mod page;
mod summary;

use super::turns::take_turns;
use super::{machine, save};
use crate::project::Project;
use crate::suite::in_parallel;
use crate::suite::styles::notation::{Kernel, Order};
use crate::suite::styles::program::{Programs, Variant, build, compare_small};
use crate::suite::styles::raised::Raised;
use crate::suite::styles::{FOLDER, Language, STYLES, Style, read_all};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::path::PathBuf;
use summary::{EVEN, Summary};

const BASE: &str = "clang";
const OURS: &str = "default";

/// How many more turns a style gets, as long as it seems slower than the fastest one, but by less than [`NOISE`].
const ROUNDS: u32 = 6;
const NOISE: f64 = 2.0;

/// What is to be measured.
#[derive(Clone, Copy)]
pub struct Request<'r> {
    /// The names of kernels; all if there are none.
    pub kernels: &'r [String],
    /// The names of styles; all if there are none.
    pub styles: &'r [String],
    /// How many times each program runs.
    pub repeat: u32,
    /// The page is written.
    pub documents: bool,
}

/// A program that was measured.
#[derive(Clone, Debug)]
struct Measured {
    kernel: String,
    order: String,
    style: &'static str,
    language: Language,
    /// Seconds of a call, by the compiler alone.
    plain: f64,
    /// Seconds of a call, with the plugin.
    ours: f64,
    raised: Raised,
    /// There is new code.
    is_rewritten: bool,
    /// Both programs have the same results.
    is_same: bool,
}

impl Measured {
    /// Kernel and order.
    fn nest(&self) -> String {
        format!("{}/{}", self.kernel, self.order)
    }

    /// How many times faster than the compiler alone.
    fn ratio(&self) -> f64 {
        self.plain / self.ours
    }
}

/// Measures the chosen kernels in the chosen styles; whether all could be built and have the same results with the plugin.
///
/// # Errors
/// When there is no such kernel or style, or the results cannot be written.
pub fn run(project: &Project, request: Request<'_>) -> Result<bool> {
    let kernels = chosen(project, request.kernels)?;
    let styles = styles(request.styles)?;
    println!("milliseconds of a call, the fastest of {} programs that take turns; x: times faster", request.repeat);
    println!("{:<40} {BASE:>9} {OURS:>9} {:>7}", "kernel/order/style", "x");
    let (mut good, mut all) = (true, Vec::new());
    for kernel in &kernels {
        for order in &kernel.orders {
            good &= measure(project, kernel, order, &styles, request.repeat, &mut all);
            // Written after each order, so that a run that is cut short leaves what it has.
            write(project, &all, request, false)?;
        }
    }
    print!("\n{}", Summary::of(&all).to_text());
    write(project, &all, request, request.documents)?;
    println!("written: target/bench/styles.json");
    Ok(good)
}

/// Compares the chosen kernels in the chosen styles at small sizes; whether all have the same results.
///
/// # Errors
/// When there is no such kernel or style.
pub fn compare(project: &Project, kernels: &[String], names: &[String]) -> Result<bool> {
    let styles = styles(names)?;
    let mut good = true;
    for kernel in chosen(project, kernels)? {
        for outcome in compare_small(project, &kernel, &styles) {
            match outcome {
                Ok(compared) => {
                    let became = became(&compared.raised, compared.is_rewritten);
                    println!("{:<40} the same bits  {became}", compared.name);
                }
                Err(error) => {
                    good = false;
                    println!("FAIL {error:#}");
                }
            }
        }
    }
    Ok(good)
}

/// The styles with such names; all of them if there are no names.
fn styles(names: &[String]) -> Result<Vec<&'static Style>> {
    let is_chosen = |style: &&Style| names.is_empty() || names.iter().any(|one| one == style.name());
    let styles: Vec<&'static Style> = STYLES.iter().filter(is_chosen).collect();
    ensure!(!styles.is_empty(), "there is no such style");
    Ok(styles)
}

fn chosen(project: &Project, names: &[String]) -> Result<Vec<Kernel>> {
    let mut kernels = read_all(&project.root.join(FOLDER))?;
    kernels.retain(|kernel| names.is_empty() || names.contains(&kernel.name));
    ensure!(!kernels.is_empty(), "there is no such kernel");
    Ok(kernels)
}

/// What became of a function's loops, in a few words.
fn became(raised: &Raised, is_rewritten: bool) -> String {
    let raised = match raised {
        Raised::Whole => "whole".to_owned(),
        Raised::Not(words) => format!("not whole: {words}"),
    };
    if is_rewritten { format!("new, {raised}") } else { raised }
}

/// Builds an order in all styles, then measures one after the other; whether nothing failed.
fn measure(
    project: &Project,
    kernel: &Kernel,
    order: &Order,
    styles: &[&'static Style],
    repeat: u32,
    all: &mut Vec<Measured>,
) -> bool {
    let variants: Vec<Variant<'_>> = styles.iter().map(|style| Variant { kernel, order, style }).collect();
    let built = in_parallel(&variants, |variant| build(project, variant, false));
    let (mut good, mut found) = (true, Vec::new());
    for (variant, programs) in variants.iter().zip(built) {
        let measured = programs.and_then(|programs| {
            programs.map(|one| Ok((one.ours.clone(), one.is_equal, turns(variant, one, repeat)?))).transpose()
        });
        match measured {
            Ok(None) => {}
            Ok(Some(one)) => found.push(one),
            Err(error) => {
                good = false;
                println!("FAIL {}: {error:#}", variant.name());
            }
        }
    }
    if let Err(error) = again(&mut found) {
        good = false;
        println!("FAIL {}/{}: {error:#}", kernel.name, order.name);
    }
    for (.., measured) in found {
        good &= measured.is_same;
        println!("{}", line(&format!("{}/{}", measured.nest(), measured.style), &measured));
        all.push(measured);
    }
    good
}

/// Gives those styles of an order more turns that seem somewhat slower than the fastest: what runs of the same code differ
/// by is noise, of which the slowest of so many programs has most.
fn again(found: &mut [(PathBuf, bool, Measured)]) -> Result<()> {
    for _ in 0..ROUNDS {
        let best = found.iter().map(|(.., one)| one.ours).fold(f64::INFINITY, f64::min);
        let is_open = |one: &Measured| one.ours > EVEN * best && one.ours < NOISE * best;
        for (program, is_equal, one) in found.iter_mut().filter(|(.., one)| is_open(one)) {
            let mut entrants = [(OURS, program.clone(), one.ours)];
            take_turns(&one.nest(), &mut entrants, 1)?;
            one.ours = entrants[0].2;
            if *is_equal {
                one.plain = one.plain.min(one.ours);
            }
        }
    }
    Ok(())
}

/// The times of a variant's programs.
fn turns(variant: &Variant<'_>, programs: Programs, repeat: u32) -> Result<Measured> {
    let mut entrants = [(BASE, programs.plain, f64::INFINITY), (OURS, programs.ours, f64::INFINITY)];
    let wrong = take_turns(&variant.name(), &mut entrants, repeat)?;
    let [mut plain, mut ours] = entrants.map(|(.., best)| best);
    // Equal programs have the same time: what their runs differ by is noise.
    if programs.is_equal {
        plain = plain.min(ours);
        ours = plain;
    }
    Ok(Measured {
        kernel: variant.kernel.name.clone(),
        order: variant.order.name.clone(),
        style: variant.style.name(),
        language: variant.style.language(),
        plain,
        ours,
        raised: programs.raised,
        is_rewritten: programs.is_rewritten,
        is_same: wrong.is_empty(),
    })
}

fn line(name: &str, measured: &Measured) -> String {
    let Measured { plain, ours, raised, is_rewritten, is_same, .. } = measured;
    let wrong = if *is_same { "" } else { "  OTHER RESULTS" };
    let became = became(raised, *is_rewritten);
    format!("{name:<40} {:>9.3} {:>9.3} {:>7.2}  {became}{wrong}", plain * 1e3, ours * 1e3, measured.ratio())
}

fn write(project: &Project, all: &[Measured], request: Request<'_>, documents: bool) -> Result<()> {
    let row = |one: &Measured| -> Value {
        let refusal = if let Raised::Not(words) = &one.raised { Some(words) } else { None };
        json!({
            "kernel": one.kernel, "order": one.order, "style": one.style, BASE: one.plain, OURS: one.ours,
            "raised_whole": one.raised.is_whole(), "refusal": refusal, "new_code": one.is_rewritten,
            "same_results": one.is_same,
        })
    };
    let mut facts = machine::describe(project);
    facts.insert("repeat".to_owned(), json!(request.repeat));
    let summary = Summary::of(all);
    let json = json!({
        "machine": facts, "rows": all.iter().map(row).collect::<Vec<_>>(), "summary": summary.to_json(),
    });
    let path = project.scratch("bench")?.join("styles.json");
    save(&path, &(serde_json::to_string_pretty(&json)? + "\n"))?;
    if documents {
        page::write(project, &facts, all, &summary)?;
    }
    Ok(())
}
