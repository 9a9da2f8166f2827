//! Layouts that users ask for, in a file of maps or in attributes: the region that has them.

use std::path::Path;

use melior::Context;
use polyrs_core::driver::{self, Budget, in_some_order};
use polyrs_core::isl::Schedule;
use polyrs_core::layout::{Applied, Error, Layout, LayoutText, Memory, SizeCondition};
use polyrs_core::scop::Scop;

use super::files;
use super::refusal::ScheduleRefusal;
use super::wanted::Wanted;
use crate::mlir::emit::Stage;
use crate::mlir::layout::with_layout;
use crate::mlir::region::LiftedRegion;
use crate::options::Options;

/// Maps for a region.
pub struct Maps<'r, 'c> {
    /// The text of the region's file, and where it is from.
    file: Option<(String, String)>,
    /// What is asked for in the IR.
    wanted: &'r Wanted<'c>,
    /// There is no other region, which may have buffers of the same names.
    is_only: bool,
}

/// The maps for a region: of a file, if there is one for it, and of attributes.
///
/// # Errors
/// A file that cannot be read.
pub fn maps<'r, 'c>(
    wanted: &'r Wanted<'c>,
    region: &str,
    regions: usize,
    options: &Options,
) -> Result<Maps<'r, 'c>, String> {
    let file = options.layout_maps.as_ref().map(|template| file(template, region, regions)).transpose()?;
    Ok(Maps { file: file.flatten(), wanted, is_only: regions == 1 && !wanted.is_part })
}

/// The text of a region's file, and where it is from; `None` if it has none.
fn file(template: &Path, region: &str, regions: usize) -> Result<Option<(String, String)>, String> {
    let path = files::path_of(template, region, regions)?;
    if path != *template && !path.exists() {
        return Ok(None);
    }
    Ok(Some((files::load(&path)?, path.display().to_string())))
}

impl Maps<'_, '_> {
    fn texts(&self) -> Vec<LayoutText<'_>> {
        let aliases = &self.wanted.names.aliases;
        let file = self.file.iter().map(|(text, _)| LayoutText { text, array: None, aliases, is_shared: false });
        file.chain(self.wanted.sources.iter().map(|source| source.text(&self.wanted.names))).collect()
    }

    /// Where the text of a number is from.
    fn title(&self, number: usize) -> &str {
        let file = self.file.iter().map(|(_, path)| path.as_str());
        file.chain(self.wanted.sources.iter().map(|source| source.title.as_str())).nth(number).unwrap_or_default()
    }
}

/// A region with the layout of some maps, proved to compute the same; its operations are in `stage`. `None` if the
/// region has none of the arrays.
///
/// # Errors
/// What is wrong with the maps is a failure; what cannot be proved or emitted, a refusal.
pub fn relaid<'c, 'a>(
    context: &'c Context,
    region: &LiftedRegion<'c, 'a>,
    maps: &Maps<'_, '_>,
    options: &Options,
    stage: &Stage<'c, 'a>,
    index_bits: u32,
) -> Result<Option<LiftedRegion<'c, 'a>>, ScheduleRefusal> {
    let texts = maps.texts();
    if texts.is_empty() {
        return Ok(None);
    }
    let find = || apply(&region.scop, &texts, maps.is_only, &options.driver);
    // An order may have to be found first.
    let quota = Budget::LAYOUT.saturating_add(Budget::REGION);
    let applied = region.scop.ctx().with_quota(quota, find).map_err(|error| match error {
        Error::Directive(error) | Error::Alive(error) => {
            ScheduleRefusal::Wrong(format!("{}:{error}", maps.title(error.text)).into())
        }
        other => ScheduleRefusal::Refused(format!("no other layout: {other}").into()),
    })?;
    let Some((applied, conditions)) = applied.transpose().map_err(ScheduleRefusal::from)? else { return Ok(None) };
    let relaid = with_layout(context, region, &applied, stage, index_bits)?;
    Ok(Some(LiftedRegion { conditions, ..relaid }))
}

/// A region with a layout, and the sizes that it is for; or why it takes too much memory.
type Found = Result<(Applied, Vec<SizeCondition>), String>;

fn apply(
    scop: &Scop,
    texts: &[LayoutText<'_>],
    is_only: bool,
    options: &driver::Options,
) -> Result<Option<Found>, Error> {
    let most_bytes = options.expansion_bytes;
    let read = |order: Option<&Schedule>| Layout::parse_together(scop, texts, is_only, order);
    let layout = in_some_order(scop, options, &read)?;
    if layout.is_empty() {
        return Ok(None);
    }
    let conditions = match layout.memory(scop, most_bytes)? {
        Memory::Fits => Vec::new(),
        Memory::FitsWhere(condition) => vec![condition],
        Memory::TooMuch(bytes) => {
            let text = format!(
                "no other layout: arrays that expand(...) makes take {bytes} bytes, more than expansion-bytes={most_bytes}"
            );
            return Ok(Some(Err(text)));
        }
    };
    let applied = layout.apply(scop)?;
    applied.check(scop)?;
    Ok(Some(Ok((applied, conditions))))
}
