//! Accesses: which array an operation touches, and where.

use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, OperationRef, Value, ValueLike};
use polyrs_core::isl::{self, DimType, Id, Map, MultiPwAff, PwAff, PwAffList, Set, Space, Val};
use polyrs_core::scop::AccessKind;

use super::expression;
use super::frame::operation_id;
use super::kind::is_allocation;
use super::layout::is_one_to_one;
use super::memory::{Root, global, root};
use super::parameters::{function_argument, names};
use super::reader::Reader;
use super::refusal::{Reason, Step, Stop};
use super::tree::{ArrayInfo, BodyId, MemoryAccess};
use super::types::{self, Extent};
use super::views::{self, Subscripts};
use crate::mlir::ir::operation::{ancestors, contains, is, name, operands, results};
use crate::mlir::ir::value::{argument, defining, id, uses};
use crate::mlir::lower::facts::is_dead_after;
use crate::mlir::names::Names;
use crate::mlir::region::ArrayBinding;

/// A memref's root, the value that is the root, and where on it an access goes.
struct Origin<'c, 'a> {
    root: Root,
    value: Value<'c, 'a>,
    subscripts: Subscripts,
}

impl<'c, 'a> Reader<'_, 'c, 'a> {
    /// The access of an operation to a memref at subscripts, or anywhere in it if they are not known.
    pub(super) fn access(
        &mut self,
        block: BodyId,
        operation: OperationRef<'c, 'a>,
        memref: Value<'c, 'a>,
        subscripts: Option<Vec<PwAff>>,
        vector: Option<Value<'c, 'a>>,
        kind: AccessKind,
    ) -> Step<'c, 'a, MemoryAccess> {
        let span = match vector {
            // A vector is the element itself if the memref holds vectors.
            Some(value) if types::element(memref.r#type()) != Some(value.r#type()) => {
                types::vector_extents(value.r#type())
            }
            _ => Some(Vec::new()),
        };
        let subscripts = if span.is_some() { subscripts } else { None };
        let subscripts = Subscripts::new(subscripts, span.unwrap_or_default());
        let origin = self.origin(block, operation, memref, subscripts)?;
        let array = self.array(operation, &origin)?;
        if kind.is_write() && !self.memory.is_written(array) {
            self.memory.written.push((array, operation));
        }
        let space = self.space(self.tree.depth(block))?;
        let target = self.array_space(array)?;
        if let Some(functions) = origin.subscripts.known {
            let span = &origin.subscripts.span;
            let relation = relation(&space, target.clone(), functions, span)?;
            // A vector of the vector dialect may reach over the end of a row, into the next one.
            let contained = span.is_empty() || !name(operation).starts_with("vector.");
            if contained || self.is_inside(block, &relation, origin.value)? {
                return Ok(MemoryAccess { array, kind, relation, exact: span.is_empty() });
            }
        }
        let kind = if kind.is_write() { AccessKind::MayWrite } else { kind };
        let relation = Map::from_domain_and_range(Set::universe(space)?, Set::universe(target)?)?;
        Ok(MemoryAccess { array, kind, relation, exact: false })
    }

    /// Whether a relation of a block stays within the static extents of a buffer. A single dimension has no next row.
    fn is_inside(&self, block: BodyId, relation: &Map, buffer: Value<'c, 'a>) -> isl::Result<bool> {
        let extents = types::extents(buffer.r#type()).unwrap_or_default();
        if extents.len() == 1 {
            return Ok(true);
        }
        let reached = relation.clone().intersect_domain(self.tree.block(block).domain.clone())?.range()?;
        let mut within = Set::universe(reached.space()?)?;
        for (dimension, extent) in extents.into_iter().enumerate() {
            let Extent::Static(size) = extent else { return Ok(false) };
            within = within.lower_bound_val(DimType::SET, dimension, Val::int(&self.isl, 0)?)?;
            within = within.upper_bound_val(
                DimType::SET,
                dimension,
                Val::int(&self.isl, size)?.add(Val::int(&self.isl, -1)?)?,
            )?;
        }
        reached.is_subset(&within)
    }

    /// The space of an array's elements: `{ A[a] }`.
    pub(super) fn array_space(&self, array: usize) -> isl::Result<Space> {
        let array = &self.memory.arrays[array];
        Space::unit(&self.isl)?.add_named_tuple_id_ui(Id::new(&self.isl, &array.name)?, array.extent.len())
    }

    /// Follows a memref to where its memory comes from.
    fn origin(
        &mut self,
        block: BodyId,
        operation: OperationRef<'c, 'a>,
        memref: Value<'c, 'a>,
        mut subscripts: Subscripts,
    ) -> Step<'c, 'a, Origin<'c, 'a>> {
        let space = self.space(self.tree.depth(block))?;
        let mut value = memref;
        let (given, span) = (subscripts.known.clone(), subscripts.span.clone());
        if self.memory.arrays.iter().any(|array| array.is_buffer(memref)) {
            let root = self.root_of(operation, root(memref))?;
            return Ok(Origin { root, value: memref, subscripts });
        }
        loop {
            if !types::is_memref(value.r#type()) {
                return Err(Stop::Refused(operation, Reason::UnknownBuffer));
            }
            let view = defining(value).and_then(|(source, number)| Some((source, views::base(source, number)?)));
            let Some((source, base)) = view else {
                return Ok(Origin { root: self.root_of(operation, value)?, value, subscripts });
            };
            subscripts = match views::offsets(source) {
                Some(offsets) if subscripts.known.is_some() => {
                    let mut functions = Vec::new();
                    for offset in offsets {
                        functions.push(match offset {
                            views::Offset::Static(value) => Some(expression::constant(&space, value)?),
                            views::Offset::Dynamic(value) => self.index(block, value, &space)?,
                        });
                    }
                    views::through(source, subscripts, functions.into_iter().collect(), &space)?
                }
                Some(_) => Subscripts::unknown(),
                None => views::through(source, subscripts, None, &space)?,
            };
            let lost = subscripts.known.is_none() && given.is_some();
            if lost && self.stands_for_buffer(memref) {
                let root = self.root_of(operation, root(memref))?;
                return Ok(Origin { root, value: memref, subscripts: Subscripts::new(given, span) });
            }
            value = base;
        }
    }

    /// Whether a view is taken for the buffer itself. Where all accesses to the buffer go through it that does just as
    /// well, if it shows no element twice ([`Reader::check_layouts`]); but all have to agree, so the first one decides.
    fn stands_for_buffer(&mut self, view: Value<'c, 'a>) -> bool {
        let root = root(view);
        if let Some(array) = self.memory.arrays.iter().find(|array| array.is_buffer(root) || array.is_buffer(view)) {
            return array.is_buffer(view);
        }
        // A global may have its address taken twice.
        let one_value = defining(root).is_none_or(|(source, _)| is_allocation(source));
        one_value
            && self.memory.handles.get(&id(root)) == Some(&Some(id(view)))
            && self.frame.can_hoist(view, &mut self.parameters.hoisted)
    }

    /// The memory that a value stands for which is no view.
    fn root_of(&mut self, operation: OperationRef<'c, 'a>, value: Value<'c, 'a>) -> Step<'c, 'a, Root> {
        let unknown = Stop::Refused(operation, Reason::UnknownBuffer);
        if !types::is_memref(value.r#type()) {
            return Err(unknown);
        }
        let Some((source, _)) = defining(value) else {
            return function_argument(value).map(Root::Argument).ok_or(unknown);
        };
        if is_allocation(source) {
            return Ok(Root::Allocation(self.memory.allocation(value)));
        }
        global(value).map(Root::Global).ok_or(unknown)
    }

    /// Says that a buffer is an array's, which is there already. Several buffers may be one array's.
    pub(super) fn tell_buffer(
        &mut self,
        user: OperationRef<'c, 'a>,
        array: usize,
        buffer: Value<'c, 'a>,
    ) -> Step<'c, 'a, ()> {
        let root = self.root_of(user, root(buffer))?;
        self.memory.positions.insert(root, array);
        Ok(())
    }

    /// The array of a root, made when it is met first.
    fn array(&mut self, operation: OperationRef<'c, 'a>, origin: &Origin<'c, 'a>) -> Step<'c, 'a, usize> {
        if let Some(position) = self.memory.positions.get(&origin.root) {
            return Ok(*position);
        }
        let binding = self.binding(operation, origin)?;
        let name = match &origin.root {
            Root::Argument(number) => names(root(origin.value)).argument(*number),
            Root::Global(symbol) => self.global_name(symbol),
            Root::Allocation(number) => format!("buffer{number}"),
        };
        let kind = origin.value.r#type();
        let rank = types::extents(kind).map_or(0, |extents| extents.len());
        let Some(element_type) = types::element(kind) else {
            return Err(Stop::Refused(operation, Reason::UnknownBuffer));
        };
        let local = matches!(binding, ArrayBinding::Local { .. });
        let element = types::element_type(element_type);
        let array = self.memory.add(ArrayInfo { name, binding, extent: vec![None; rank], element });
        self.memory.positions.insert(origin.root.clone(), array);
        if !local && !matches!(origin.root, Root::Allocation(_)) {
            self.memory.shared.push((array, origin.root.clone(), operation));
        }
        Ok(array)
    }

    fn global_name(&self, symbol: &str) -> String {
        let plain: String =
            symbol.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
        let name = format!("global_{plain}");
        let function = self.frame.block.parent_operation();
        let mut around = function.into_iter().flat_map(|inner| ancestors(inner).chain([inner]));
        let names = around.find(|operation| is(*operation, "func.func")).map(Names::of).unwrap_or_default();
        let taken = |name: &str| names.has(name) || self.memory.arrays.iter().any(|array| array.name == name);
        (0..)
            .map(|number| if number == 0 { name.clone() } else { format!("{name}_{number}") })
            .find(|candidate| !taken(candidate))
            .unwrap_or(name)
    }

    fn binding(&mut self, user: OperationRef<'c, 'a>, origin: &Origin<'c, 'a>) -> Step<'c, 'a, ArrayBinding<'c, 'a>> {
        let buffer = origin.value;
        let Some((operation, _)) = defining(buffer) else { return Ok(ArrayBinding::Memory { buffer }) };
        if !is_allocation(operation) {
            // A global's address can be taken before the region as well.
            if !self.frame.can_hoist(buffer, &mut self.parameters.hoisted) {
                return Err(Stop::Refused(user, Reason::UnknownBuffer));
            }
            return Ok(ArrayBinding::Memory { buffer });
        }
        if self.frame.is_replaced(operation) {
            return Ok(ArrayBinding::Local { allocation: operation, nested: true });
        }
        let same_block = operation.block() == Some(self.frame.block);
        if same_block && self.only_used_in_region(buffer) {
            return Ok(ArrayBinding::Local { allocation: operation, nested: false });
        }
        Ok(ArrayBinding::Memory { buffer })
    }

    /// Whether nobody looks at the elements of a buffer after the region: the function's caller does not, and the function
    /// runs the region once, and has no other.
    pub(super) fn dies(&self, buffer: Value<'c, 'a>) -> bool {
        let is_here = argument(buffer).is_some_and(|(block, _)| block == self.frame.block);
        is_here && is_dead_after(buffer) && self.only_used_in_region(buffer)
    }

    /// Whether a buffer and its views are loaded from and stored to in the region alone. Deallocations may be anywhere.
    fn only_used_in_region(&self, buffer: Value<'c, 'a>) -> bool {
        uses(buffer).into_iter().all(|(user, number)| match name(user).as_str() {
            "memref.dealloc" => true,
            "memref.load" | "affine.load" | "vector.load" | "affine.vector_load" => self.frame.is_replaced(user),
            "memref.store" | "affine.store" | "vector.store" | "affine.vector_store" => {
                number == 1 && self.frame.is_replaced(user)
            }
            "memref.copy" => self.frame.is_replaced(user),
            "memref.dim" => true,
            _ => {
                results(user).len() == 1
                    && views::base(user, 0).is_some_and(|base| id(base) == id(buffer))
                    && results(user).into_iter().all(|view| self.only_used_in_region(view))
            }
        })
    }

    /// The array of a buffer that is made in a loop.
    pub(super) fn nested_allocation(&mut self, operation: OperationRef<'c, 'a>) -> Step<'c, 'a, usize> {
        let Some(buffer) = results(operation).first().copied() else {
            return Err(Stop::Refused(operation, Reason::Escapes));
        };
        let sized = operands(operation);
        if !sized.into_iter().all(|size| self.frame.can_hoist(size, &mut self.parameters.hoisted)) {
            return Err(Stop::Refused(operation, Reason::VaryingSize));
        }
        if !self.only_used_in_region(buffer) {
            return Err(Stop::Refused(operation, Reason::Escapes));
        }
        let root = Root::Allocation(self.memory.allocation(buffer));
        let origin = Origin { root, value: buffer, subscripts: Subscripts::unknown() };
        let array = self.array(operation, &origin)?;
        self.allocations.insert(operation_id(operation), array);
        Ok(array)
    }

    /// Whether a memref is a buffer that an operation makes for itself.
    pub(super) fn is_private(&self, operation: OperationRef<'c, 'a>, memref: Value<'c, 'a>) -> bool {
        let mut value = memref;
        while let Some((source, number)) = defining(value) {
            if is_allocation(source) {
                return contains(operation, source);
            }
            match views::base(source, number) {
                Some(base) => value = base,
                None => return false,
            }
        }
        false
    }

    /// Without the promise that buffers do not overlap: refuses two of them, one of which is written.
    pub(super) fn check_overlap(&self) -> Step<'c, 'a, ()> {
        let shared = &self.memory.shared;
        for (position, (array, root, operation)) in shared.iter().enumerate() {
            for (other, other_root, _) in &shared[..position] {
                let globals = matches!((root, other_root), (Root::Global(_), Root::Global(_)));
                let written = self.memory.is_written(*array) || self.memory.is_written(*other);
                if written && !globals {
                    return Err(Stop::Refused(*operation, Reason::MayOverlap));
                }
            }
        }
        Ok(())
    }

    /// Refuses to write where a layout may show an element twice. `assume`: it does not where it comes from outside.
    pub(super) fn check_layouts(&self, assume: bool) -> Step<'c, 'a, ()> {
        for (array, operation) in &self.memory.written {
            let buffer = match &self.memory.arrays[*array].binding {
                ArrayBinding::Memory { buffer } => Some(*buffer),
                ArrayBinding::Local { allocation, .. } => results(*allocation).first().copied(),
                ArrayBinding::Field { .. } | ArrayBinding::Scalar { .. } => None,
            };
            if buffer.is_some_and(|buffer| !is_one_to_one(buffer, assume)) {
                return Err(Stop::Refused(*operation, Reason::Layout));
            }
        }
        Ok(())
    }

    /// Fills in the extents that are known once everything is read.
    pub(super) fn fill_extents(&mut self) -> Step<'c, 'a, ()> {
        let space = self.space(0)?;
        for position in 0..self.memory.arrays.len() {
            let (buffer, sizes) = match &self.memory.arrays[position].binding {
                ArrayBinding::Memory { buffer } => (*buffer, defining(*buffer)),
                ArrayBinding::Local { allocation, .. } => (results(*allocation)[0], Some((*allocation, 0))),
                ArrayBinding::Field { .. } | ArrayBinding::Scalar { .. } => continue,
            };
            let sizes =
                sizes.filter(|(operation, _)| is_allocation(*operation)).map(|(operation, _)| operands(operation));
            for (dimension, extent) in types::extents(buffer.r#type()).unwrap_or_default().into_iter().enumerate() {
                let function = match (extent, &sizes) {
                    (Extent::Static(size), _) => Some(expression::constant(&space, size)?),
                    (Extent::Dynamic(number), Some(sizes)) => match sizes.get(number) {
                        Some(size) => self.index(BodyId(0), *size, &space)?,
                        None => None,
                    },
                    (Extent::Dynamic(_), None) => {
                        let known = self.parameters.known_extent(buffer, i64::try_from(dimension).unwrap_or(-1));
                        known.map(|parameter| self.parameters.function(parameter, &space)).transpose()?
                    }
                };
                self.memory.arrays[position].extent[dimension] = function;
            }
        }
        Ok(())
    }
}

/// The elements from the subscripts upwards, as far as a vector reaches along the last dimensions.
pub(super) fn relation(space: &Space, target: Space, functions: Vec<PwAff>, span: &[i64]) -> isl::Result<Map> {
    let isl = space.ctx();
    let rank = functions.len();
    let first = if rank == 0 {
        Map::from_domain_and_range(Set::universe(space.clone())?, Set::universe(target.clone())?)?
    } else {
        let both = space.clone().map_from_domain_and_range(target.clone())?;
        MultiPwAff::from_pw_aff_list(both, PwAffList::from_vec(isl, functions)?)?.as_map()?
    };
    if span.is_empty() {
        return Ok(first);
    }
    // { A[o] : 0 <= o < span }
    let mut offsets = Set::universe(target)?;
    for dimension in 0..rank {
        let extent = (dimension + span.len()).checked_sub(rank).and_then(|number| span.get(number));
        let last = Val::int(isl, extent.copied().unwrap_or(1))?.add(Val::int(isl, -1)?)?;
        offsets = offsets.lower_bound_val(DimType::SET, dimension, Val::int(isl, 0)?)?;
        offsets = offsets.upper_bound_val(DimType::SET, dimension, last)?;
    }
    first.sum(Map::from_domain_and_range(Set::universe(space.clone())?, offsets)?)
}
