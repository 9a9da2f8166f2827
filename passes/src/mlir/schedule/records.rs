//! Regions and their trees as files, for who draws them: written where the environment names a folder for records, and
//! named in the remark (docs/records.md).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use polyrs_core::isl::Schedule;
use polyrs_core::scop::Scop;
use polyrs_core::scop::text::schedule_to_text;
use polyrs_core::tuning::Offer;

use super::files;
use crate::remark::{Key, Remark};

/// The regions that this process has written.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// The file of a region in a folder, without its end: no other process or region has the same.
pub struct RegionFiles(PathBuf);

impl RegionFiles {
    /// Those of a region.
    pub fn new(folder: &Path, region: &str) -> Self {
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        Self(folder.join(format!("{}-{}-{number}", files::file_name(region), std::process::id())))
    }

    /// Writes the region, and its tree where there is one. The remark names what was written.
    pub fn write(&self, remark: Remark, scop: &Scop, tree: Option<&Schedule>) -> Remark {
        let scop = scop.to_text().map_err(|error| error.to_string());
        let tree = tree.map(|tree| schedule_to_text(tree).map_err(|error| error.to_string()));
        let remark = self.write_one(remark, Key::RegionText, "scop", scop);
        match tree {
            Some(tree) => self.write_one(remark, Key::RegionTree, "tree", tree),
            None => remark,
        }
    }

    fn write_one(&self, remark: Remark, key: Key, end: &str, text: Result<String, String>) -> Remark {
        let name = format!("{}.{end}", self.0.file_name().unwrap_or_default().to_string_lossy());
        match text.and_then(|text| files::save(&self.0.with_file_name(&name), &text)) {
            Ok(()) => remark.hidden(key, name),
            // Nobody's code depends on it.
            Err(error) => {
                tracing::warn!(error, "no file for a region");
                remark
            }
        }
    }
}

/// Writes what may be measured of a region, for `polyrs tune`, which finds it by the name of the region's file in the remark.
pub fn write_offer(folder: &Path, remark: &Remark, offer: &Offer) {
    let Some(text) = remark.value(Key::RegionText) else { return };
    if let Err(error) = files::save(&folder.join(text).with_extension("candidates"), &offer.to_text()) {
        tracing::warn!(error, "no file for candidates");
    }
}
