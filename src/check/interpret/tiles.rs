//! Which reads of which instances are from copies of tiles, and where their elements are there.

use super::Error;
use super::evaluate::Values;
use super::interpreter::{Instance, Interpreter};
use super::trace::{Cell, InstanceId, Place, Redirect};
use crate::ast::{Ast, Expr, Node, Shared};
use crate::scop::{AccessKind, StatementId};
use std::collections::BTreeMap;

/// A tile while the code that reads from it runs.
#[derive(Debug)]
pub(super) struct OpenTile<'a> {
    /// The number of the tile.
    pub buffer: usize,
    /// The first element.
    pub origin: Vec<i128>,
    /// The number of elements along each dimension.
    pub extent: &'a [i64],
    /// The dimensions in the order in which they lie in the buffer, outermost first.
    pub order: &'a [usize],
}

impl OpenTile<'_> {
    /// Where an element is in the tile, if it is in it.
    pub fn cell(&self, index: &[i64]) -> Option<Cell> {
        let mut offset: i128 = 0;
        for &dimension in self.order {
            let (index, origin) = (index.get(dimension)?, self.origin.get(dimension)?);
            let (local, extent) = (i128::from(*index) - origin, i128::from(*self.extent.get(dimension)?));
            if local < 0 || local >= extent {
                return None;
            }
            offset = offset * extent + local;
        }
        Some(Cell { buffer: self.buffer, offset: usize::try_from(offset).ok()? })
    }
}

/// A copy of tiles in the code.
#[derive(Debug)]
pub(super) struct Site<'a> {
    /// What is copied, and the code that reads it.
    pub shared: &'a Shared,
    /// For each tile the statements that read from it, by which of their accesses.
    readers: Vec<BTreeMap<StatementId, Vec<usize>>>,
}

impl<'a> Site<'a> {
    /// All copies of an AST, in its order.
    ///
    /// # Errors
    /// When subscripts are not well-formed.
    pub fn all(interpreter: &Interpreter<'_>, ast: &'a Ast, values: &Values) -> Result<Vec<Site<'a>>, Error> {
        let mut finder =
            Finder { interpreter, parameters: &values.parameters, known: BTreeMap::new(), sites: Vec::new() };
        finder.find(&ast.root)?;
        Ok(finder.sites)
    }

    /// What is copied, in words.
    pub fn arrays(&self) -> String {
        let names: Vec<&str> = self.shared.tiles.iter().map(|tile| tile.array.as_str()).collect();
        names.join(", ")
    }

    /// Adds the reads of an instance that are from tiles; an access that several of them hold is from the first one, and
    /// one that is there already stays as it is.
    pub fn add_reads(
        &self,
        interpreter: &Interpreter<'_>,
        id: InstanceId,
        tiles: &[OpenTile<'_>],
        reads: &mut Vec<Redirect>,
    ) {
        let Instance { statement, touches, .. } = &interpreter.instances[id];
        for (readers, tile) in self.readers.iter().zip(tiles) {
            for &access in readers.get(statement).into_iter().flatten() {
                let element = touches.get(access).and_then(|touch| touch.elements.first());
                if let Some(&element) = element
                    && reads.iter().all(|read| read.access != access)
                {
                    let cell = tile.cell(&interpreter.elements[element].index);
                    reads.push(Redirect { access, to: Place::Tile(cell) });
                }
            }
        }
    }
}

/// The search for copies.
struct Finder<'m, 's, 'a> {
    interpreter: &'m Interpreter<'s>,
    parameters: &'m [i128],
    /// Accesses by array, statement and subscripts: the same tile may be copied in many places of the code.
    known: BTreeMap<(usize, StatementId, &'a [Expr]), Vec<usize>>,
    sites: Vec<Site<'a>>,
}

impl<'a> Finder<'_, '_, 'a> {
    fn find(&mut self, node: &'a Node) -> Result<(), Error> {
        if let Node::Shared(shared) = node {
            let mut readers = Vec::new();
            for tile in &shared.tiles {
                let array = self.interpreter.array_position(&tile.array)?;
                let mut of_tile: BTreeMap<StatementId, Vec<usize>> = BTreeMap::new();
                for (statement, subscripts) in &tile.reads {
                    let accesses = self.accesses(array, *statement, subscripts)?;
                    of_tile.entry(*statement).or_default().extend(accesses);
                }
                readers.push(of_tile);
            }
            self.sites.push(Site { shared, readers });
        }
        node.children().try_for_each(|child| self.find(child))
    }

    /// The reads of a statement that have these subscripts in all of its instances. An emitter compares subscripts as
    /// expressions: that two reads meet in some instance does not make them one.
    fn accesses(&mut self, array: usize, statement: StatementId, subscripts: &'a [Expr]) -> Result<Vec<usize>, Error> {
        if let Some(known) = self.known.get(&(array, statement, subscripts)) {
            return Ok(known.clone());
        }
        let mut found: Option<Vec<usize>> = None;
        let mut values = Values { parameters: self.parameters.to_vec(), iterators: Vec::new() };
        for instance in self.interpreter.instances.iter().filter(|instance| instance.statement == statement) {
            values.iterators = instance.vector.iter().map(|&value| Some(i128::from(value))).collect();
            let index = subscripts.iter().map(|e| values.expr(e)).collect::<Result<Vec<_>, _>>()?;
            let same = |access: &usize| {
                let Some(touch) = instance.touches.get(*access) else { return false };
                let [element] = touch.elements[..] else { return false };
                let element = &self.interpreter.elements[element];
                let is_there = element.index.iter().map(|&i| i128::from(i)).eq(index.iter().copied());
                touch.kind == AccessKind::Read && element.array == array && is_there
            };
            let candidates = found.take().unwrap_or_else(|| (0..instance.touches.len()).collect());
            found = Some(candidates.into_iter().filter(same).collect());
        }
        let found = found.unwrap_or_default();
        self.known.insert((array, statement, subscripts), found.clone());
        Ok(found)
    }
}
