//! The steps: each makes a tree of a tree, and none asks whether that is right, which is [`super::judge`]'s to say.
//!
//! | file | step |
//! |---|---|
//! | `interchange.rs` | `interchange` |
//! | `tile.rs` | `tile` |
//! | `fuse.rs` | `fuse` |
//! | `distribute.rs` | `distribute` |
//! | `move_along.rs` | `skew`, `shift` |
//! | `parallel.rs` | `parallel` |
//! | `register.rs` | `register` |
//! | `pack.rs` | `pack` |
//! | `place.rs` | where loops are to each other |

mod distribute;
mod fuse;
mod interchange;
mod move_along;
mod pack;
mod parallel;
mod place;
mod register;
mod tile;

use super::command::Step;
use super::error::NotDone;
use super::names::Names;
use super::nest::Nest;
use crate::scop::Scop;
pub(super) use parallel::with_private;

/// Does a step.
///
/// # Errors
/// Loops that are not there, or not where the step needs them; failures of isl.
pub(super) fn apply(scop: &Scop, nest: &Nest, names: &Names, step: &Step) -> Result<Nest, NotDone> {
    let mut nest = nest.clone();
    match step {
        Step::Interchange { one, other } => interchange::interchange(&mut nest, names, [one, other])?,
        Step::Tile { loops } => tile::tile(&mut nest, names, loops)?,
        Step::Fuse { one, other } => fuse::fuse(&mut nest, names, [one, other])?,
        Step::Distribute { of, between } => distribute::distribute(&mut nest, names, of, between.as_ref())?,
        Step::Skew { of, factor, by } => move_along::skew(&mut nest, names, of, (*factor, by))?,
        Step::Shift { of, by } => move_along::shift(scop, &mut nest, names, of, by)?,
        Step::Parallel { of } => parallel::parallel(&mut nest, names, of)?,
        Step::Register { loops } => register::register(&mut nest, names, loops)?,
        Step::Pack { array, at, order } => pack::pack(scop, &mut nest, names, (array, at, order.as_deref()))?,
    }
    Ok(nest)
}
