//! Reading emitted code back, for the developer's check that compares it with the tree that it was made for.
//!
//! The same reader that lifts regions reads the loops, conditions and accesses of the new code. What differs is what
//! makes a statement: the markers in the code say where an instance begins and which one it is; the operations behind
//! a marker, up to the next marker, loop or condition, are its. Parameters and buffers are told, so that they have the
//! same names as in the region.
//!
//! A parallel loop has private copies of the buffers allocated in it, and of the scalars written in it that have no
//! buffer at all: those are SSA values of an iteration.

use std::collections::BTreeSet;

use melior::ir::{OperationRef, Value};
use polyrs_core::check::translation_validation::{Emitted, Order, Place};
use polyrs_core::isl::{self, DimType, Id, Set, Space};
use polyrs_core::scop::{ArrayKind, Scop};

use super::accesses::relation;
use super::expression;
use super::frame::Frame;
use super::reader::Reader;
use super::refusal::{Step, Stop};
use super::tree::{ArrayInfo, BodyId, Leaf, LoopId, Role, TreeNode};
use crate::mlir::ir::operation::{is, name, regions};
use crate::mlir::ir::value::defining;
use crate::mlir::marker::{Marker, is_marked};
use crate::mlir::region::{ArrayBinding, LiftedRegion};

/// Emitted code, and what parts of the region are in it.
pub struct NewCode<'c, 'a> {
    /// The operations, of one block and in order, its terminator left out.
    pub operations: Vec<OperationRef<'c, 'a>>,
    /// The value of each parameter of the region.
    pub parameters: Vec<Value<'c, 'a>>,
    /// The buffers of the region's arrays, by position. Private copies make several for one array; a scalar that stays
    /// in SSA has none.
    pub buffers: Vec<(usize, Value<'c, 'a>)>,
}

/// Why code was not read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It has something that lifting does not describe, so nothing is known.
    Refused(String),
    /// It is wrong whatever it means.
    Wrong(String),
}

impl From<Stop<'_, '_>> for Unread {
    fn from(stop: Stop<'_, '_>) -> Self {
        Unread::Refused(match stop {
            Stop::Refused(operation, reason) => format!("{} {reason}", name(operation)),
            Stop::Cut(operation) => format!("{} needs a value computed before it", name(operation)),
            Stop::Isl(error) => error.to_string(),
        })
    }
}

impl From<isl::Error> for Unread {
    fn from(error: isl::Error) -> Self {
        Unread::Refused(error.to_string())
    }
}

/// Reads marked code that was emitted for a region, which is still there.
///
/// # Errors
/// [`Unread`].
pub fn read_new_code<'c, 'a>(region: &LiftedRegion<'c, 'a>, code: &NewCode<'c, 'a>) -> Result<Emitted, Unread> {
    let Some(frame) = Frame::new(code.operations.clone()) else {
        return Ok(Emitted { places: Vec::new(), order: Vec::new() });
    };
    let mut reader = Reader::new(region.scop.ctx().clone(), &frame);
    reader.tell(region, code)?;
    reader.read_marked()?;
    if reader.parameters.values.len() > code.parameters.len() {
        return Err(Unread::Refused("the new code depends on a value that the region does not".to_owned()));
    }
    let in_memory = code.buffers.iter().map(|(array, _)| *array).collect();
    let mut places = Places { scop: &region.scop, reader, places: Vec::new(), in_memory };
    let order = places.block(BodyId(0))?.order;
    Ok(Emitted { places: places.places, order })
}

