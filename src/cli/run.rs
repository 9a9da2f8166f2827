//! `polyrs run`: the interpreter.

use crate::choices::Subject;
use crate::failure::Failure;
use crate::input::{Input, Quota, values, whole};
use crate::output::print;
use clap::{Args, ValueEnum};
use polyrs::check::interpret::{Interpreter, Order, Reading, Report, small_parameters};
use polyrs::codegen;
use polyrs::scop::Scop;
use std::collections::BTreeMap;

/// The differences that are printed one by one.
const SHOWN: usize = 10;

/// Run a schedule and its code, and compare what they leave in memory with the original order
///
/// Statements are uninterpreted functions: the value written is a hash of the statement, the instance and what it
/// reads. What may run in any order is run in several. Threads of kernels (--target=gpu) go from barrier to barrier, and
/// races, threads that come to other barriers and tiles that do not hold what is read are shown with block and thread.
#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    subject: Subject,
    /// The value of a parameter; without any, small ones are chosen
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = assignment)]
    parameters: Vec<(String, i64)>,
    /// What to run
    #[arg(long, value_enum, default_value_t = What::Both)]
    what: What,
    /// Which promises of the tree to put to the test
    #[arg(long, value_enum, default_value_t = Promises::Marks)]
    promises: Promises,
    /// Print the final values of the original order
    #[arg(long)]
    values: bool,
    /// Give up after this many steps
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = whole, allow_negative_numbers = true)]
    bound: u64,
    #[command(flatten)]
    quota: Quota,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// The tree itself
    Tree,
    /// The code that is generated for it
    Ast,
    /// One after the other
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Promises {
    /// The marks: what is marked parallel or vector runs in any order
    Marks,
    /// Also the coincident flags
    Coincident,
    /// Also the permutable flags
    Permutable,
}

/// Reads `NAME=VALUE`.
pub fn assignment(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, as in n=10")?;
    let value = value.trim().parse().map_err(|_| format!("`{value}` is no integer of 64 bits"))?;
    Ok((name.trim().to_owned(), value))
}

impl Run {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let scop = self.input.read()?;
        for statement in &scop.statements {
            if !statement.domain.is_bounded()? {
                let problem = format!("there is no end to the domain of `{}`, so it cannot be run", statement.name);
                return Err(Failure::Input(format!("error: {}: {problem}", self.input.name())));
            }
        }
        let schedule = self.subject.schedule(&scop, &self.quota)?;
        let parameters = self.parameters(&scop)?;
        let shown: Vec<String> = parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let shown = if shown.is_empty() { "no parameters".to_owned() } else { shown.join(", ") };
        let interpreter = Interpreter::new(&scop, &parameters, self.bound)?;
        print(&format!("{} at {shown}\n", scop.name))?;
        if self.values {
            let original = interpreter.run(&interpreter.original()?, Order::Ascending);
            for (element, value) in interpreter.live_out(&original) {
                let value = value.map_or("undefined".to_owned(), |v| format!("{v:016x}"));
                print(&format!("{element} = {value}\n"))?;
            }
        }
        let mut differences = 0;
        if self.what != What::Ast {
            let reading = match self.promises {
                Promises::Marks => Reading::Marks,
                Promises::Coincident => Reading::Coincident,
                Promises::Permutable => Reading::Permuted,
            };
            differences += show("tree", &interpreter.compare_tree(&schedule, reading)?)?;
        }
        if self.what != What::Tree {
            let generate = || codegen::generate(&scop, &schedule, &codegen::Options::default());
            let ast = scop.ctx().with_quota(self.quota.operations(), generate)?;
            differences += show("code", &interpreter.compare_ast(&ast)?)?;
        }
        match differences {
            0 => Ok(()),
            n => Err(Failure::Failed(format!("error: {n} differences from the original order"))),
        }
    }

    fn parameters(&self, scop: &Scop) -> Result<BTreeMap<String, i64>, Failure> {
        if self.parameters.is_empty() {
            let empty =
                || Failure::Input("error: the context is empty: there are no parameter values to run at".into());
            // Work grows with the product of the sizes.
            let least = if scop.parameters()?.len() > 4 { 2 } else { 5 };
            return small_parameters(scop, least)?.ok_or_else(empty);
        }
        values(&self.parameters)
    }
}

/// Prints a report; returns the number of differences.
fn show(what: &str, report: &Report) -> Result<usize, Failure> {
    let Report { executed, compared, undefined, .. } = report;
    let verdict = if report.is_same() { "same" } else { "different" };
    let mut lines =
        vec![format!("{what}: {executed} instances, {compared} elements compared, {undefined} undefined: {verdict}")];
    let differences = report.instances.iter().chain(&report.values).map(ToString::to_string);
    let differences: Vec<String> = report.faults.iter().map(ToString::to_string).chain(differences).collect();
    lines.extend(differences.iter().take(SHOWN).map(|difference| format!("  {difference}")));
    if differences.len() > SHOWN {
        lines.push(format!("  ... and {} more", differences.len() - SHOWN));
    }
    if let Some(instance) = &report.first_wrong_read {
        lines.push(format!("  {instance} is the first in the original order that reads other values"));
    }
    print(&(lines.join("\n") + "\n"))?;
    Ok(differences.len())
}
