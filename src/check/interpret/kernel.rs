//! The run of a kernel: its blocks are in no order, and their threads go from barrier to barrier.

use super::Error;
use super::ast::{Running, Walk};
use super::fault::{Fault, ThreadId};
use super::trace::{Barrier, Block, Step, Thread};
use crate::ast::{Axis, Kernel};

impl<'a> Walk<'_, '_, 'a> {
    /// All threads of all blocks.
    ///
    /// # Errors
    /// As of [`super::Interpreter::ast`].
    pub fn kernel(&mut self, kernel: &'a Kernel) -> Result<Step, Error> {
        if self.running.is_some() {
            return Err(Error::Malformed("a kernel in a kernel".to_owned()));
        }
        if !self.holding.is_empty() {
            return Err(Error::Malformed("a kernel in a loop that holds elements".to_owned()));
        }
        let is_once = kernel.copies_once();
        let (grid, threads) = (self.points(&kernel.blocks)?, self.points(&kernel.threads)?);
        let mut blocks = Vec::new();
        for block in &grid {
            self.bind(&kernel.blocks, block)?;
            let mut all = Vec::new();
            for (number, thread) in threads.iter().enumerate() {
                self.interpreter.budget.take(1)?;
                self.bind(&kernel.threads, thread)?;
                let id = ThreadId { block: block.clone(), thread: thread.clone() };
                let number = (number, threads.len());
                self.running = Some(Running { id: id.clone(), number, is_once });
                let body = self.node(&kernel.body)?;
                all.push(Thread::of(id, body)?);
            }
            self.running = None;
            self.check_barriers(&all);
            blocks.push(Block { threads: all });
        }
        for axis in kernel.axes() {
            *self.slot(axis.iterator.0)? = None;
        }
        Ok(Step::Kernel(blocks))
    }

    /// The numbers of all blocks, or of all threads of a block, x fastest.
    fn points(&self, axes: &[Axis]) -> Result<Vec<Vec<i128>>, Error> {
        let mut points = vec![Vec::new()];
        for axis in axes {
            let known = axis.extent.iter().map(|bound| self.values.expr(bound)).collect::<Result<Vec<_>, _>>()?;
            let all = known.into_iter().max().into_iter().chain(axis.most.map(i128::from)).min();
            let all = all.ok_or_else(|| Error::Malformed("a kernel of no known size".to_owned()))?;
            let mut longer = Vec::new();
            for point in points {
                for number in 0..all {
                    self.interpreter.budget.take(1)?;
                    longer.push([&point[..], &[number]].concat());
                }
            }
            points = longer;
        }
        Ok(points)
    }

    fn bind(&mut self, axes: &[Axis], numbers: &[i128]) -> Result<(), Error> {
        for (axis, number) in axes.iter().zip(numbers) {
            *self.slot(axis.iterator.0)? = Some(*number);
        }
        Ok(())
    }

    /// Threads of a block wait for all others, so they have to come to the same barriers.
    fn check_barriers(&mut self, threads: &[Thread]) {
        let Some((first, others)) = threads.split_first() else { return };
        for other in others {
            let longest = first.barriers.len().max(other.barriers.len());
            let Some(at) = (0..longest).find(|&at| first.barriers.get(at) != other.barriers.get(at)) else { continue };
            let (waiting, other) = if first.barriers.get(at).is_some() { (first, other) } else { (other, first) };
            let Some(&barrier) = waiting.barriers.get(at) else { continue };
            let place = match other.barriers.get(at) {
                Some(&barrier) => format!("at {}", self.barrier_name(barrier)),
                None => format!("has ended, after {at} barriers"),
            };
            let barrier_name = self.barrier_name(barrier);
            self.faults.add(("divergence", barrier.site, [None; 2]), || Fault::Divergence {
                waiting: (waiting.id.clone(), barrier_name),
                other: (other.id.clone(), place),
            });
        }
    }

    fn barrier_name(&self, barrier: Barrier) -> String {
        let side = if barrier.is_behind { "behind" } else { "before" };
        let arrays = self.sites.get(barrier.site).map(|site| site.arrays()).unwrap_or_default();
        format!("the barrier {side} the copy of {arrays}")
    }
}

impl Thread {
    /// A thread by what it does.
    ///
    /// # Errors
    /// When it has a barrier where its own steps are in no order.
    fn of(id: ThreadId, body: Step) -> Result<Thread, Error> {
        let mut thread = Thread { id, phases: vec![Vec::new()], barriers: Vec::new() };
        thread.append(body)?;
        Ok(thread)
    }

    fn append(&mut self, step: Step) -> Result<(), Error> {
        match step {
            Step::Sequence(children) => return children.into_iter().try_for_each(|child| self.append(child)),
            Step::Barrier(barrier) => {
                self.barriers.push(barrier);
                self.phases.push(Vec::new());
            }
            Step::Unordered { children, .. } if children.iter().any(has_barrier) => {
                return Err(Error::Malformed("a barrier in a loop whose iterations run in any order".to_owned()));
            }
            step => {
                if let Some(phase) = self.phases.last_mut() {
                    phase.push(step);
                }
            }
        }
        Ok(())
    }
}

fn has_barrier(step: &Step) -> bool {
    match step {
        Step::Barrier(_) => true,
        Step::Sequence(children) | Step::Unordered { children, .. } => children.iter().any(has_barrier),
        Step::Instance(..) | Step::Copy(_) | Step::Held(_) | Step::Kernel(_) => false,
    }
}
