//! A footprint that a loop holds, and which accesses are seen to be to it.
//!
//! An emitter compares expressions, of which there are none here: so a subscript has a form if its values have it
//! whenever the call is executed, also outside of the footprint.

use super::evaluate::Values;
use super::fault::ThreadId;
use super::trace::{ElementId, HoldId};
use crate::ast::{Call, IteratorId, Promoted};
use std::collections::{BTreeMap, BTreeSet};

/// A footprint while the loop runs that holds it.
#[derive(Debug)]
pub(super) struct OpenHold<'a> {
    pub id: HoldId,
    pub promoted: &'a Promoted,
    /// The position of the array.
    pub array: usize,
    /// The first element.
    pub origin: Vec<i128>,
}

/// What an execution of a loop holds.
#[derive(Debug)]
pub(super) struct Hold {
    pub thread: Option<ThreadId>,
    pub elements: BTreeSet<ElementId>,
    /// Elements beyond its limits: the buffer has room for them, and nothing of them.
    pub beyond: BTreeSet<ElementId>,
    /// Those of them that nothing is known to write.
    pub unwritten: BTreeSet<ElementId>,
}

/// Which number along a side of a footprint a subscript may stand for.
#[derive(Debug, Clone, Copy)]
enum Number {
    Zero,
    Iterator(IteratorId),
}

/// For each side of a footprint the numbers that the subscripts of an access have been so far, whenever it was made.
#[derive(Debug)]
struct Form(Vec<Vec<Number>>);

impl Form {
    /// Anything that an emitter sees, inside of these loops from zero.
    fn new(promoted: &Promoted, from_zero: &[(IteratorId, i64)]) -> Self {
        let side = |extent: &i64| {
            let iterators = from_zero.iter().filter(|(_, count)| count == extent);
            let zero = (*extent == 1).then_some(Number::Zero);
            zero.into_iter().chain(iterators.map(|(iterator, _)| Number::Iterator(*iterator))).collect()
        };
        Form(promoted.extent.iter().map(side).collect())
    }

    /// Leaves what fits the subscripts of one more time; nothing where it is not one element that is accessed.
    fn narrow(&mut self, index: Option<&[i64]>, open: &OpenHold<'_>, values: &Values) {
        for (dimension, numbers) in self.0.iter_mut().enumerate() {
            let distance = index.and_then(|index| index.get(dimension).copied());
            let distance = distance.zip(open.origin.get(dimension)).map(|(at, origin)| i128::from(at) - origin);
            let stride = open.promoted.stride.get(dimension).copied().map(i128::from);
            numbers.retain(|number| {
                let value = match number {
                    Number::Zero => Some(0),
                    Number::Iterator(iterator) => values.iterators.get(iterator.0).copied().flatten(),
                };
                value.zip(stride).zip(distance).is_some_and(|((n, stride), d)| n.checked_mul(stride) == Some(d))
            });
        }
    }

    fn is_seen(&self) -> bool {
        self.0.iter().all(|numbers| !numbers.is_empty())
    }
}

/// The forms of all accesses in loops that hold elements.
#[derive(Debug, Default)]
pub(super) struct Forms {
    all: Vec<Form>,
    /// By the addresses of the call and of the footprint in the AST, and the position of the access. Nothing depends on
    /// their order.
    known: BTreeMap<(usize, usize, usize), usize>,
}

impl Forms {
    /// Notes what an access of a call is in an execution, given the loops from zero around it and its subscripts, if it
    /// accesses one element. Gives the number of its form.
    pub fn note(
        &mut self,
        (call, access): (&Call, usize),
        open: &OpenHold<'_>,
        from_zero: &[(IteratorId, i64)],
        index: Option<&[i64]>,
        values: &Values,
    ) -> usize {
        let key = (std::ptr::from_ref(call).addr(), std::ptr::from_ref(open.promoted).addr(), access);
        let number = *self.known.entry(key).or_insert_with(|| {
            self.all.push(Form::new(open.promoted, from_zero));
            self.all.len() - 1
        });
        self.all[number].narrow(index, open, values);
        number
    }

    /// All accesses of a form are seen to be to the footprint.
    pub fn is_seen(&self, form: usize) -> bool {
        self.all.get(form).is_some_and(Form::is_seen)
    }
}
