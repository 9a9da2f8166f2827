//! Copies of tiles.
//!
//! In a kernel they go to shared memory. Each thread of the block copies every so many elements of a tile, as an emitter
//! does. Where it starts, and which elements there are, is what the code says in that thread: that it should be the same in all of them is not taken for
//! granted. Outside of kernels whoever comes to a copy has a buffer of its own for it.

use super::Error;
use super::ast::Walk;
use super::evaluate::overflow;
use super::fault::{Accessor, Agent, Fault};
use super::tiles::OpenTile;
use super::trace::{Barrier, Copied, Step};
use crate::ast::{Shared, SharedTile};

impl<'a> Walk<'_, '_, 'a> {
    /// The share of the thread at hand in the copies, and what it does behind them.
    ///
    /// # Errors
    /// As of [`super::Interpreter::ast`].
    pub fn shared(&mut self, shared: &'a Shared) -> Result<Step, Error> {
        let site = self.sites.iter().position(|site| std::ptr::eq(site.shared, shared));
        let site = site.ok_or_else(|| Error::Malformed("a copy that is not of the AST".to_owned()))?;
        let Some(running) = &self.running else { return self.packed(shared, site) };
        if !self.open.is_empty() {
            return Err(Error::Malformed("a copy to shared memory inside of another one".to_owned()));
        }
        let mut steps = Vec::new();
        if !running.is_once {
            steps.push(Step::Barrier(Barrier { site, is_behind: false }));
        }
        let mut tiles = Vec::new();
        for tile in &shared.tiles {
            tiles.push(self.copy(tile, tile.buffer, &mut steps)?);
        }
        steps.push(Step::Barrier(Barrier { site, is_behind: true }));
        self.reading(shared, (site, tiles), steps)
    }

    /// Tiles that are packed outside of kernels, and what reads from them.
    fn packed(&mut self, shared: &'a Shared, site: usize) -> Result<Step, Error> {
        let (mut steps, mut tiles) = (Vec::new(), Vec::new());
        for tile in &shared.tiles {
            // No other execution of the copy has this buffer.
            self.packed += 1;
            tiles.push(self.copy(tile, self.packed, &mut steps)?);
        }
        self.reading(shared, (site, tiles), steps)
    }

    /// The steps of copies, and of what reads from these.
    fn reading(
        &mut self,
        shared: &'a Shared,
        tiles: (usize, Vec<OpenTile<'a>>),
        mut steps: Vec<Step>,
    ) -> Result<Step, Error> {
        self.open.push(tiles);
        let body = self.node(&shared.body);
        self.open.pop();
        steps.push(body?);
        Ok(Step::Sequence(steps))
    }

    /// The share of the thread at hand in the copy of a tile to a buffer; all of it outside of kernels.
    fn copy(&mut self, tile: &'a SharedTile, buffer: usize, steps: &mut Vec<Step>) -> Result<OpenTile<'a>, Error> {
        let origin = tile.origin.iter().map(|side| self.values.expr(side)).collect::<Result<Vec<_>, _>>()?;
        let sizes = [tile.extent.len(), tile.element.len(), tile.order.len()];
        let is_permutation = (0..origin.len()).all(|dimension| tile.order.contains(&dimension));
        if sizes != [origin.len(); 3] || !is_permutation {
            return Err(Error::Malformed(format!("a tile of `{}` has sides of different number", tile.array)));
        }
        let open = OpenTile { buffer, origin, extent: &tile.extent, order: &tile.order };
        let (number, count) = self.running.as_ref().map_or((0, 1), |running| running.number);
        let array = self.interpreter.array_position(&tile.array)?;
        let sides = tile.extent.iter().map(|&side| usize::try_from(side).ok());
        let sides: Vec<usize> = sides.collect::<Option<_>>().ok_or_else(|| overflow(&tile.extent))?;
        let all = sides.iter().try_fold(1_usize, |all, &side| all.checked_mul(side));
        for offset in (number..all.ok_or_else(|| overflow(&tile.extent))?).step_by(count) {
            self.interpreter.budget.take(1)?;
            let index = self.at(tile, &open.origin, &sides, offset)?;
            if !self.values.cond(&tile.exists)? {
                continue;
            }
            match self.interpreter.element(array, &index) {
                Some(element) => {
                    self.check_copy(element, Agent::SharedCopy);
                    let outside = || Error::Malformed(format!("an element outside of a tile of `{}`", tile.array));
                    let cell = open.cell(&index).ok_or_else(outside)?;
                    steps.push(Step::Copy(Copied { element, cell }));
                }
                None => self.out_of_bounds(array, &index),
            }
        }
        for element in &tile.element {
            *self.slot(element.0)? = None;
        }
        Ok(open)
    }

    /// The subscripts of an element by its number in a tile, which the iterators of the tile stand for from here on.
    fn at(&mut self, tile: &SharedTile, origin: &[i128], sides: &[usize], offset: usize) -> Result<Vec<i64>, Error> {
        let (mut index, mut rest) = (vec![0; sides.len()], offset);
        for (position, side) in sides.iter().enumerate().rev() {
            let local = i128::try_from(rest % side).map_err(|_| overflow(&offset))?;
            let value = origin[position].checked_add(local).ok_or_else(|| overflow(&tile.origin))?;
            index[position] = i64::try_from(value).map_err(|_| overflow(&tile.origin))?;
            *self.slot(tile.element[position].0)? = Some(value);
            rest /= side;
        }
        Ok(index)
    }

    fn out_of_bounds(&mut self, array: usize, index: &[i64]) {
        let element = format!("{}{index:?}", self.interpreter.scop.arrays[array].name);
        let thread = self.running.as_ref().map(|running| running.id.clone());
        let copier = Accessor { agent: Agent::SharedCopy, thread };
        self.faults.add(("bounds", array, [None; 2]), || Fault::OutOfBounds { element, copier });
    }
}
