//! `polyrs draw`: pictures of schedule trees and of domains.

mod domain;
mod hull;
mod instances;
mod picture;
mod svg;
mod tree;

use crate::choices::Subject;
use crate::failure::Failure;
use crate::input::{Input, Quota};
use crate::output::print;
use crate::run::assignment;
use clap::{Args, ValueEnum};
use domain::Arrows;
use polyrs::isl::Schedule;
use polyrs::scop::Scop;
use polyrs::text_file::why;

/// Draw a schedule tree, or the instances of statements with their tiles and dependences
///
/// A tree's nodes are boxes, parents above children. Of a domain each instance is a point, at values of the parameters
/// that --set chooses (all of them, or without it small ones): up to three loops around a statement, the third drawn
/// obliquely. The points of a tile are on a ground of one colour; arrows go from an instance to those that depend on
/// it. Tiles are those of the schedule: the original order has none, so say --optimize, --scheduler or --schedule.
///
/// SVG is written here; for dot use Graphviz: `dot -Tpng` for trees, `neato -n -Tpng` for domains.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  polyrs draw gemm.scop --optimize -o tree.svg
  polyrs draw gemm.scop --what domain --statement S1 --set ni=4 --set nj=4 --set nk=3 -o domain.svg
  polyrs draw jacobi.scop --what domain --scheduler pluto --tile-sizes 4 --profitability=off -o tiles.svg
  polyrs draw gemm.scop --format dot | dot -Tpng -o tree.png")]
pub struct Draw {
    #[command(flatten)]
    input: Input,
    /// What to draw
    #[arg(long, value_enum, default_value_t = What::Tree)]
    what: What,
    /// The form of the picture. Default: dot for files of that name, svg otherwise
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// The value of a parameter
    #[arg(short = 'p', long = "set", alias = "param", value_name = "NAME=VALUE", value_parser = assignment)]
    parameters: Vec<(String, i64)>,
    /// Draw this statement only (may be given several times)
    #[arg(long, value_name = "NAME")]
    statement: Vec<String>,
    /// Which dependences are arrows
    #[arg(long, value_enum, default_value_t = Arrows::Flow)]
    dependences: Arrows,
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    quota: Quota,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// The schedule tree
    Tree,
    /// The instances of the statements
    Domain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For Graphviz
    Dot,
    /// For browsers and documents
    Svg,
}

/// The picture of a schedule tree, as SVG.
pub fn tree(scop: &Scop, schedule: &Schedule) -> Result<String, Failure> {
    Ok(tree::Block::of(&schedule.root()?)?.to_svg(&scop.name))
}

/// The picture of all statements' instances at small values of the parameters, with flow dependences, as SVG.
pub fn instances(scop: &Scop, schedule: &Schedule) -> Result<String, Failure> {
    let values = instances::values(scop, &[])?;
    Ok(domain::picture(scop, schedule, &values, &[], Arrows::Flow)?.to_svg())
}

impl Draw {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let scop = self.input.read()?;
        let schedule = self.subject.schedule(&scop, &self.quota)?;
        let text = scop.ctx().with_quota(self.quota.operations(), || self.picture(&scop, &schedule))?;
        match self.output.as_deref().filter(|file| *file != "-") {
            None => print(&text),
            Some(file) => std::fs::write(file, text)
                .map_err(|error| Failure::Failed(format!("error: cannot write {file}: {}", why(&error)))),
        }
    }

    fn format(&self) -> Format {
        let is_dot = self.output.as_ref().is_some_and(|file| file.ends_with(".dot") || file.ends_with(".gv"));
        self.format.unwrap_or(if is_dot { Format::Dot } else { Format::Svg })
    }

    fn picture(&self, scop: &Scop, schedule: &Schedule) -> Result<String, Failure> {
        match self.what {
            What::Tree => {
                let tree = tree::Block::of(&schedule.root()?)?;
                Ok(match self.format() {
                    Format::Dot => tree.to_dot(&scop.name),
                    Format::Svg => tree.to_svg(&scop.name),
                })
            }
            What::Domain => {
                let values = instances::values(scop, &self.parameters)?;
                let picture = domain::picture(scop, schedule, &values, &self.statement, self.dependences)?;
                Ok(match self.format() {
                    Format::Dot => picture.to_dot(),
                    Format::Svg => picture.to_svg(),
                })
            }
        }
    }
}
