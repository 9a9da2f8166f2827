//! Code that reads from packed tiles.

use std::collections::BTreeSet;

use melior::ir::r#type::MemRefType;
use melior::ir::{ShapedTypeLike, ValueLike};
use polyrs_core::codegen::Shared;
use polyrs_core::scop::StatementId;

use super::emitter::Emitter;
use super::error::EmitError;
use super::nest::bits;
use super::packed::PackedTile;
use crate::mlir::ir::Builder;

impl<'c, 'a> Emitter<'_, 'c, 'a> {
    /// Appends code that reads from packed tiles.
    ///
    /// # Errors
    /// As [`super::emit`].
    pub(super) fn packed(&mut self, shared: &Shared, builder: Builder<'c, 'a>) -> Result<(), EmitError> {
        let around = self.packing.len();
        for tile in &shared.tiles {
            let readers: BTreeSet<StatementId> = tile.reads.iter().map(|(statement, _)| *statement).collect();
            let Some(memref) = self.memory_of(&tile.array) else { continue };
            let is_number = MemRefType::try_from(memref.r#type()).is_ok_and(|kind| bits(kind.element()) >= 8);
            // What a loop around holds in a buffer of its own is not in memory.
            let is_held = self.footprints.iter().any(|footprint| footprint.is_of(memref));
            if !is_held && is_number && readers.iter().all(|id| self.region.is_certain(*id)) {
                self.packing.extend(PackedTile::new(tile, memref, &self.scope, builder)?);
            }
        }
        self.node(&shared.body, builder)?;
        let done = self.packing.split_off(around);
        self.packed.extend(done);
        Ok(())
    }
}
