//! `polyrs match`.

use crate::failure::Failure;
use crate::input::{Quota, located, read};
use crate::output::print;
use clap::Args;
use polyrs::isl::Ctx;
use polyrs::scop::text::parse_schedule;
use polyrs::scop::{Mismatch, Scop, tree_difference};

/// Tell whether two regions are the same but for names, and whether their schedules are
///
/// Prints how names of the second region become those of the first. Statements correspond by their place. With
/// `--trees`, the tree of the second must say the same as that of the first: nodes, marks and flags, partial schedules
/// and filters as relations and sets.
#[derive(Debug, Args)]
pub struct Match {
    /// The regions, as `.scop` text
    #[arg(value_names = ["FIRST", "SECOND"], num_args = 2, required = true)]
    files: Vec<String>,
    /// Their schedule trees (isl's YAML)
    #[arg(long, value_names = ["FIRST", "SECOND"], num_args = 2)]
    trees: Vec<String>,
    #[command(flatten)]
    quota: Quota,
}

impl Match {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let ctx = Ctx::new();
        let scop = |file: &String| Scop::parse(&ctx, &read(file)?).map_err(|error| located(file, &error));
        let [first, second] = [scop(&self.files[0])?, scop(&self.files[1])?];
        let found = ctx.with_quota(self.quota.operations(), || first.renaming(&second));
        let renaming = found.map_err(|mismatch| match mismatch {
            Mismatch::Isl(error) => Failure::from(error),
            mismatch => Failure::Failed(format!("the regions differ: {mismatch}")),
        })?;
        let names: Vec<String> =
            renaming.iter().filter(|(old, new)| old != new).map(|(old, new)| format!("{old} is {new}\n")).collect();
        print(&names.concat())?;
        let [first_tree, second_tree] = &self.trees[..] else { return Ok(()) };
        let tree = |file: &String, text: &str| parse_schedule(&first, text).map_err(|error| located(file, &error));
        let a = tree(first_tree, &read(first_tree)?)?;
        let b = tree(second_tree, &renaming.apply(&read(second_tree)?))?;
        match ctx.with_quota(self.quota.operations(), || tree_difference(&a, &b))? {
            None => Ok(()),
            Some(difference) => Err(Failure::Failed(format!("the schedules differ: {difference}"))),
        }
    }
}
