//! What loops hold in buffers of their own ([`Promoted`]).
//!
//! Each execution of such a loop (in a kernel: by each thread) has its buffer, which gets the elements before the first
//! iteration and gives them back behind the last one. In between an access goes to the buffer where an emitter can see
//! that it is to the footprint: in each dimension its subscript is the first element's, plus the stride times the
//! iterator of a loop from zero to the extent (`footprint`). An access of another form is to memory, and a fault where
//! it meets an element that is held: the buffer may have a newer value. So is one of this form beyond the footprint's
//! limits, which goes to the buffer, where nothing was copied.

use super::Error;
use super::ast::Walk;
use super::evaluate::overflow;
use super::fault::{Accessor, Agent, Fault, ThreadId};
use super::footprint::{Hold, OpenHold};
use super::trace::{ElementId, HeldCopy, InstanceId, Place, Redirect, Step};
use crate::ast::{Call, For, Promoted};
use crate::scop::AccessKind;
use std::collections::BTreeSet;

impl<'a> Walk<'_, '_, 'a> {
    /// Lets a loop hold what it says, if it `runs`. Gives how many footprints were held before.
    ///
    /// # Errors
    /// As of [`super::Interpreter::ast`].
    pub fn hold(&mut self, f: &'a For, runs: bool) -> Result<usize, Error> {
        let first = self.holding.len();
        for name in f.parallel.iter().flat_map(|parallel| &parallel.private) {
            if self.holding.iter().any(|open| open.promoted.array == *name) {
                return Err(Error::Malformed(format!("a loop has copies of `{name}`, which one around it holds")));
            }
        }
        if f.parallel.is_some() && !f.promoted.is_empty() {
            return Err(Error::Malformed("a parallel loop holds elements".to_owned()));
        }
        for promoted in &f.promoted {
            let array = self.interpreter.array_position(&promoted.array)?;
            if runs {
                self.open_hold(promoted, array)?;
            } else {
                let fault = Fault::HeldByNone { array: promoted.array.clone(), thread: self.thread() };
                self.faults.add(("held by none", array, [None; 2]), || fault);
            }
        }
        Ok(first)
    }

    /// The steps of a loop with the copies around them, once it has run; `first` is what `hold` gave.
    pub fn release(&mut self, first: usize, step: Step) -> Step {
        let released = self.holding.split_off(first);
        if released.is_empty() {
            return step;
        }
        let copies = |is_back: bool| {
            let all = released.iter().flat_map(|open| self.holds[open.id].elements.iter().map(|&e| (open.id, e)));
            all.map(move |(hold, element)| Step::Held(HeldCopy { hold, element, is_back }))
        };
        Step::Sequence(copies(false).chain([step]).chain(copies(true)).collect())
    }

    fn open_hold(&mut self, promoted: &'a Promoted, array: usize) -> Result<(), Error> {
        let Promoted { origin, extent, stride, limit, numbers, .. } = promoted;
        let is_box = [extent.len(), stride.len(), limit.len(), numbers.len()].iter().all(|rank| *rank == origin.len());
        if !is_box || extent.iter().any(|side| *side < 1) || stride.contains(&0) {
            return Err(Error::Malformed(format!("what is held of `{}` is no box", promoted.array)));
        }
        let origin = origin.iter().map(|side| self.values.expr(side)).collect::<Result<Vec<_>, _>>()?;
        let (mut elements, mut beyond) = (BTreeSet::new(), BTreeSet::new());
        for index in self.box_of(promoted, &origin)? {
            let mut exists = true;
            for (dimension, at) in index.iter().enumerate() {
                // A limit speaks of dimensions before only.
                if let Some(limit) = &limit[dimension] {
                    exists &= i128::from(*at) < self.values.expr(limit)?;
                }
                let number = (i128::from(*at) - origin[dimension]) / i128::from(stride[dimension]);
                *self.slot(numbers[dimension].0)? = Some(number);
            }
            for number in numbers {
                *self.slot(number.0)? = None;
            }
            match self.interpreter.element(array, &index) {
                element if !exists => beyond.extend(element),
                Some(element) => {
                    self.check_copy(element, Agent::CopyIn);
                    elements.insert(element);
                }
                None => {
                    let element = format!("{}{index:?}", promoted.array);
                    let copier = Accessor { agent: Agent::CopyIn, thread: self.thread() };
                    self.faults.add(("held bounds", array, [None; 2]), || Fault::OutOfBounds { element, copier });
                }
            }
        }
        let id = self.holds.len();
        self.holds.push(Hold { thread: self.thread(), unwritten: elements.clone(), elements, beyond });
        self.holding.push(OpenHold { id, promoted, array, origin });
        Ok(())
    }

    /// The subscripts of all elements of a footprint.
    fn box_of(&self, promoted: &Promoted, origin: &[i128]) -> Result<Vec<Vec<i64>>, Error> {
        let mut all = vec![Vec::new()];
        for ((origin, extent), stride) in origin.iter().zip(&promoted.extent).zip(&promoted.stride) {
            let mut longer = Vec::new();
            for index in all {
                for number in 0..*extent {
                    self.interpreter.budget.take(1)?;
                    let at = i128::from(number).checked_mul(i128::from(*stride)).and_then(|d| origin.checked_add(d));
                    let at = at.and_then(|at| i64::try_from(at).ok()).ok_or_else(|| overflow(&promoted.origin))?;
                    longer.push([&index[..], &[at]].concat());
                }
            }
            all = longer;
        }
        Ok(all)
    }

