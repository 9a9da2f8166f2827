//! Loops in the styles of Fortran. Counters and subscripts begin with 1 there, and subscripts stand in the opposite
//! order, so that neighbours in memory are the same as in C.

use super::forms::Shape;
use super::notation::{Affine, Array, Element, Expression, Kernel, Loop, Order, Statement, Target, Type};
use super::sections::Sections;
use std::fmt::Write;

/// Lines go on in the next one from here.
const WIDTH: usize = 100;

/// A subroutine in one of the styles.
pub struct Printer<'k> {
    kernel: &'k Kernel,
    shape: Shape,
    text: String,
    depth: usize,
    /// Sections or `do concurrent` are used.
    is_other: bool,
}

/// The file of a kernel's order, with the module `styles`; none where the style has nothing to say about it.
pub fn source(kernel: &Kernel, order: &Order, shape: Shape) -> Option<String> {
    let is_other = !matches!(shape, Shape::Sections | Shape::Concurrent);
    let mut printer = Printer { kernel, shape, text: String::new(), depth: 0, is_other };
    printer.line("module styles");
    printer.line("  implicit none");
    printer.depth = 1;
    match shape {
        Shape::Module => kernel.arrays.iter().for_each(|array| printer.line(&allocatable(array))),
        Shape::Component => {
            printer.line("type problem");
            kernel.arrays.iter().for_each(|array| printer.line(&format!("  {}", allocatable(array))));
            printer.line("end type");
        }
        _ => {}
    }
    printer.text += "contains\n";
    printer.head(order);
    order.body.iter().for_each(|statement| printer.statement(statement, None));
    printer.depth = 1;
    printer.line("end subroutine");
    printer.text += "end module\n";
    printer.is_other.then_some(printer.text)
}

/// The type of elements and scalars.
pub fn element_type(element: Type) -> &'static str {
    match element {
        Type::Double => "real(8)",
        Type::Int => "integer",
        Type::Byte => "integer(1)",
        Type::Complex => "complex(8)",
    }
}

/// The declaration of an array that has its extents later.
pub fn allocatable(array: &Array) -> String {
    let colons = vec![":"; array.extents.len()].join(", ");
    format!("{}, allocatable :: {}({colons})", element_type(array.element), array.name)
}

/// The extents of an array.
pub fn extents(array: &Array) -> Vec<String> {
    array.extents.iter().rev().map(|extent| extent.print(&str::to_owned)).collect()
}

/// The arguments of the subroutine.
pub fn arguments(kernel: &Kernel, shape: Shape, leading: &dyn Fn(&Array) -> String) -> Vec<String> {
    let mut all: Vec<String> = kernel.sizes.iter().map(|size| size.name.clone()).collect();
    all.extend(kernel.values.iter().map(|value| value.name.clone()));
    match shape {
        Shape::Module => {}
        Shape::Component => all.push("self".to_owned()),
        _ => {
            for array in &kernel.arrays {
                all.push(array.name.clone());
                if shape == Shape::Leading && array.extents.len() > 1 {
                    all.push(leading(array));
                }
            }
        }
    }
    all
}

/// A line in pieces that are not too long.
pub fn broken(indent: usize, line: &str) -> String {
    let (mut text, mut rest, mut indent) = (String::new(), line, " ".repeat(2 * indent));
    while rest.len() > WIDTH {
        let Some(end) = rest[..WIDTH].rfind(' ') else { break };
        let _ = writeln!(text, "{indent}{} &", &rest[..end]);
        rest = &rest[end + 1..];
        indent += "  ";
    }
    let _ = writeln!(text, "{indent}{rest}");
    text
}

