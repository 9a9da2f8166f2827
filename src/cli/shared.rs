//! The arrays through which statements depend on each other.

use polyrs::isl::{self, UnionMap};
use polyrs::scop::{Access, AccessKind, Scop};
use std::collections::BTreeSet;

/// The arrays that two statements, by their names, both use, one of them to write.
pub fn between(scop: &Scop, source: &str, sink: &str) -> isl::Result<BTreeSet<String>> {
    let mut arrays = BTreeSet::new();
    for (one, other) in conflicts(scop, source, sink) {
        let array = one.array()?;
        if array == other.array()? {
            arrays.insert(array);
        }
    }
    Ok(arrays)
}

/// Those of which both instances of a pair `{ S[i] -> T[j] }` use the same element.
pub fn in_example(scop: &Scop, source: &str, sink: &str, pair: &str) -> isl::Result<BTreeSet<String>> {
    let pair = UnionMap::parse(scop.ctx(), pair)?;
    let (first, second) = (pair.clone().domain()?, pair.range()?);
    let mut arrays = BTreeSet::new();
    for (one, other) in conflicts(scop, source, sink) {
        let one_elements = one.relation.clone().to_union_map()?.intersect_domain(first.clone())?.range()?;
        let other_elements = other.relation.clone().to_union_map()?.intersect_domain(second.clone())?.range()?;
        if !one_elements.intersect(other_elements)?.is_empty()? {
            arrays.insert(one.array()?);
        }
    }
    Ok(arrays)
}

/// The end of a sentence; nothing without arrays.
pub fn phrase(arrays: &BTreeSet<String>) -> String {
    let names: Vec<&str> = arrays.iter().map(String::as_str).collect();
    if names.is_empty() { String::new() } else { format!(" (through {})", names.join(", ")) }
}

/// Accesses of the first statement with those of the second, at least one of which writes.
fn conflicts<'s>(scop: &'s Scop, source: &str, sink: &str) -> Vec<(&'s Access, &'s Access)> {
    let of = |name: &str| -> Vec<&'s Access> {
        let statement = scop.statement_by_name(name).map(|id| scop.statement(id));
        let accesses = statement.into_iter().flat_map(|statement| &statement.accesses);
        accesses.filter(|access| access.kind != AccessKind::Kill).collect()
    };
    let (ones, others) = (of(source), of(sink));
    let pairs = ones.iter().flat_map(|one| others.iter().map(|other| (*one, *other)));
    pairs.filter(|(one, other)| one.kind.is_write() || other.kind.is_write()).collect()
}
