//! `polyrs compare`.

use crate::failure::Failure;
use crate::input::{Quota, located, read};
use crate::output::print;
use clap::Args;
use polyrs::isl::Ctx;
use polyrs::scop::Scop;
use polyrs_report::{row, table};
use std::path::Path;

/// Compare what schedulers make of regions
///
/// Tables in Markdown, a line for each region: bands, members and coincident members; innermost accesses that walk
/// along memory; parallel loops that were given up. What is counted is said in docs/schedules.md, which is such a
/// comparison of PolyBench.
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
        let mut scops = Vec::new();
        for file in &self.files {
            let scop = Scop::parse(&Ctx::new(), &read(file)?).map_err(|error| located(file, &error))?;
            let name = Path::new(file).file_stem().map_or(file.as_str().into(), |stem| stem.to_string_lossy());
            scops.push((name.into_owned(), scop));
        }
        let mut rows = Vec::new();
        for (name, scop) in &scops {
            let row = scop.ctx().with_quota(self.quota.operations(), || row(name, scop));
            rows.push(row.map_err(|error| Failure::Failed(format!("error: {name}: {error}")))?);
        }
        print(&table(&rows))
    }
}