impl<'c, 'a> Reader<'_, 'c, 'a> {
    /// Enters the region's parameters and arrays.
    fn tell(&mut self, region: &LiftedRegion<'c, 'a>, code: &NewCode<'c, 'a>) -> Step<'c, 'a, ()> {
        let names = region.scop.context.space()?.dim_names(DimType::Param)?;
        for (value, name) in code.parameters.iter().zip(names) {
            self.parameters.tell(*value, name);
        }
        for (position, (array, binding)) in region.scop.arrays.iter().zip(&region.arrays).enumerate() {
            let buffer = code.buffers.iter().find(|(array, _)| *array == position).map(|(_, buffer)| *buffer);
            let allocation = buffer.and_then(defining);
            let binding = match (binding, buffer, allocation) {
                (ArrayBinding::Memory { .. }, Some(buffer), _) => ArrayBinding::Memory { buffer },
                (ArrayBinding::Local { .. }, _, Some((allocation, _))) => {
                    ArrayBinding::Local { allocation, nested: true }
                }
                (other, ..) => other.clone(),
            };
            let extent = vec![None; array.rank()];
            self.memory.add(ArrayInfo { name: array.name.clone(), binding, extent, element: array.element });
        }
        for (array, buffer) in &code.buffers {
            self.tell_buffer(code.operations[0], *array, *buffer)?;
        }
        Ok(())
    }

    /// Reads all operations but those before the loops.
    fn read_marked(&mut self) -> Step<'c, 'a, ()> {
        let domain = Set::universe(self.space(0)?)?;
        let block = self.add_block(None, Vec::new(), domain);
        for operation in self.frame.operations.clone() {
            if Marker::new(operation).is_some() || !self.frame.is_kept(operation) {
                self.current = Some(operation);
                self.read_operation(block, operation)?;
            }
        }
        Ok(())
    }
}

/// The contents of a body.
#[derive(Default)]
struct Inside {
    order: Vec<Order>,
    /// The places in it.
    places: Vec<usize>,
    /// The arrays that have a buffer made in the block.
    allocated: BTreeSet<usize>,
}

impl Inside {
    fn append(&mut self, other: Inside) {
        self.order.extend(other.order);
        self.places.extend(other.places);
        self.allocated.extend(other.allocated);
    }
}

/// Turns what was read into places that execute statements.
struct Places<'s, 'f, 'c, 'a> {
    scop: &'s Scop,
    reader: Reader<'f, 'c, 'a>,
    places: Vec<Place>,
    /// The arrays that have a buffer somewhere.
    in_memory: BTreeSet<usize>,
}

impl Places<'_, '_, '_, '_> {
    fn block(&mut self, block: BodyId) -> Result<Inside, Unread> {
        let mut inside = Inside::default();
        let mut open = None;
        for number in 0..self.reader.tree.block(block).nodes.len() {
            let (inner, found) = match &self.reader.tree.block(block).nodes[number] {
                TreeNode::Leaf(Leaf { role: Role::Allocation(array), .. }) => {
                    inside.allocated.insert(*array);
                    continue;
                }
                TreeNode::Leaf(leaf) => match Marker::new(leaf.operation) {
                    Some(_) => {
                        open = self.open(block, number)?;
                        inside.order.extend(open.map(Order::Place));
                        inside.places.extend(open);
                        continue;
                    }
                    None => {
                        self.leaf(block, number, open)?;
                        continue;
                    }
                },
                node @ TreeNode::Loop(found) => (self.reader.tree.inner_blocks(node), Some(*found)),
                node @ TreeNode::If(_) => (self.reader.tree.inner_blocks(node), None),
            };
            open = None;
            for inner in inner {
                let content = self.block(inner)?;
                match found {
                    Some(found) => self.enter(block, found, content, &mut inside)?,
                    None => inside.append(content),
                }
            }
        }
        Ok(inside)
    }

