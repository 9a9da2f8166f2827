//! Pictures and code of regions, from the files that the plugin writes beside records (docs/records.md).

use super::html::Html;
use super::nest::{Nest, in_order};
use super::record::Record;
use crate::draw;
use crate::failure::Failure;
use polyrs::codegen;
use polyrs::isl::{Ctx, Schedule};
use polyrs::scop::Scop;
use polyrs::scop::text::parse_schedule;
use polyrs::text_file::why;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The counted operations that one region may take: about a second.
const QUOTA: u64 = 20_000_000;

/// The bytes of all regions on a page, at most.
const MOST_BYTES: usize = 900_000;

/// Where less room is left, nothing is drawn any more: it would hardly fit.
const LEAST_BYTES: usize = 5_000;

/// A larger part of a region is no help to anybody.
const MOST_OF_ONE: usize = 60_000;

/// The regions of a report, by the files of their models.
#[derive(Debug, Default)]
pub struct Regions {
    all: BTreeMap<PathBuf, Region>,
    /// How many had no room.
    pub left_out: usize,
}

/// What there is to show of a region.
#[derive(Debug, Default)]
pub struct Region {
    parts: Vec<Part>,
}

/// A part of it.
#[derive(Debug)]
struct Part {
    title: &'static str,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// Loops as text.
    Code(String),
    /// A picture, as SVG, and what it shows.
    Picture(String, String),
    /// Why there is none.
    Nothing(String),
}

impl Regions {
    /// Reads and draws the regions that records name: those with new code first, as long as there is room on a page,
    /// and in so many bytes.
    pub fn read(nests: &[Nest], bytes: usize) -> Self {
        let mut regions = Regions::default();
        let mut room = bytes.min(MOST_BYTES);
        for number in in_order(nests).into_iter().rev() {
            let nest = &nests[number];
            for record in &nest.records {
                let Some((text, tree)) = files(nest, record) else { continue };
                if room < LEAST_BYTES {
                    regions.left_out += 1;
                    continue;
                }
                let region = Region::read(&text, tree.as_deref());
                if region.size() > room {
                    regions.left_out += 1;
                    continue;
                }
                room -= region.size();
                regions.all.insert(text, region);
            }
        }
        regions
    }

    /// The region of a record about a nest, if there is one.
    pub fn of(&self, nest: &Nest, record: &Record) -> Option<&Region> {
        self.all.get(&files(nest, record)?.0)
    }
}

/// The files that a record names. A name with a folder is none of ours.
fn files(nest: &Nest, record: &Record) -> Option<(PathBuf, Option<PathBuf>)> {
    let file = |key| {
        let name = Path::new(record.argument(key)?);
        (name.file_name()? == name.as_os_str()).then(|| nest.folder.join(name))
    };
    Some((file("RegionText")?, file("RegionTree")))
}

impl Region {
    fn read(text: &Path, tree: Option<&Path>) -> Self {
        let mut region = Region::default();
        if let Err(failure) = region.fill(text, tree) {
            region.parts.push(Part { title: "Region", content: Content::Nothing(failure.to_string()) });
        }
        region
    }

    fn fill(&mut self, text: &Path, tree: Option<&Path>) -> Result<(), Failure> {
        let read = |file: &Path| {
            fs::read_to_string(file)
                .map_err(|error| Failure::Input(format!("error: {}: {}", file.display(), why(&error))))
        };
        let wrong = |file: &Path, error: &dyn std::fmt::Display| Failure::Input(format!("{}:{error}", file.display()));
        let scop = Scop::parse(&Ctx::new(), &read(text)?).map_err(|error| wrong(text, &error))?;
        let tree = match tree {
            Some(tree) => Some(parse_schedule(&scop, &read(tree)?).map_err(|error| wrong(tree, &error))?),
            None => None,
        };
        self.add("Loops before", code(&scop, &scop.schedule));
        if let Some(tree) = &tree {
            self.add("Loops after", code(&scop, tree));
        }
        self.add("Schedule tree before", drawn(&scop, &scop.schedule));
        if let Some(tree) = &tree {
            self.add("Schedule tree after", drawn(&scop, tree));
        }
        self.add("Iterations and dependences", instances(&scop, tree.as_ref().unwrap_or(&scop.schedule)));
        Ok(())
    }

