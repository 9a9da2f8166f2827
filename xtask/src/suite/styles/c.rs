//! Loops in the styles of C and C++.

use super::c_storage::{element_type, parameters, place, prelude, with_headers};
use super::forms::{Access, Form, Language, Looping, Storage};
use super::notation::{Affine, Array, Element, Expression, Kernel, Loop, Order, Statement, Target, Type};
use super::walk::Walk;
use std::fmt::Write;

/// A function in one of the styles.
pub struct Printer<'k> {
    kernel: &'k Kernel,
    language: Language,
    form: Form,
    text: String,
    depth: usize,
    /// Elements that a pointer or an iterator goes over, in the loop that is printed.
    walked: Vec<(Element, String)>,
    /// How many pointers there were.
    walks: usize,
}

/// The file of a kernel's order; none where the style has nothing to say about it.
pub fn source(kernel: &Kernel, order: &Order, language: Language, form: Form, small: bool) -> Option<String> {
    let mut printer = Printer { kernel, language, form, text: String::new(), depth: 1, walked: Vec::new(), walks: 0 };
    printer.text = prelude(kernel, language, form, small);
    let head = match form.storage {
        Storage::Class => "void Problem::kernel()".to_owned(),
        _ => format!("void kernel({})", parameters(kernel, language, form)),
    };
    let _ = writeln!(printer.text, "\n{head} {{");
    if form.storage == Storage::Lambda {
        kernel.arrays.iter().for_each(|array| printer.lambda(array));
    }
    order.body.iter().for_each(|statement| printer.statement(statement));
    printer.text += "}\n";
    let is_other = form.looping != Looping::Walking || printer.walks > 0;
    is_other.then(|| with_headers(language, &printer.text))
}

impl<'k> Printer<'k> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "  ".repeat(self.depth));
    }

    /// `auto A = [&](int i, int j) -> double & { return A_data[i * n + j]; };`
    fn lambda(&mut self, array: &Array) {
        let counters = ["i", "j", "k"];
        let counters = &counters[..array.extents.len()];
        let subscripts: Vec<Affine> = counters.iter().map(|counter| Affine::name(counter)).collect();
        let place = self.place(array, &subscripts);
        let given: Vec<String> = counters.iter().map(|counter| format!("{} {counter}", self.form.counter)).collect();
        let (name, element) = (&array.name, element_type(array.element, self.language));
        let line =
            format!("auto {name} = [&]({}) -> {element} & {{ return {name}_data[{place}]; }};", given.join(", "));
        self.line(&line);
    }

    /// A name of an index, or of a value, as the style has it.
    fn name(&self, name: &str) -> String {
        let is_member =
            self.form.storage == Storage::Members && (self.kernel.is_size(name) || self.kernel.is_value(name));
        if is_member { format!("self->{name}") } else { name.to_owned() }
    }

    /// A sum of indices.
    pub fn index(&self, affine: &Affine) -> String {
        affine.print(&|name| self.name(name))
    }

    /// Where an element is, counted from the first one.
    pub fn place(&self, array: &Array, subscripts: &[Affine]) -> String {
        place(array, subscripts, &|name| self.name(name))
    }

    fn element(&self, element: &Element) -> String {
        if let Some((_, walked)) = self.walked.iter().find(|(other, _)| other == element) {
            return walked.clone();
        }
        let (array, subscripts) = (self.kernel.array(&element.array), &element.subscripts);
        let name =
            if self.form.storage == Storage::Members { format!("self->{}", array.name) } else { array.name.clone() };
        let listed = || subscripts.iter().map(|subscript| self.index(subscript)).collect::<Vec<_>>();
        match self.form.access {
            Access::Subscripts => format!("{name}[{}]", listed().join("][")),
            Access::Flat => format!("{name}[{}]", self.place(array, subscripts)),
            Access::Call => format!("{name}({})", listed().join(", ")),
            Access::At => format!("{name}.at({})", listed().join(", ")),
        }
    }

    fn expression(&self, expression: &Expression) -> String {
        let held = |inner: &Expression, least: u8| {
            let text = self.expression(inner);
            if inner.strength() < least { format!("({text})") } else { text }
        };
        match expression {
            Expression::Real(number) => number.clone(),
            Expression::Integer(number) => number.to_string(),
            Expression::Scalar(name) => self.name(name),
            Expression::Element(element) => self.element(element),
            Expression::Negative(inner) => format!("-{}", held(inner, 3)),
            Expression::Binary(sign, left, right) => {
                let own = expression.strength();
                format!("{} {sign} {}", held(left, own), held(right, own + 1))
            }
            Expression::Root(inner) => match self.language {
                Language::Cpp => format!("std::sqrt({})", self.expression(inner)),
                _ => format!("sqrt({})", self.expression(inner)),
            },
            Expression::Clamp(parts) => match self.language {
                Language::Cpp => {
                    let [value, low, high] = parts.each_ref().map(|part| self.expression(part));
                    format!("std::clamp({value}, {low}, {high})")
                }
                _ => {
                    let [value, low, high] = parts.each_ref().map(|part| held(part, 3));
                    format!("{value} < {low} ? {low} : {value} > {high} ? {high} : {value}")
                }
            },
            Expression::Shift(inner, bits) => format!("{} >> {bits}", held(inner, 3)),
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Loop(inner) => self.repeat(inner),
            Statement::Let(name, element, value) => {
                let line = format!("{} {name} = {};", element_type(*element, self.language), self.expression(value));
                self.line(&line);
            }
            Statement::Assign(target, operation, value) => {
                let left = match target {
                    Target::Scalar(name) => name.clone(),
                    Target::Element(element) => self.element(element),
                };
                let sign = operation.to_string();
                let line = format!("{left} {}= {};", sign.trim(), self.expression(value));
                self.line(&line);
            }
        }
    }

    /// `< n`, or `<= i` in the place of `< i + 1`, but not with counters without a sign.
    fn end(&self, high: &Affine) -> String {
        let last = high.plus(&Affine::constant(1), -1);
        let has_sign = matches!(self.form.counter, "int" | "std::ptrdiff_t");
        if has_sign && high.constant == 1 && last.is_atom() {
            return format!("<= {}", self.index(&last));
        }
        format!("< {}", self.index(high))
    }

    fn repeat(&mut self, inner: &Loop) {
        let walk = (self.form.looping == Looping::Walking).then(|| Walk::of(self.kernel, inner, self.walks)).flatten();
        let (counter, low, high) = (&inner.counter, self.index(&inner.low), self.index(&inner.high));
        let kind = self.form.counter;
        match (&walk, self.form.looping) {
            (Some(walk), _) => {
                let is_vector = self.form.storage == Storage::Vector;
                walk.heads(self, is_vector).iter().for_each(|line| self.line(line));
                self.walked = walk.elements(self);
                self.walks += walk.pointers.len();
            }
            (None, Looping::Template) => self.line(&format!("forall({low}, {high}, [&]({kind} {counter}) {{")),
            (None, _) => {
                let end = self.end(&inner.high);
                self.line(&format!("for ({kind} {counter} = {low}; {counter} {end}; {counter}++) {{"));
            }
        }
        self.depth += 1;
        inner.body.iter().for_each(|statement| self.statement(statement));
        self.depth -= 1;
        self.walked.clear();
        self.line(if self.form.looping == Looping::Template { "});" } else { "}" });
    }

    /// The type of an array's elements.
    pub fn type_of(&self, array: &str) -> &'static str {
        let element: Type = self.kernel.array(array).element;
        element_type(element, self.language)
    }
}