    /// A new place at a marker; nothing if it is never reached.
    fn open(&mut self, block: BodyId, number: usize) -> Result<Option<usize>, Unread> {
        let TreeNode::Leaf(leaf) = &self.reader.tree.block(block).nodes[number] else { return Ok(None) };
        let Some(marker) = Marker::new(leaf.operation) else { return Ok(None) };
        let wrong = |what: &str| Unread::Wrong(format!("a marker of {} {what}", marker.statement));
        let statement = self.scop.statement_by_name(&marker.statement).ok_or_else(|| wrong("names no statement"))?;
        let isl = self.scop.ctx();
        let space = self.reader.space(self.reader.tree.depth(block))?;
        let mut operands = Vec::new();
        for value in &marker.instance.operands {
            let function = self.reader.index(block, *value, &space)?;
            operands.push(function.ok_or_else(|| Unread::Refused("a marker's operand is not affine".to_owned()))?);
        }
        let functions = expression::apply(marker.instance.map, &operands, &space)?;
        let functions: Vec<_> = functions.ok_or_else(|| wrong("is not affine"))?.into_iter().skip(1).collect();
        let original = self.scop.statement(statement);
        if functions.len() != original.domain.dim(DimType::SET)? {
            return Err(wrong("has another number of dimensions than the statement"));
        }
        let target = Space::unit(isl)?.add_named_tuple_id_ui(Id::new(isl, &original.name)?, functions.len())?;
        let id = Id::new(isl, &format!("{}_at_{}", original.name, self.places.len()))?;
        let domain = self.reader.tree.block(block).domain.clone().set_tuple_id(id.clone())?;
        if domain.is_empty()? {
            return Ok(None);
        }
        let instances = relation(&space, target, functions, &[])?.set_tuple_id(DimType::In, id)?;
        self.places.push(Place { statement, domain, instances, accesses: Vec::new() });
        Ok(Some(self.places.len() - 1))
    }

    /// An operation of the instance at a place, or of none.
    fn leaf(&mut self, block: BodyId, number: usize, open: Option<usize>) -> Result<(), Unread> {
        let TreeNode::Leaf(leaf) = &self.reader.tree.block(block).nodes[number] else { return Ok(()) };
        let operation = leaf.operation;
        if !regions(operation).is_empty() && is_marked(operation) {
            return Err(Unread::Refused(format!("{} holds statements", name(operation))));
        }
        for access in &leaf.accesses {
            let Some(place) = open else {
                // Copies of scalars from and to their buffers may stand anywhere.
                if self.scop.arrays[access.array].kind == ArrayKind::Scalar
                    || self.reader.tree.block(block).domain.is_empty()?
                {
                    continue;
                }
                return Err(Unread::Wrong(format!("{} belongs to no instance of a statement", name(operation))));
            };
            let id = self.places[place].domain.tuple_id()?;
            let relation = access.relation.clone().set_tuple_id(DimType::In, id)?;
            self.places[place].accesses.push((access.kind, relation));
        }
        Ok(())
    }

    /// A loop around what is in it.
    fn enter(&self, block: BodyId, number: LoopId, content: Inside, inside: &mut Inside) -> isl::Result<()> {
        let found = self.reader.tree.get_loop(number);
        let parallel = if is(found.operation, "affine.parallel") { Some(self.private(&content)?) } else { None };
        let first = self.reader.tree.depth(block);
        let mut body = content.order;
        for dimension in (first..first + found.dimensions).rev() {
            body = vec![Order::Loop { dimension, parallel: parallel.clone(), body }];
        }
        inside.order.extend(body);
        inside.places.extend(content.places);
        inside.allocated.extend(content.allocated);
        Ok(())
    }

    /// The arrays of which each iteration of a loop has its own copy.
    fn private(&self, inside: &Inside) -> Result<Vec<String>, isl::Error> {
        let mut written = BTreeSet::new();
        for place in &inside.places {
            for access in &self.scop.statement(self.places[*place].statement).accesses {
                if access.kind.is_write() {
                    written.insert(access.array()?);
                }
            }
        }
        let mut names = Vec::new();
        for (number, array) in self.scop.arrays.iter().enumerate() {
            let in_ssa =
                array.kind == ArrayKind::Scalar && !self.in_memory.contains(&number) && written.contains(&array.name);
            if in_ssa || inside.allocated.contains(&number) {
                names.push(array.name.clone());
            }
        }
        Ok(names)
    }
}
