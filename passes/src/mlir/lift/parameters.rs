//! The parameters of a region: index values that the region does not change.

use std::collections::HashMap;

use melior::ir::{BlockLike, OperationRef, RegionLike, Value};
use polyrs_core::isl::{self, Aff, Id, PwAff, Set, Space};

use crate::mlir::ir::operation::is;
use crate::mlir::ir::value::{ValueId, argument, id};
use crate::mlir::names::Names;

/// The parameters met so far, in the order of their first use.
#[derive(Default)]
pub(super) struct Parameters<'c, 'a> {
    /// The values.
    pub values: Vec<Value<'c, 'a>>,
    /// Their names.
    pub names: Vec<String>,
    /// Operations of the region to run before it, because parameters or sizes of buffers are their results.
    pub hoisted: Vec<OperationRef<'c, 'a>>,
    positions: HashMap<ValueId, usize>,
    extents: HashMap<(ValueId, i64), usize>,
}

impl<'c, 'a> Parameters<'c, 'a> {
    /// The position of the parameter that is this value.
    pub fn position(&mut self, value: Value<'c, 'a>) -> usize {
        if let Some(position) = self.positions.get(&id(value)) {
            return *position;
        }
        let position = self.values.len();
        let name = match function_argument(value) {
            Some(number) => names(value).argument(number),
            None => format!("p{position}"),
        };
        self.values.push(value);
        self.names.push(name);
        self.positions.insert(id(value), position);
        position
    }

    /// Adds a parameter under the name that it has.
    pub fn tell(&mut self, value: Value<'c, 'a>, name: String) {
        self.positions.insert(id(value), self.values.len());
        self.values.push(value);
        self.names.push(name);
    }

    /// The position of the parameter that is this value, if it was met before.
    pub fn known(&self, value: Value<'c, 'a>) -> Option<usize> {
        self.positions.get(&id(value)).copied()
    }

    /// The position of the parameter that is the extent of a buffer's dimension: `value`, or an equal one that was
    /// met before.
    pub fn extent(&mut self, buffer: Value<'c, 'a>, dimension: i64, value: Value<'c, 'a>) -> usize {
        if let Some(position) = self.extents.get(&(id(buffer), dimension)) {
            return *position;
        }
        let position = self.position(value);
        self.extents.insert((id(buffer), dimension), position);
        position
    }

    /// The parameter that is known to be the extent of a buffer's dimension.
    pub fn known_extent(&self, buffer: Value<'c, 'a>, dimension: i64) -> Option<usize> {
        self.extents.get(&(id(buffer), dimension)).copied()
    }

    /// The parameters that are extents.
    pub fn extents(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.values.len()).filter(|position| self.extents.values().any(|extent| extent == position))
    }

    /// A parameter as a function on a space.
    pub fn function(&self, position: usize, space: &Space) -> isl::Result<PwAff> {
        let name = Id::new(space.ctx(), &self.names[position])?;
        PwAff::from_aff(Aff::param_on_domain_space_id(space.clone().add_param_id(name.clone())?, name)?)
    }

    /// The space of all parameters, in order.
    pub fn space(&self, isl: &isl::Ctx) -> isl::Result<Space> {
        let mut space = Space::unit(isl)?;
        for name in &self.names {
            space = space.add_param_id(Id::new(isl, name)?)?;
        }
        Ok(space)
    }

    /// Parameter values that a 64-bit index can have: `[p] -> { : -2^63 <= p < 2^63 }`.
    pub fn range(&self, isl: &isl::Ctx) -> isl::Result<Set> {
        let mut set = Set::universe(self.space(isl)?)?;
        for position in 0..self.names.len() {
            let least = isl::Val::int(isl, i64::MIN)?;
            let most = isl::Val::int(isl, i64::MAX)?;
            set = set.lower_bound_val(isl::DimType::Param, position, least)?;
            set = set.upper_bound_val(isl::DimType::Param, position, most)?;
        }
        Ok(set)
    }
}

/// The names of the arguments of the function that has a value as one of them.
pub(super) fn names(value: Value<'_, '_>) -> Names {
    let function = argument(value).and_then(|(block, _)| block.parent_operation());
    function.map(Names::of).unwrap_or_default()
}

/// The number of a function's argument, if the value is one.
pub fn function_argument(value: Value<'_, '_>) -> Option<usize> {
    let (block, number) = argument(value)?;
    let function = block.parent_operation()?;
    let entry = block.parent_region()?.first_block()?;
    (is(function, "func.func") && entry == block).then_some(number)
}
