//! `polyrs kernels`.

use crate::failure::Failure;
use crate::input::values;
use crate::output::print;
use crate::request::Request;
use crate::run::assignment;
use clap::Args;
use polyrs::isl::Schedule;
use polyrs::scop::Scop;
use polyrs::scop::text::schedule_to_text;
use polyrs::transform::gpu;
use std::collections::BTreeMap;
use std::fmt::Write;

/// List the kernels that a region would have on a GPU, and how often each is launched
///
/// The schedule is that of the unified strategy for GPUs unless --scheduler or --strategy says otherwise. A kernel is
/// each outermost permutable band with a coincident member, and each part without any; loops around them run on the
/// host, and launch them once an iteration. With values for all parameters (-p) the launches are counted.
#[derive(Debug, Args)]
pub struct Kernels {
    #[command(flatten)]
    request: Request,
    /// The value of a parameter
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = assignment)]
    parameters: Vec<(String, i64)>,
    /// Give up counting after this many launches of a kernel
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    bound: usize,
    /// Print the tree, with kernels marked, as well
    #[arg(long)]
    tree: bool,
}

impl Kernels {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let problem = self.request.read()?.for_gpu();
        let Some(scop) = &problem.scop else {
            return Err(Failure::Input("error: constraints do not say what a kernel would do".into()));
        };
        let given = values(&self.parameters)?;
        let values: BTreeMap<&str, i64> = given.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        check_names(scop, &values)?;
        self.request.refuse_later("`polyrs schedule --final`; kernels are chosen before")?;
        let schedule = self.request.schedule(&problem)?;
        let is_counted = !values.is_empty() || scop.parameters()?.is_empty();
        let values = is_counted.then_some(&values);
        let quota = self.request.quota.operations();
        print(&scop.ctx().with_quota(quota, || self.describe(&schedule, values))?)
    }

    /// The kernels of a schedule, with their launches where there are values to count them at.
    fn describe(&self, schedule: &Schedule, values: Option<&BTreeMap<&str, i64>>) -> Result<String, Failure> {
        let Some(tree) = gpu::select(schedule)? else {
            return Ok("no member of the schedule is coincident: all of it runs on the host\n".to_owned());
        };
        let mut text = String::new();
        let (found, mut sum) = (gpu::kernels(&tree)?, 0_u64);
        for (number, kernel) in found.iter().enumerate() {
            let (members, coincident) = kernel.members;
            let _ = write!(
                text,
                "kernel {number}: {}; members={members} coincident={coincident} host-loops={}",
                kernel.statements.join(", "),
                kernel.host_loops
            );
            if let Some(values) = values {
                let count = kernel.launch_count(&|name| values.get(name).copied(), self.bound)?.ok_or_else(|| {
                    Failure::Failed(format!("error: kernel {number} has more than {} launches (--bound)", self.bound))
                })?;
                let _ = write!(text, " launches={count}");
                sum += u64::try_from(count).unwrap_or(u64::MAX);
            }
            text.push('\n');
        }
        let _ = write!(text, "kernels={}", found.len());
        if values.is_some() {
            let _ = write!(text, " launches={sum}");
        }
        text.push('\n');
        if self.tree {
            let _ = writeln!(text, "{}", schedule_to_text(&tree)?.trim_end());
        }
        Ok(text)
    }
}

/// Either no parameter has a value, or all have, and no other names.
fn check_names(scop: &Scop, values: &BTreeMap<&str, i64>) -> Result<(), Failure> {
    let names = scop.parameters()?;
    if let Some(unknown) = values.keys().find(|name| !names.iter().any(|known| known == *name)) {
        let known = if names.is_empty() { "there are none".into() } else { format!("they are {}", names.join(", ")) };
        return Err(Failure::Input(format!("error: `{unknown}` is no parameter of the region; {known}")));
    }
    match names.iter().find(|name| !values.is_empty() && !values.contains_key(name.as_str())) {
        Some(missing) => {
            Err(Failure::Input(format!("error: parameter `{missing}` needs a value, too (-p {missing}=N)")))
        }
        None => Ok(()),
    }
}
