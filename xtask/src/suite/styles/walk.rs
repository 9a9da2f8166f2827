//! Innermost loops that go over pointers or iterators in place of subscripts.

use super::c::Printer;
use super::notation::{Affine, Element, Kernel, Loop, Statement};

/// A pointer that goes over elements of an array.
pub struct Pointer {
    /// Its name.
    pub name: String,
    /// The element where it starts; what the loop's elements differ by is left out of the subscript.
    start: Element,
    /// The subscript that counts.
    position: usize,
    /// Where it ends.
    end: Element,
}

/// What a loop goes over.
pub struct Walk<'k> {
    kernel: &'k Kernel,
    /// Of these, the first one says when the loop ends.
    pub pointers: Vec<Pointer>,
    /// Each element with its pointer, and how far it is from there, in steps.
    elements: Vec<(Element, usize, i64)>,
}

impl<'k> Walk<'k> {
    /// What a loop goes over, with pointers named from `first`; none where it has loops inside, or elements that are no
    /// walk with steps of one subscript, or no neighbours in memory to walk over.
    pub fn of(kernel: &'k Kernel, inner: &Loop, first: usize) -> Option<Self> {
        if inner.body.iter().any(|statement| matches!(statement, Statement::Loop(_))) {
            return None;
        }
        let mut walk = Self { kernel, pointers: Vec::new(), elements: Vec::new() };
        let mut all = Vec::new();
        inner.body.iter().for_each(|statement| statement.elements(&mut |element, _| all.push(element)));
        let mut found: Vec<(Element, usize, i64)> = Vec::new();
        for element in all {
            let of_counter = |subscript: &Affine| subscript.factor(&inner.counter);
            let Some(position) = element.subscripts.iter().position(|subscript| of_counter(subscript) != 0) else {
                continue;
            };
            let sum: i64 = element.subscripts.iter().map(|subscript| of_counter(subscript).abs()).sum();
            if sum != 1 || of_counter(&element.subscripts[position]) != 1 {
                return None;
            }
            let mut line = element.clone();
            let distance = std::mem::take(&mut line.subscripts[position].constant);
            if !walk.elements.iter().any(|(other, ..)| other == element) {
                walk.elements.push((element.clone(), 0, distance));
                found.push((line, position, distance));
            }
        }
        let is_near = |(line, position, _): &(Element, usize, i64)| position + 1 == line.subscripts.len();
        let leader = found.iter().position(is_near)?;
        let mut lines: Vec<(Element, usize)> = vec![(found[leader].0.clone(), found[leader].1)];
        for (index, (line, position, _)) in found.into_iter().enumerate() {
            let at = lines.iter().position(|(other, _)| *other == line).unwrap_or_else(|| {
                lines.push((line, position));
                lines.len() - 1
            });
            walk.elements[index].1 = at;
        }
        let place = |line: &Element, position: usize, counter: &Affine| {
            let mut element = line.clone();
            element.subscripts[position] = line.subscripts[position].replaced(&inner.counter, counter);
            element
        };
        let pointers = lines.into_iter().enumerate().map(|(index, (line, position))| Pointer {
            name: format!("p{}", first + index),
            start: place(&line, position, &inner.low),
            end: place(&line, position, &inner.high),
            position,
        });
        walk.pointers = pointers.collect();
        Some(walk)
    }

    /// What stands above the loop, and its head.
    pub fn heads(&self, printer: &Printer<'_>, is_vector: bool) -> Vec<String> {
        let address = |element: &Element| {
            let place = printer.place(self.kernel.array(&element.array), &element.subscripts);
            match is_vector {
                true if place.contains(' ') => format!("{}.begin() + ({place})", element.array),
                true => format!("{}.begin() + {place}", element.array),
                false => format!("&{}[{place}]", element.array),
            }
        };
        let kind = |element: &Element| match is_vector {
            true => "auto ".to_owned(),
            false => format!("{} *", printer.type_of(&element.array)),
        };
        let mut lines: Vec<String> = Vec::new();
        for pointer in &self.pointers {
            lines.push(format!("{}{} = {};", kind(&pointer.start), pointer.name, address(&pointer.start)));
        }
        let leader = &self.pointers[0];
        let end = format!("{}_end", leader.name);
        lines.push(format!("{}{end} = {};", kind(&leader.end), address(&leader.end)));
        let steps: Vec<String> = self.pointers.iter().map(|pointer| self.step(printer, pointer)).collect();
        lines.push(format!("for (; {} != {end}; {}) {{", leader.name, steps.join(", ")));
        lines
    }

    /// The distance of neighbours in the subscript that counts, as a product; empty for 1.
    fn stride(&self, printer: &Printer<'_>, pointer: &Pointer) -> String {
        let array = self.kernel.array(&pointer.start.array);
        let extents = array.extents[pointer.position + 1..].iter();
        let factor = |extent: &Affine| match extent.is_atom() {
            true => printer.index(extent),
            false => format!("({})", printer.index(extent)),
        };
        extents.map(factor).collect::<Vec<_>>().join(" * ")
    }

    fn step(&self, printer: &Printer<'_>, pointer: &Pointer) -> String {
        match self.stride(printer, pointer) {
            stride if stride.is_empty() => format!("++{}", pointer.name),
            stride => format!("{} += {stride}", pointer.name),
        }
    }

    /// What each element is in the loop.
    pub fn elements(&self, printer: &Printer<'_>) -> Vec<(Element, String)> {
        let spell = |(element, pointer, distance): &(Element, usize, i64)| {
            let pointer = &self.pointers[*pointer];
            let text = match (self.stride(printer, pointer), *distance) {
                (_, 0) => format!("*{}", pointer.name),
                (stride, distance) if stride.is_empty() => format!("{}[{distance}]", pointer.name),
                (stride, distance) => format!("{}[{distance} * {stride}]", pointer.name),
            };
            (element.clone(), text)
        };
        self.elements.iter().map(spell).collect()
    }
}
