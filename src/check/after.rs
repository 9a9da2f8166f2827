//! The statement that stands for everything after a region: it reads all live-out elements.

use crate::isl::{self, Id, Set, UnionSet};
use crate::scop::Scop;

const AFTER: &str = "polyrs_after";

/// Its only instance: `{ AFTER[] }`.
pub(crate) fn after(scop: &Scop) -> isl::Result<UnionSet> {
    let id = Id::new(scop.ctx(), AFTER)?;
    Set::universe(scop.context.space()?.add_named_tuple_id_ui(id, 0)?)?
        .intersect_params(scop.context.clone())?
        .to_union_set()
}
