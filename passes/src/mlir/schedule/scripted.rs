//! Schedules that users wrote as steps (docs/try.md): `script=FILE`.

use std::collections::BTreeSet;
use std::path::Path;

use melior::ir::Location;
use polyrs_core::driver::{self, Budget};
use polyrs_core::scop::Scop;
use polyrs_core::scop::text::schedule_to_text;
use polyrs_core::script::{Files, Place, Script};

use super::files;
use super::wanted::Missing;
use crate::mlir::region::LiftedRegion;

/// The operations of isl for all steps of a script; each may take those of a region.
const MOST: u64 = 4 * Budget::REGION;

/// The files that a script may name: trees to begin with.
struct Trees;

impl Files for Trees {
    fn read(&mut self, name: &str) -> Result<String, String> {
        files::load(Path::new(name))
    }

    fn write(&mut self, name: &str, _: &str) -> Result<(), String> {
        Err(format!("{name} is not written here: save-schedule= writes trees"))
    }
}

/// The tree, as text, that the file's script makes of a region, which has a number among those of its function; `None` if
/// the file has none for it.
///
/// # Errors
/// The file, and what is wrong with it or refused, with its line.
pub fn tree(path: &Path, scop: &Scop, number: usize, options: driver::Options) -> Result<Option<String>, String> {
    let script = read(path)?;
    let Some(section) = script.section(&Place::of(&scop.name, number)) else { return Ok(None) };
    let work = || section.run(scop, options, Budget::REGION, &mut Trees);
    let made = scop.ctx().with_quota(MOST, work);
    let tree = made.map_err(|error| format!("script {}:{error}", path.display()))?;
    schedule_to_text(&tree).map(Some).map_err(|error| error.to_string())
}

/// The lines of the file that select regions of a function and find none; `regions` are all of them, in textual order.
pub fn missing<'c>(
    path: &Path,
    function: &str,
    regions: &[&LiftedRegion<'_, '_>],
    location: Location<'c>,
) -> Vec<(Location<'c>, Missing)> {
    // The remarks about regions say what is wrong with the file.
    let Ok(script) = read(path) else { return Vec::new() };
    let function = Place::of(function, 1).function().to_owned();
    let places: Vec<Place> =
        regions.iter().zip(1..).map(|(region, number)| Place::of(&region.scop.name, number)).collect();
    let known: BTreeSet<String> = regions.iter().map(|region| region.scop.name.clone()).collect();
    let is_lost =
        |of: &&polyrs_core::script::Selector| of.function == function && !places.iter().any(|place| of.selects(place));
    let missing = script.selectors().filter(is_lost).map(|of| {
        let what = format!("script {}:{}: there is no region {of}", path.display(), of.line);
        (location, Missing { what, known: Some(known.clone()) })
    });
    missing.collect()
}

fn read(path: &Path) -> Result<Script, String> {
    Script::parse(&files::load(path)?).map_err(|error| format!("script {}:{error}", path.display()))
}