    /// Something is copied from memory: an element that is held may have another value there.
    pub fn check_copy(&mut self, element: ElementId, agent: Agent) {
        if !self.holding.iter().any(|open| self.holds[open.id].elements.contains(&element)) {
            return;
        }
        let accessor = Accessor { agent, thread: self.thread() };
        let place = ("held elsewhere", self.interpreter.elements[element].array, [None; 2]);
        let element = self.interpreter.element_name(element);
        self.faults.add(place, || Fault::HeldElsewhere { element, accessor });
    }

    /// Adds the accesses of an instance to what loops around hold, as far as that is known so far.
    pub fn redirect(&mut self, call: &Call, id: InstanceId, redirects: &mut Vec<Redirect>) {
        if self.holding.is_empty() {
            return;
        }
        let interpreter = self.interpreter;
        for (access, touch) in interpreter.instances[id].touches.iter().enumerate() {
            // A kill is no code, and what is read from a tile is not accessed in memory.
            let is_other = touch.kind == AccessKind::Kill || redirects.iter().any(|known| known.access == access);
            let Some(&first) = touch.elements.first().filter(|_| !is_other) else { continue };
            let element = &interpreter.elements[first];
            let index = (touch.elements.len() == 1).then_some(&element.index[..]);
            let mut held = None;
            for open in self.holding.iter().rev().filter(|open| open.array == element.array) {
                let form = self.forms.note((call, access), open, &self.from_zero, index, &self.values);
                let Hold { elements, beyond, .. } = &self.holds[open.id];
                let is_in_box = |element: &ElementId| elements.contains(element) || beyond.contains(element);
                if held.is_none() && touch.elements.iter().any(is_in_box) {
                    held = Some(Redirect { access, to: Place::Buffer { hold: open.id, form } });
                }
            }
            redirects.extend(held);
        }
    }

    /// Ends the run of the code: only now it is known which accesses go to buffers, and what of these is written.
    pub fn settle_holds(&mut self, root: &mut Step) {
        if self.holds.is_empty() {
            return;
        }
        self.settle(root);
        for hold in &self.holds {
            let Some(&element) = hold.unwritten.first() else { continue };
            let interpreter = self.interpreter;
            let place = ("not written", interpreter.elements[element].array, [None; 2]);
            self.faults.add(place, || {
                let copier = Accessor { agent: Agent::CopyBack, thread: hold.thread.clone() };
                Fault::NotWritten { element: interpreter.element_name(element), copier }
            });
        }
    }

    fn settle(&mut self, step: &mut Step) {
        match step {
            Step::Sequence(children) | Step::Unordered { children, .. } => {
                children.iter_mut().for_each(|child| self.settle(child));
            }
            Step::Kernel(blocks) => {
                let threads = blocks.iter_mut().flat_map(|block| &mut block.threads);
                threads.flat_map(|thread| thread.phases.iter_mut().flatten()).for_each(|step| self.settle(step));
            }
            Step::Instance(id, redirects) => redirects.retain(|redirect| self.settle_access(*id, *redirect)),
            Step::Copy(_) | Step::Held(_) | Step::Barrier(_) => {}
        }
    }

    /// An access does go where it seemed to.
    fn settle_access(&mut self, id: InstanceId, redirect: Redirect) -> bool {
        let Place::Buffer { hold, form } = redirect.to else { return true };
        let interpreter = self.interpreter;
        let instance = &interpreter.instances[id];
        let touch = &instance.touches[redirect.access];
        let hold = &mut self.holds[hold];
        if self.forms.is_seen(form) {
            if let Some(&element) = touch.elements.iter().find(|element| hold.beyond.contains(element)) {
                let place = ("not held", interpreter.elements[element].array, [Some(instance.statement), None]);
                self.faults.add(place, || {
                    let agent = Agent::Instance(interpreter.name(id));
                    let accessor = Accessor { agent, thread: hold.thread.clone() };
                    Fault::NotHeld { element: interpreter.element_name(element), accessor }
                });
            }
            if touch.kind == AccessKind::MustWrite {
                for element in &touch.elements {
                    hold.unwritten.remove(element);
                }
            }
            return true;
        }
        if let Some(&element) = touch.elements.iter().find(|element| hold.elements.contains(element)) {
            let place = ("held elsewhere", interpreter.elements[element].array, [Some(instance.statement), None]);
            self.faults.add(place, || {
                let accessor = Accessor { agent: Agent::Instance(interpreter.name(id)), thread: hold.thread.clone() };
                Fault::HeldElsewhere { element: interpreter.element_name(element), accessor }
            });
        }
        false
    }

    /// The thread at hand, in a kernel.
    fn thread(&self) -> Option<ThreadId> {
        self.running.as_ref().map(|running| running.id.clone())
    }
}