    fn add(&mut self, title: &'static str, found: Result<Content, Failure>) {
        let content = match found {
            Ok(content) if content.size() > MOST_OF_ONE => Content::Nothing("too large for this page".to_owned()),
            Ok(content) => content,
            Err(failure) => {
                let text = failure.to_string();
                let text = text.strip_prefix("error: ").unwrap_or(&text);
                // Behind it is what helps on the command line.
                Content::Nothing(text.split(';').next().unwrap_or(text).to_owned())
            }
        };
        self.parts.push(Part { title, content });
    }

    fn size(&self) -> usize {
        self.parts.iter().map(|part| part.content.size()).sum()
    }

    /// Writes it, folded up.
    pub fn show(&self, html: &mut Html) {
        html.element("details", &[("class", "region")], |html| {
            html.words("summary", &[], "Loops, schedule trees and dependences");
            html.element("div", &[("class", "parts")], |html| {
                for Part { title, content } in &self.parts {
                    html.element("figure", &[], |html| {
                        html.words("figcaption", &[], title);
                        content.show(html);
                    });
                }
            });
        });
    }
}

impl Content {
    fn size(&self) -> usize {
        match self {
            // What is escaped takes more.
            Content::Code(text) | Content::Nothing(text) => text.len() + 3 * text.matches(['<', '>', '&']).count(),
            Content::Picture(svg, _) => source(svg).len(),
        }
    }

    fn show(&self, html: &mut Html) {
        match self {
            Content::Code(text) => html.words("pre", &[("tabindex", "0")], text),
            Content::Nothing(why) => html.words("p", &[("class", "empty")], why),
            Content::Picture(svg, about) => {
                html.element("div", &[("class", "picture"), ("tabindex", "0")], |html| {
                    html.empty("img", &[("alt", about), ("src", &source(svg))]);
                });
            }
        }
    }
}

/// A picture as an address that holds it: its styles and names stay its own.
fn source(svg: &str) -> String {
    let mut address = "data:image/svg+xml,".to_owned();
    for byte in svg.trim_end().bytes() {
        match byte {
            b'%' | b'#' | b'"' | b'<' | b'>' | b'&' | b'\n' | 0..=31 | 127.. => {
                // Writing to a string cannot fail.
                let _ = write!(address, "%{byte:02X}");
            }
            _ => address.push(char::from(byte)),
        }
    }
    address
}

fn code(scop: &Scop, schedule: &Schedule) -> Result<Content, Failure> {
    let generate = || codegen::generate(scop, schedule, &codegen::Options::default());
    let ast = scop.ctx().with_quota(QUOTA, generate)?;
    Ok(Content::Code(ast.to_text(scop)))
}

fn drawn(scop: &Scop, schedule: &Schedule) -> Result<Content, Failure> {
    let svg = scop.ctx().with_quota(QUOTA, || draw::tree(scop, schedule))?;
    Ok(Content::Picture(svg, format!("The schedule tree of {}; the loops above say the same as text.", scop.name)))
}

fn instances(scop: &Scop, schedule: &Schedule) -> Result<Content, Failure> {
    let svg = scop.ctx().with_quota(QUOTA, || draw::instances(scop, schedule))?;
    let about = "Each iteration of the region as a point, with arrows for flow dependences, for small sizes.";
    Ok(Content::Picture(svg, about.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::source;

    #[test]
    fn pictures_are_addresses() {
        assert_eq!(source("<a b=\"#1\">é%</a>\n"), "data:image/svg+xml,%3Ca b=%22%231%22%3E%C3%A9%25%3C/a%3E");
    }
}
