//! Loops that Fortran writes as operations on sections of arrays.

use super::notation::{Affine, Element, Loop, Statement, Target};

/// Nested loops that are sections, and what is done with them.
pub struct Sections<'k> {
    /// From the outside.
    loops: Vec<&'k Loop>,
    /// Assignments to elements, each a section of as many dimensions as there are loops.
    pub body: &'k [Statement],
}

impl<'k> Sections<'k> {
    /// The sections in the place of a loop; none where iterations depend on each other, there are scalars or loops beside
    /// others, or what is read has another shape than what is written.
    pub fn of(outer: &'k Loop) -> Option<Self> {
        let mut loops = vec![outer];
        let mut body = &outer.body[..];
        while let [Statement::Loop(inner)] = body {
            let depends = |bound: &Affine| loops.iter().any(|around| bound.factor(&around.counter) != 0);
            if depends(&inner.low) || depends(&inner.high) {
                return None;
            }
            loops.push(inner);
            body = &inner.body;
        }
        let sections = Self { loops, body };
        let are_parallel = sections.loops.iter().all(|one| one.parallel);
        (are_parallel && body.iter().all(|statement| sections.holds(statement))).then_some(sections)
    }

    fn holds(&self, statement: &Statement) -> bool {
        let Statement::Assign(Target::Element(target), _, value) = statement else { return false };
        let Some(shape) = self.shape(target).filter(|shape| shape.len() == self.loops.len()) else { return false };
        let mut good = true;
        value.elements(&mut |element| good &= self.shape(element).is_some_and(|own| own.is_empty() || own == shape));
        good
    }

    /// The loops that the subscripts of an element follow; none where one follows several, or skips some.
    fn shape(&self, element: &Element) -> Option<Vec<usize>> {
        let mut shape = Vec::new();
        for subscript in &element.subscripts {
            let is_used = |at: &usize| subscript.factor(&self.loops[*at].counter) != 0;
            let used: Vec<usize> = (0..self.loops.len()).filter(is_used).collect();
            match used[..] {
                [] => {}
                [at] if subscript.factor(&self.loops[at].counter) == 1 && !shape.contains(&at) => shape.push(at),
                _ => return None,
            }
        }
        Some(shape)
    }

    /// The first value of a subscript, and the one behind the last; none where no loop counts there.
    pub fn range(&self, subscript: &Affine) -> Option<(Affine, Affine)> {
        let one = self.loops.iter().find(|one| subscript.factor(&one.counter) != 0)?;
        Some((subscript.replaced(&one.counter, &one.low), subscript.replaced(&one.counter, &one.high)))
    }
}
