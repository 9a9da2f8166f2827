//! Tiles in shared memory: the threads of a block copy them together, and read from them.
//!
//! The core has proved that a tile holds what is read from it while nothing writes the array, and that all threads of a
//! block come to the copy equally often (`polyrs_core::check::coverage`). What is left to see to here: that threads wait
//! before a tile is overwritten that others may still read, and behind the copy; and that what is copied is memory,
//! which is not certain where a statement's reads depend on data.

use std::collections::{BTreeMap, BTreeSet};

use melior::ir::r#type::MemRefType;
use melior::ir::{Attribute, ShapedTypeLike, Type, TypeLike, Value, ValueLike};
use polyrs_core::codegen::{Comparison, Cond, Expr, IteratorId, Node, Shared, SharedTile};
use polyrs_core::footprint::padded;
use polyrs_core::scop::StatementId;

use super::access::{load, store};
use super::code::scf_if;
use super::emitter::Emitter;
use super::error::EmitError;
use super::operand::{Operands, are_of_instance};
use crate::mlir::ir::value::id;
use crate::mlir::ir::{Bound, Builder};

/// The conditions under which all elements of a tile exist; `None` where they cannot be said.
fn whole(tile: &SharedTile) -> Result<Option<Vec<Cond>>, EmitError> {
    let Cond::And(conditions) = &tile.exists else { return Ok(None) };
    let mut whole = Vec::new();
    for condition in conditions {
        let mut condition = condition.clone();
        for ((element, origin), extent) in tile.element.iter().zip(&tile.origin).zip(&tile.extent) {
            if !condition.mentions(*element) {
                continue;
            }
            // From here on the iterator counts from the first element.
            let shifted = origin.plus(&Expr::Iterator(*element))?;
            condition = condition.substitute(&|id| (id == *element).then(|| shifted.clone()))?;
            match condition.throughout(*element, extent - 1)? {
                Some(throughout) => condition = throughout,
                None => return Ok(None),
            }
        }
        whole.push(condition);
    }
    Ok(Some(whole))
}

