//! `polyrs layout`.

use crate::failure::Failure;
use crate::input::{Input, Quota, read};
use crate::output::print;
use clap::{Args, ValueEnum};
use polyrs::check::layout::check_layout;
use polyrs::layout::{Error, Field, Layout};
use polyrs::scop::Scop;

/// Give arrays of a region another layout
///
/// A map says where elements are while the region runs: `map(inout: C(i, j) -> (0, i/32, j/64, i%32, j%64))`, with in,
/// out, inout or none for what is copied before and after. Numbers tell fields apart, other dimensions are indices;
/// `pad N` makes one longer. What comes out is a region, proved to compute the same, that other commands read:
/// `polyrs layout gemm.scop --map '...' | polyrs codegen -`.
#[derive(Debug, Args)]
pub struct LayoutCommand {
    #[command(flatten)]
    input: Input,
    /// A map of an array
    #[arg(long = "map", value_name = "MAP", required_unless_present = "maps")]
    map: Vec<String>,
    /// A file of maps
    #[arg(long, value_name = "FILE", conflicts_with = "map")]
    maps: Option<String>,
    /// What to print
    #[arg(long, value_enum, default_value_t = What::Region)]
    what: What,
    #[command(flatten)]
    quota: Quota,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// The region with its new arrays and copies
    Region,
    /// Sizes and accesses in one field of memory
    Linear,
    /// The same as nested structures
    Nested,
}

impl LayoutCommand {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let scop = self.input.read()?;
        let (name, text) = match &self.maps {
            Some(file) => (file.as_str(), read(file)?),
            None => ("--map", self.map.join("\n")),
        };
        let failure = |error: Error| match error {
            Error::Directive(error) => Failure::Input(format!("{name}:{error}")),
            other => Failure::Failed(format!("error: {other}")),
        };
        let shown = scop.ctx().with_quota(self.quota.operations(), || self.show(&scop, &text).map_err(failure))?;
        print(&shown)
    }

    fn show(&self, scop: &Scop, text: &str) -> Result<String, Error> {
        let layout = Layout::parse(scop, text)?;
        let applied = layout.apply(scop)?.scop;
        check_layout(scop, &applied)?;
        Ok(match self.what {
            What::Region => applied.to_text()?,
            What::Linear => Field::of(scop, &layout)?.linear(),
            What::Nested => Field::of(scop, &layout)?.nested(),
        })
    }
}
