//! Layouts that users ask for: a file of maps, or the attribute `polyrs.layout` of a function.

use melior::Context;
use melior::ir::OperationRef;
use melior::ir::operation::{OperationMutLike, OperationRefMut};
use polyrs_core::check::layout::check_layout;
use polyrs_core::driver::{self, Budget, Target, in_some_order};
use polyrs_core::isl::Schedule;
use polyrs_core::layout::{Applied, Error, Layout, Memory, SizeCondition};
use polyrs_core::scop::Scop;

use super::files;
use super::refusal::ScheduleRefusal;
use crate::mlir::emit::Stage;
use crate::mlir::ir::operation::string_attribute;
use crate::mlir::layout::with_layout;
use crate::mlir::region::LiftedRegion;
use crate::options::Options;

/// The attribute of a function that holds maps of what its regions access.
const ATTRIBUTE: &str = "polyrs.layout";

/// Maps for a region.
pub struct Maps {
    text: String,
    /// Where they are from.
    source: String,
    /// They are for all regions of a function, of which this one may not have all arrays.
    are_shared: bool,
    /// There is no other region, which may have buffers of the same names.
    is_only: bool,
}

/// The maps for a region: of a file, if there is one for it, or else of the function's attribute.
///
/// # Errors
/// A file that cannot be read.
pub fn maps(
    function: OperationRef<'_, '_>,
    region: &str,
    regions: usize,
    options: &Options,
) -> Result<Option<Maps>, String> {
    if let Some(template) = &options.layout_maps {
        let path = files::path_of(template, region, regions)?;
        let is_for_one = path != *template;
        if is_for_one && !path.exists() {
            return Ok(None);
        }
        return Ok(Some(Maps {
            text: files::load(&path)?,
            source: path.display().to_string(),
            are_shared: false,
            is_only: true,
        }));
    }
    let shared = |text| Maps { text, source: ATTRIBUTE.to_owned(), are_shared: true, is_only: regions == 1 };
    Ok(string_attribute(function, ATTRIBUTE).map(shared))
}

/// Removes maps that were followed: the new code is not what they are about.
pub fn forget_maps(function: OperationRef<'_, '_>) {
    if string_attribute(function, ATTRIBUTE).is_some() {
        // SAFETY: the function is alive, and no other reference changes it meanwhile.
        let _ = unsafe { OperationRefMut::from_raw(function.to_raw()) }.remove_attribute(ATTRIBUTE);
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
    maps: &Maps,
    options: &Options,
    stage: &Stage<'c, 'a>,
    index_bits: u32,
) -> Result<Option<LiftedRegion<'c, 'a>>, ScheduleRefusal> {
    let find = || apply(&region.scop, maps, &options.driver);
    // An order may have to be found first.
    let quota = Budget::LAYOUT.saturating_add(Budget::REGION);
    let applied = region.scop.ctx().with_quota(quota, find).map_err(|error| match error {
        Error::Directive(error) | Error::Alive(error) => ScheduleRefusal::Wrong(format!("{}:{error}", maps.source)),
        other => ScheduleRefusal::Refused(format!("no other layout: {other}")),
    })?;
    let Some((applied, conditions)) = applied.transpose().map_err(ScheduleRefusal::Refused)? else { return Ok(None) };
    if options.driver.target == Target::Gpu {
        return Err(ScheduleRefusal::Refused("layouts of data for a GPU are not there yet".to_owned()));
    }
    let relaid = with_layout(context, region, &applied, stage, index_bits)?;
    Ok(Some(LiftedRegion { conditions, ..relaid }))
}

/// A region with a layout, and the sizes that it is for; or why it takes too much memory.
type Found = Result<(Applied, Vec<SizeCondition>), String>;

fn apply(scop: &Scop, maps: &Maps, options: &driver::Options) -> Result<Option<Found>, Error> {
    let most_bytes = options.expansion_bytes;
    let read = |order: Option<&Schedule>| match (maps.are_shared, order) {
        (true, _) => Layout::parse_for_one_of_many(scop, &maps.text, maps.is_only, order),
        (false, Some(order)) => Layout::parse_in_order(scop, &maps.text, order),
        (false, None) => Layout::parse(scop, &maps.text),
    };
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
    check_layout(scop, &applied.scop)?;
    Ok(Some(Ok((applied, conditions))))
}
