//! Dumps on standard error and reports in files: what each stage found, in text forms that can be read back.

use std::fmt::Write as _;

use polyrs_core::driver::{Observer, Stage};
use polyrs_core::isl;
use polyrs_core::scop::Scop;

use crate::options::{Dump, Options};

/// Collects the stages that are asked for, so that dumps of functions on other threads do not mix with them.
pub struct Show<'o> {
    options: &'o Options,
    region: String,
    dump: String,
    report: String,
}

impl<'o> Show<'o> {
    /// For one region.
    pub fn new(options: &'o Options, scop: &Scop) -> isl::Result<Self> {
        let mut show = Show { options, region: scop.name.clone(), dump: String::new(), report: String::new() };
        if options.report.is_some() || options.dump.contains(&Dump::Scop) {
            show.add(Dump::Scop, "scop", &scop.to_text()?);
        }
        Ok(show)
    }

    /// The region has another layout.
    pub fn relaid(&mut self, scop: &Scop) -> isl::Result<()> {
        if self.options.report.is_some() || self.options.dump.contains(&Dump::Scop) {
            self.add(Dump::Scop, "scop with its layout", &scop.to_text()?);
        }
        Ok(())
    }

    fn add(&mut self, dump: Dump, title: &str, text: &str) {
        if self.options.dump.contains(&dump) {
            // Writing to a string does not fail.
            let _ = writeln!(self.dump, "# {title} of {}\n{}", self.region, text.trim_end());
        }
        if self.options.report.is_some() {
            let _ = writeln!(self.report, "## {title}\n\n```\n{}\n```\n", text.trim_end());
        }
    }

    /// Prints the dumps at once.
    pub fn print(&self) {
        if !self.dump.is_empty() {
            eprint!("{}", self.dump);
        }
    }

    /// The report as Markdown, closed by the remark about the region.
    pub fn report(&self, remark: &str) -> String {
        format!("# {}\n\n{}\n\n{}", self.region, remark, self.report)
    }
}

impl Observer for Show<'_> {
    fn wants(&self, stage: Stage) -> bool {
        self.options.report.is_some() || self.options.dump.contains(&row(stage).0)
    }

    fn show(&mut self, stage: Stage, text: &str) {
        let (dump, title) = row(stage);
        self.add(dump, title, text);
    }
}

/// The option and the title of a stage.
fn row(stage: Stage) -> (Dump, &'static str) {
    match stage {
        Stage::Dependences => (Dump::Dependences, "dependences"),
        Stage::Constraints => (Dump::Constraints, "constraints"),
        Stage::Schedule => (Dump::Schedule, "schedule"),
        Stage::Ast => (Dump::Ast, "ast"),
    }
}
