//! `polyrs compare`.

use crate::failure::Failure;
use crate::input::{Quota, read};
use crate::output::print;
use clap::Args;
use polyrs::isl::Ctx;
use polyrs::report::table;
use polyrs::scop::Scop;
use std::path::Path;

/// Compare what schedulers make of regions
///
/// Tables in Markdown, a line for each region: bands, members and coincident members; innermost accesses that walk along memory.
/// What is counted is said in docs/schedules.md, which is such a comparison of PolyBench.
#[derive(Debug, Args)]
pub struct Compare {
    /// The regions, as `.scop` text; a line is called as the file
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    #[command(flatten)]
    quota: Quota,
}

impl Compare {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let ctx = Ctx::new();
        let mut regions = Vec::new();
        for file in &self.files {
            let scop = Scop::parse(&ctx, &read(file)?).map_err(|error| crate::input::located(file, &error))?;
            let name = Path::new(file).file_stem().map_or(file.as_str().into(), |stem| stem.to_string_lossy());
            regions.push((name.into_owned(), scop));
        }
        let text = ctx.with_quota(self.quota.operations(), || table(&regions));
        print(&text.map_err(|error| Failure::Failed(format!("error: {error}")))?)
    }
}