impl<'c, 'a> Emitter<'_, 'c, 'a> {
    /// The types of the tiles of a kernel by their numbers, of those that are used.
    ///
    /// # Errors
    /// MLIR refuses a type.
    pub(super) fn shared_types(&self, node: &Node) -> Result<BTreeMap<usize, Type<'c>>, EmitError> {
        let mut types = BTreeMap::new();
        if let Node::Shared(shared) = node {
            for tile in &shared.tiles {
                types.extend(self.shared_type(tile)?.map(|kind| (tile.buffer, kind)));
            }
        }
        for child in node.children() {
            types.extend(self.shared_types(child)?);
        }
        Ok(types)
    }

    /// The type of a tile; `None` where it is not used.
    fn shared_type(&self, tile: &SharedTile) -> Result<Option<Type<'c>>, EmitError> {
        let readers: BTreeSet<StatementId> = tile.reads.iter().map(|(statement, _)| *statement).collect();
        let memref = self.memory_of(&tile.array).and_then(|memref| MemRefType::try_from(memref.r#type()).ok());
        let Some(element) = memref.map(|kind| kind.element()) else { return Ok(None) };
        if !readers.iter().all(|id| self.region.is_certain(*id)) || !(element.is_integer() || element.is_float()) {
            return Ok(None);
        }
        let Some(space) = Attribute::parse(self.context, "#gpu.address_space<workgroup>") else { return Ok(None) };
        Ok(Some(MemRefType::new(element, &padded(&tile.extent), None, Some(space)).into()))
    }

    /// Appends the copies of tiles, and the code that reads from them.
    ///
    /// # Errors
    /// As [`super::emit`].
    pub(super) fn shared(&mut self, shared: &Shared, builder: Builder<'c, 'a>) -> Result<(), EmitError> {
        let is_used = |tile: &&SharedTile| self.shared_memory.buffers.contains_key(&tile.buffer);
        let used: Vec<SharedTile> = shared.tiles.iter().filter(is_used).cloned().collect();
        if used.is_empty() {
            return self.node(&shared.body, builder);
        }
        if !self.shared_memory.is_once {
            builder.build("gpu.barrier", &[], &[], &[])?;
        }
        for tile in &used {
            self.copy_tile(tile, builder)?;
        }
        builder.build("gpu.barrier", &[], &[], &[])?;
        let around = std::mem::replace(&mut self.shared_memory.open, used);
        let done = self.node(&shared.body, builder);
        self.shared_memory.open = around;
        done
    }

    /// Copies a tile, twice where there may be all of it or a part: what is loaded under no condition is loaded at once,
    /// and not one element after the other.
    fn copy_tile(&mut self, tile: &SharedTile, builder: Builder<'c, 'a>) -> Result<(), EmitError> {
        let whole = match whole(tile)? {
            Some(conditions) if !conditions.is_empty() => Cond::And(conditions),
            _ => return self.copy_elements(tile, builder),
        };
        let holds = self.truth(&whole, builder)?;
        let (all, some) = scf_if(builder, holds, true)?;
        self.copy_elements(&SharedTile { exists: Cond::And(Vec::new()), ..tile.clone() }, all)?;
        all.build("scf.yield", &[], &[], &[])?;
        let some = some.ok_or(EmitError::Place("a condition has no second branch"))?;
        self.copy_elements(tile, some)?;
        some.build("scf.yield", &[], &[], &[])?;
        Ok(())
    }

    /// Copies the elements of a tile that exist: neighbouring threads neighbouring elements.
    fn copy_elements(&mut self, tile: &SharedTile, builder: Builder<'c, 'a>) -> Result<(), EmitError> {
        let threads = self.shared_memory.threads.0;
        let elements: i64 = tile.extent.iter().product();
        let rounds = elements / threads + i64::from(elements % threads > 0);
        let mut number = self.shared_memory.thread()?;
        let outer = self.scope.iterators.len();
        let mut inner = builder;
        if rounds > 1 {
            let bound = |value| Operands::map(self.context, &*self, &[Expr::Const(value)]);
            let built = builder.affine_for(&bound(0)?, &bound(rounds)?, 1, &[])?;
            self.scope.iterators.push(built.variables.first().copied());
            number = number.plus(&Expr::Iterator(IteratorId(outer)).times(threads)?)?;
            inner = built.body;
        }
        let copied = self.copy_element(tile, &number, (elements % threads > 0).then_some(elements), inner);
        self.scope.iterators.truncate(outer);
        copied?;
        if rounds > 1 {
            inner.affine_yield(&[])?;
        }
        Ok(())
    }

    /// Copies the element of a number, if it is one of so many and is to be copied.
    fn copy_element(
        &mut self,
        tile: &SharedTile,
        number: &Expr,
        most: Option<i64>,
        builder: Builder<'c, 'a>,
    ) -> Result<(), EmitError> {
        let (mut local, mut rest) = (Vec::new(), number.clone());
        for (position, extent) in tile.extent.iter().enumerate().rev() {
            local.push(if position == 0 { rest.clone() } else { rest.clone().modulo(*extent) });
            rest = rest.floor_div(*extent);
        }
        local.reverse();
        let subscripts = tile.origin.iter().zip(&local).map(|(origin, local)| origin.plus(local));
        let subscripts = subscripts.collect::<Result<Vec<_>, _>>()?;
        let below = |most| Cond::Compare(Comparison::Lt, number.clone(), Expr::Const(most));
        let mut conditions: Vec<Cond> = most.map(below).into_iter().collect();
        let at = |iterator: IteratorId| {
            let position = tile.element.iter().position(|element| *element == iterator)?;
            subscripts.get(position).cloned()
        };
        match tile.exists.substitute(&at)? {
            Cond::And(all) => conditions.extend(all),
            other => conditions.push(other),
        }
        let place = if conditions.is_empty() {
            builder
        } else {
            let holds = self.truth(&Cond::And(conditions.clone()), builder)?;
            scf_if(builder, holds, false)?.0
        };
        let lost = EmitError::Place("a tile is of no array");
        let memref = self.memory_of(&tile.array).ok_or(lost)?;
        let element = MemRefType::try_from(memref.r#type())?.element();
        let value = load(place, memref, element, &Operands::map(self.context, &*self, &subscripts)?)?;
        let buffer = self.shared_memory.buffers[&tile.buffer];
        store(place, value, buffer, &Operands::map(self.context, &*self, &local)?)?;
        if !conditions.is_empty() {
            place.build("scf.yield", &[], &[], &[])?;
        }
        Ok(())
    }

    /// Where a statement's read of a buffer finds its element in shared memory.
    ///
    /// # Errors
    /// A number does not fit.
    pub(super) fn in_shared_memory(
        &self,
        (statement, arguments): (StatementId, &[Expr]),
        memref: Value<'c, 'a>,
        subscripts: &[Expr],
    ) -> Result<Option<(Value<'c, 'a>, Bound<'c, 'a>)>, EmitError> {
        for tile in &self.shared_memory.open {
            if self.memory_of(&tile.array).is_none_or(|known| id(known) != id(memref)) {
                continue;
            }
            for (_, proved) in tile.reads.iter().filter(|(reader, _)| *reader == statement) {
                if are_of_instance(proved, arguments, subscripts)? {
                    let local = subscripts.iter().zip(&tile.origin).map(|(subscript, origin)| subscript.minus(origin));
                    let local = local.collect::<Result<Vec<_>, _>>()?;
                    let buffer = self.shared_memory.buffers[&tile.buffer];
                    return Ok(Some((buffer, Operands::map(self.context, self, &local)?)));
                }
            }
        }
        Ok(None)
    }
}
