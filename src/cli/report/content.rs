//! What a page is made of.

use super::collect::Compilation;
use super::nest::Nest;
use super::regions::Regions;
use super::source::Sources;

/// All that a page is made of.
pub struct Report<'r> {
    /// What it is about.
    pub title: &'r str,
    /// The compilations.
    pub compilations: &'r [Compilation],
    /// The nests, in the order of sources and lines.
    pub nests: &'r [Nest],
    /// Their sources.
    pub sources: &'r Sources,
    /// Pictures and code of their regions.
    pub regions: &'r Regions,
    /// What went wrong on the way, if anything.
    pub notices: &'r [String],
}
