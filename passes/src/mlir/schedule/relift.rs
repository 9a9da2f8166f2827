//! The emitted code lifted again, and compared with the tree: a test of everything behind the judge.

use std::collections::{BTreeMap, BTreeSet};

use melior::ir::{BlockLike, OperationRef, Value};
use polyrs_core::check::emitted::{Again, compare};
use polyrs_core::driver::Optimized;
use polyrs_core::isl::{self, Ctx, DimType, Id, Map, Set};

use crate::mlir::emit::{Emitted, tags};
use crate::mlir::ir::Access;
use crate::mlir::ir::operation::{is, regions};
use crate::mlir::ir::value::{argument, id};
use crate::mlir::lift::{Settings, lift_function};
use crate::mlir::region::{ArrayBinding, LiftedRegion, StatementBody};

/// Lifts the function again and compares the region that was emitted last, whose operations are marked.
///
/// # Errors
/// What differs, or why the code could not be compared.
pub fn check(
    function: OperationRef<'_, '_>,
    emitted: &Emitted<'_, '_>,
    found: &Optimized,
    settings: Settings,
) -> Result<(), String> {
    let lifted = lift_function(function, settings);
    let marked = |region: &LiftedRegion<'_, '_>| region.statements.iter().any(|s| !calls_of(s).is_empty());
    let refusals: Vec<String> = lifted.iter().filter_map(|r| r.as_ref().err()).map(|r| r.text()).collect();
    let mut regions: Vec<_> = lifted.into_iter().filter_map(Result::ok).filter(marked).collect();
    let region = match (regions.pop(), regions.len()) {
        (Some(region), 0) => region,
        (None, _) => return Err(format!("the new code was not lifted again ({})", refusals.join("; "))),
        (Some(_), more) => return Err(format!("the new code was lifted again as {} regions", more + 1)),
    };
    compare_with(emitted, found, &region)
}

fn compare_with(emitted: &Emitted<'_, '_>, found: &Optimized, region: &LiftedRegion<'_, '_>) -> Result<(), String> {
    // This is a test, which may take its time.
    emitted.scop.ctx().set_deadline(None);
    let transfer = Transfer::new(emitted, region).map_err(|error| error.to_string())?;
    let context = transfer.set(region.scop.context.clone()).map_err(|error| error.to_string())?;
    let again = statements(&transfer, region).map_err(|error| error.to_string())?;
    compare(&emitted.scop, &found.tree, &found.ast, &again, &context).map_err(|error| error.to_string())
}

/// The calls that the accesses of a statement came from.
fn calls_of(body: &StatementBody<'_, '_>) -> BTreeSet<usize> {
    let touches_memory = |operation: &OperationRef<'_, '_>| {
        Access::new(*operation).is_some()
            || ["memref.load", "memref.store"].iter().any(|name| is(*operation, name))
            || !regions(*operation).is_empty()
    };
    let operations = body.operations.iter().filter(|operation| touches_memory(operation));
    operations.filter_map(|operation| tags::get(*operation, tags::CALL)).collect()
}

fn statements(transfer: &Transfer<'_>, region: &LiftedRegion<'_, '_>) -> isl::Result<Vec<Again>> {
    let order = region.scop.schedule.map()?.map_list()?.to_vec()?;
    let mut all = Vec::new();
    for (statement, body) in region.scop.statements.iter().zip(&region.statements) {
        let calls = calls_of(body);
        if calls.is_empty() {
            continue;
        }
        let mut accesses = Vec::new();
        for access in &statement.accesses {
            if let Some(name) = transfer.arrays.get(&access.array()?) {
                let relation = transfer.map(access.relation.clone())?;
                let name = Id::new(relation.ctx(), name)?;
                accesses.push((access.kind, relation.set_tuple_id(DimType::Out, name)?));
            }
        }
        let mut time = None;
        for map in &order {
            if map.tuple_name(DimType::In)?.as_deref() == Some(&statement.name) {
                time = Some(transfer.map(map.clone())?);
            }
        }
        let domain = transfer.set(statement.domain.clone())?;
        let time = time.ok_or_else(|| isl::Error::invalid("a statement without a place in the order"))?;
        let iterators = body.iterators.iter().map(|v| iterator_of(*v)).collect::<Option<Vec<_>>>();
        let iterators = iterators.ok_or_else(|| isl::Error::invalid("a loop that was not emitted"))?;
        all.push(Again { domain, iterators, calls, accesses, time });
    }
    Ok(all)
}

fn iterator_of(variable: Value<'_, '_>) -> Option<polyrs_core::codegen::IteratorId> {
    let (block, _) = argument(variable)?;
    tags::get(block.parent_operation()?, tags::ITERATOR).map(polyrs_core::codegen::IteratorId)
}

/// From the new model's context, parameters and arrays to the first model's.
struct Transfer<'t> {
    ctx: &'t Ctx,
    /// The first model's name of each parameter of the new one.
    parameters: BTreeMap<String, String>,
    /// The first model's name of each array of the new one that both know.
    arrays: BTreeMap<String, String>,
}

impl<'t> Transfer<'t> {
    fn new(emitted: &'t Emitted<'_, '_>, region: &LiftedRegion<'_, '_>) -> isl::Result<Self> {
        let new_names = region.scop.context.space()?.dim_names(DimType::Param)?;
        let old_names = emitted.scop.context.space()?.dim_names(DimType::Param)?;
        let mut parameters = BTreeMap::new();
        for (name, value) in new_names.iter().zip(&region.parameters) {
            let old = emitted.parameters.iter().position(|old| id(*old) == id(*value));
            let old = old.and_then(|position| old_names.get(position).cloned());
            parameters.insert(name.clone(), old.unwrap_or_else(|| format!("again_{name}")));
        }
        let mut arrays = BTreeMap::new();
        for (array, binding) in region.scop.arrays.iter().zip(&region.arrays) {
            let ArrayBinding::Memory { buffer } = binding else { continue };
            let same = |old: &Option<Value<'_, '_>>| old.is_some_and(|old| id(old) == id(*buffer));
            if let Some(position) = emitted.buffers.iter().position(same) {
                arrays.insert(array.name.clone(), emitted.scop.arrays[position].name.clone());
            }
        }
        Ok(Self { ctx: emitted.scop.ctx(), parameters, arrays })
    }

    /// The names of an object's parameters in the first model.
    fn names(&self, space: &isl::Space) -> isl::Result<Vec<String>> {
        let names = space.dim_names(DimType::Param)?.into_iter();
        Ok(names.map(|name| self.parameters.get(&name).cloned().unwrap_or(name)).collect())
    }

    fn set(&self, mut set: Set) -> isl::Result<Set> {
        let names = self.names(&set.space()?)?;
        // Names are exchanged by way of unused ones, so that no two are the same meanwhile.
        for prefix in ["exchange_", ""] {
            for (position, name) in names.iter().enumerate() {
                let name = Id::new(set.ctx(), &format!("{prefix}{name}"))?;
                set = set.set_dim_id(DimType::Param, position, name)?;
            }
        }
        Set::parse(self.ctx, &set.to_string())
    }

    fn map(&self, mut map: Map) -> isl::Result<Map> {
        let names = self.names(&map.space()?)?;
        for prefix in ["exchange_", ""] {
            for (position, name) in names.iter().enumerate() {
                let name = Id::new(map.ctx(), &format!("{prefix}{name}"))?;
                map = map.set_dim_id(DimType::Param, position, name)?;
            }
        }
        Map::parse(self.ctx, &map.to_string())
    }
}