impl Printer<'_> {
    fn line(&mut self, line: &str) {
        self.text += &broken(self.depth, line);
    }

    fn head(&mut self, order: &Order) {
        let leading = |array: &Array| format!("ld{}", array.name);
        let (kernel, shape) = (self.kernel, self.shape);
        self.line(&format!("subroutine kernel({})", arguments(kernel, shape, &leading).join(", ")));
        self.depth = 2;
        let mut sizes: Vec<String> = kernel.sizes.iter().map(|size| size.name.clone()).collect();
        if shape == Shape::Leading {
            sizes.extend(kernel.arrays.iter().filter(|array| array.extents.len() > 1).map(leading));
        }
        self.line(&format!("integer, intent(in) :: {}", sizes.join(", ")));
        for value in &kernel.values {
            self.line(&format!("{}, intent(in) :: {}", element_type(value.element), value.name));
        }
        match shape {
            Shape::Module => {}
            Shape::Component => self.line("type(problem), intent(inout) :: self"),
            _ => {
                for array in &kernel.arrays {
                    let intent = if order.writes(&array.name) { "inout" } else { "in" };
                    let (element, name, dummy) = (element_type(array.element), &array.name, self.dummy(array));
                    self.line(&format!("{element}, intent({intent}) :: {name}({dummy})"));
                }
            }
        }
        let mut locals = Vec::new();
        order.body.iter().for_each(|statement| names(statement, &mut locals));
        for (name, element) in locals {
            self.line(&format!("{} :: {name}", element_type(element)));
        }
    }

    /// The extents of an argument.
    fn dummy(&self, array: &Array) -> String {
        let mut all = extents(array);
        match self.shape {
            Shape::Assumed => all.iter_mut().for_each(|extent| ":".clone_into(extent)),
            Shape::Leading => {
                if all.len() > 1 {
                    all[0] = format!("ld{}", array.name);
                }
                *all.last_mut().expect("an array has an extent") = "*".to_owned();
            }
            _ => {}
        }
        all.join(", ")
    }

    /// An index of C in terms of Fortran's counters, which are larger by 1, with something added.
    pub fn index(&self, affine: &Affine, more: i64) -> Affine {
        let counters = affine.terms.iter().filter(|(name, _)| !self.kernel.is_size(name));
        let sum: i64 = counters.map(|(_, factor)| factor).sum();
        affine.plus(&Affine::constant(more - sum), 1)
    }

    fn printed(&self, affine: &Affine, more: i64) -> String {
        self.index(affine, more).print(&str::to_owned)
    }

    fn element(&self, element: &Element, sections: Option<&Sections<'_>>) -> String {
        let array = self.kernel.array(&element.array);
        let subscript = |(subscript, extent): (&Affine, &Affine)| {
            let Some((low, high)) = sections.and_then(|sections| sections.range(subscript)) else {
                return self.printed(subscript, 1);
            };
            let (low, high) = (self.index(&low, 1), self.index(&high, 0));
            if low == Affine::constant(1) && high == *extent {
                return ":".to_owned();
            }
            format!("{}:{}", low.print(&str::to_owned), high.print(&str::to_owned))
        };
        let subscripts: Vec<String> = element.subscripts.iter().zip(&array.extents).rev().map(subscript).collect();
        let object = if self.shape == Shape::Component { "self%" } else { "" };
        format!("{object}{}({})", element.array, subscripts.join(", "))
    }

    fn expression(&self, expression: &Expression, sections: Option<&Sections<'_>>) -> String {
        let printed = |inner: &Expression| self.expression(inner, sections);
        match expression {
            Expression::Real(number) if number.contains('e') => number.replace('e', "d"),
            Expression::Real(number) => format!("{number}d0"),
            Expression::Integer(number) => number.to_string(),
            Expression::Scalar(name) => name.clone(),
            Expression::Element(element) => {
                let text = self.element(element, sections);
                let is_byte = self.kernel.array(&element.array).element == Type::Byte;
                if is_byte { format!("iand(int({text}), 255)") } else { text }
            }
            Expression::Negative(inner) => format!("(-{})", self.held(inner, 3, sections)),
            Expression::Binary(sign, left, right) => {
                let own = expression.strength();
                format!("{} {sign} {}", self.held(left, own, sections), self.held(right, own + 1, sections))
            }
            Expression::Root(inner) => format!("sqrt({})", printed(inner)),
            Expression::Clamp(parts) => {
                let [value, low, high] = parts.each_ref().map(printed);
                format!("min(max({value}, {low}), {high})")
            }
            Expression::Shift(inner, bits) => format!("shifta({}, {bits})", printed(inner)),
        }
    }

    fn held(&self, inner: &Expression, least: u8, sections: Option<&Sections<'_>>) -> String {
        let text = self.expression(inner, sections);
        if inner.strength() < least { format!("({text})") } else { text }
    }

    fn statement(&mut self, statement: &Statement, sections: Option<&Sections<'_>>) {
        match statement {
            Statement::Loop(inner) => self.repeat(inner),
            Statement::Let(name, _, value) => {
                let line = format!("{name} = {}", self.expression(value, sections));
                self.line(&line);
            }
            Statement::Assign(target, operation, value) => {
                let (left, old, is_byte) = match target {
                    Target::Scalar(name) => (name.clone(), name.clone(), false),
                    Target::Element(element) => (
                        self.element(element, sections),
                        self.expression(&Expression::Element(element.clone()), sections),
                        self.kernel.array(&element.array).element == Type::Byte,
                    ),
                };
                let value = match operation {
                    ' ' => self.expression(value, sections),
                    '+' | '-' => format!("{old} {operation} {}", self.held(value, 2, sections)),
                    _ => format!("{old} {operation} {}", self.held(value, 3, sections)),
                };
                let value = if is_byte { format!("int({value}, 1)") } else { value };
                self.line(&format!("{left} = {value}"));
            }
        }
    }

    fn repeat(&mut self, inner: &Loop) {
        if self.shape == Shape::Sections
            && let Some(sections) = Sections::of(inner)
        {
            self.is_other = true;
            sections.body.iter().for_each(|statement| self.statement(statement, Some(&sections)));
            return;
        }
        let (counter, low, high) = (&inner.counter, self.printed(&inner.low, 1), self.printed(&inner.high, 0));
        if self.shape == Shape::Concurrent && inner.parallel {
            self.is_other = true;
            let mut own = Vec::new();
            inner.body.iter().for_each(|statement| own_names(statement, &mut own));
            let local = if own.is_empty() { String::new() } else { format!(" local({})", own.join(", ")) };
            self.line(&format!("do concurrent ({counter} = {low}:{high}){local}"));
        } else {
            self.line(&format!("do {counter} = {low}, {high}"));
        }
        self.depth += 1;
        inner.body.iter().for_each(|statement| self.statement(statement, None));
        self.depth -= 1;
        self.line("end do");
    }
}

/// The counters and scalars of a statement, each once.
fn names(statement: &Statement, found: &mut Vec<(String, Type)>) {
    let mut add = |name: &String, element: Type| {
        if !found.iter().any(|(other, _)| other == name) {
            found.push((name.clone(), element));
        }
    };
    match statement {
        Statement::Loop(inner) => {
            add(&inner.counter, Type::Int);
            inner.body.iter().for_each(|one| names(one, found));
        }
        Statement::Let(name, element, _) => add(name, *element),
        Statement::Assign(..) => {}
    }
}

/// The scalars that an iteration of a `do concurrent` has for itself. Counters of loops inside are not listed, as hardly
/// anybody does.
fn own_names(statement: &Statement, found: &mut Vec<String>) {
    match statement {
        Statement::Loop(inner) if !inner.parallel => inner.body.iter().for_each(|one| own_names(one, found)),
        Statement::Let(name, ..) if !found.contains(name) => found.push(name.clone()),
        _ => {}
    }
}
