//! Reads the neutral notation of loops, with the line in each error.

use super::expression::{Names, Reader};
use super::notation::{Affine, Array, Expression, Kernel, Loop, Order, Size, Statement, Target, Type, Value};
use anyhow::{Context, Result, bail, ensure};

/// A line of an order.
struct Line<'t> {
    /// Its number in the file, from 1.
    number: usize,
    /// How many blanks it begins with.
    indent: usize,
    text: &'t str,
}

/// Names that can be used at a place, besides those of the kernel.
#[derive(Clone, Default)]
struct Scope {
    counters: Vec<String>,
    scalars: Vec<String>,
}

impl Scope {
    fn names<'s>(&'s self, kernel: &'s Kernel) -> Names<'s> {
        Names { kernel, counters: &self.counters, scalars: &self.scalars }
    }
}

/// The kernel of a file's text.
///
/// # Errors
/// When the text is none; the error says which line is wrong.
pub fn kernel(name: &str, text: &str) -> Result<Kernel> {
    let mut kernel = Kernel { name: name.to_owned(), calls: 1, ..Kernel::default() };
    let mut orders: Vec<(String, Vec<Line<'_>>)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        if indent == 0 {
            if let Some(order) = content.strip_prefix("order ") {
                orders.push((order.trim().to_owned(), Vec::new()));
            } else {
                ensure!(orders.is_empty(), "line {number}: `{content}` has to stand above all orders");
                declaration(&mut kernel, content).with_context(|| format!("line {number}: `{content}`"))?;
            }
        } else {
            let (_, lines) = orders.last_mut().with_context(|| format!("line {number}: there is no order above"))?;
            lines.push(Line { number, indent, text: content });
        }
    }
    for (name, lines) in orders {
        ensure!(!kernel.orders.iter().any(|order| order.name == name), "there are two orders `{name}`");
        let mut rest = &lines[..];
        let indent = rest.first().with_context(|| format!("order `{name}` is empty"))?.indent;
        let body = block(&kernel, &mut rest, indent, &Scope::default())?;
        if let Some(line) = rest.first() {
            bail!("line {}: `{}` belongs to nothing above by its indentation", line.number, line.text);
        }
        kernel.orders.push(Order { name, body });
    }
    ensure!(!kernel.orders.is_empty(), "there is no order");
    Ok(kernel)
}

/// A line above all orders.
fn declaration(kernel: &mut Kernel, line: &str) -> Result<()> {
    let (word, rest) = line.split_once(' ').context("a declaration and its name")?;
    match word {
        "size" => {
            let (name, sizes) = rest.split_once('=').context("a size is `size NAME = LARGE / SMALL`")?;
            let (large, small) = sizes.split_once('/').context("a size is `size NAME = LARGE / SMALL`")?;
            let name = fresh(kernel, name)?;
            kernel.sizes.push(Size { name, large: large.trim().parse()?, small: small.trim().parse()? });
        }
        "value" => {
            let (name, rest) = rest.split_once(':').context("a value is `value NAME: TYPE = NUMBER`")?;
            let (element, number) = rest.split_once('=').context("a value is `value NAME: TYPE = NUMBER`")?;
            let (name, element, number) = (fresh(kernel, name)?, scalar_type(element)?, number.trim().to_owned());
            number.parse::<f64>().with_context(|| format!("`{number}` is no number"))?;
            kernel.values.push(Value { name, element, number });
        }
        "array" => {
            let (name, rest) = rest.split_once(':').context("an array is `array NAME: TYPE[EXTENT]`")?;
            let name = fresh(kernel, name)?;
            let (rest, diagonal) = rest.trim().strip_suffix(" diagonal").map_or((rest, false), |rest| (rest, true));
            let (element, extents) = rest.split_once('[').context("an array is `array NAME: TYPE[EXTENT]`")?;
            let is_known = |name: &str| kernel.is_size(name);
            let mut reader = Reader::new(extents)?;
            let mut all = vec![reader.affine(&is_known)?];
            reader.expect("]")?;
            while reader.takes("[") {
                all.push(reader.affine(&is_known)?);
                reader.expect("]")?;
            }
            reader.end()?;
            ensure!(all.len() <= 3, "an array has one to three extents");
            ensure!(!diagonal || all.len() == 2, "a diagonal is that of a matrix");
            kernel.arrays.push(Array { name, element: type_of(element)?, extents: all, diagonal });
        }
        "calls" => kernel.calls = rest.trim().parse().context("`calls NUMBER`")?,
        _ => bail!("a declaration begins with `size`, `value`, `array`, `calls` or `order`"),
    }
    Ok(())
}

/// A name that is not taken; Fortran takes small letters for large ones.
fn fresh(kernel: &Kernel, name: &str) -> Result<String> {
    let name = name.trim();
    ensure!(is_name(name), "`{name}` is no name");
    let mut taken = kernel.sizes.iter().map(|size| &size.name).chain(kernel.values.iter().map(|value| &value.name));
    let is_taken = taken.any(|other| other.eq_ignore_ascii_case(name))
        || kernel.arrays.iter().any(|array| array.name.eq_ignore_ascii_case(name));
    ensure!(!is_taken, "the name `{name}` is taken (Fortran takes small letters for large ones)");
    Ok(name.to_owned())
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
}

fn type_of(text: &str) -> Result<Type> {
    match text.trim() {
        "f64" => Ok(Type::Double),
        "i32" => Ok(Type::Int),
        "u8" => Ok(Type::Byte),
        "c128" => Ok(Type::Complex),
        other => bail!("`{other}` is no type: f64, i32, u8, c128"),
    }
}

fn scalar_type(text: &str) -> Result<Type> {
    let found = type_of(text)?;
    ensure!(found != Type::Byte, "scalars are no bytes");
    Ok(found)
}

/// The lines that begin with so many blanks, up to one that begins with fewer.
fn block(kernel: &Kernel, lines: &mut &[Line<'_>], indent: usize, outer: &Scope) -> Result<Vec<Statement>> {
    let (mut scope, mut body) = (outer.clone(), Vec::new());
    while let Some((line, rest)) = lines.split_first().filter(|(line, _)| line.indent >= indent) {
        let told = || format!("line {}: `{}`", line.number, line.text);
        ensure!(line.indent == indent, "{}: the indentation is not that of the lines around", told());
        *lines = rest;
        let statement = match line.text.split_once(' ') {
            Some(("for" | "par", _)) => {
                let mut found = header(kernel, line.text, &scope).with_context(told)?;
                let next = lines.first().filter(|next| next.indent > indent);
                let inside = next.with_context(|| format!("{}: the loop is empty", told()))?.indent;
                let mut inner = scope.clone();
                inner.counters.push(found.counter.clone());
                found.body = block(kernel, lines, inside, &inner)?;
                Statement::Loop(found)
            }
            _ => simple(kernel, line.text, &mut scope).with_context(told)?,
        };
        body.push(statement);
    }
    Ok(body)
}

/// `for i = 0 .. n`.
fn header(kernel: &Kernel, line: &str, scope: &Scope) -> Result<Loop> {
    let form = "a loop is `for NAME = LOW .. HIGH` or `par NAME = LOW .. HIGH`";
    let (word, rest) = line.split_once(' ').context(form)?;
    let (counter, bounds) = rest.split_once('=').context(form)?;
    let (low, high) = bounds.split_once("..").context(form)?;
    let counter = fresh(kernel, counter)?;
    ensure!(!scope.counters.contains(&counter), "`{counter}` counts a loop around already");
    let bound = |text: &str| -> Result<Affine> {
        let mut reader = Reader::new(text)?;
        let bound = reader.affine(&|name| scope.names(kernel).is_index(name))?;
        reader.end()?;
        Ok(bound)
    };
    Ok(Loop { parallel: word == "par", counter, low: bound(low)?, high: bound(high)?, body: Vec::new() })
}

/// `let` or an assignment.
fn simple(kernel: &Kernel, line: &str, scope: &mut Scope) -> Result<Statement> {
    let value = |text: &str, scope: &Scope| -> Result<Expression> {
        let mut reader = Reader::new(text)?;
        let value = reader.expression(&scope.names(kernel))?;
        reader.end()?;
        Ok(value)
    };
    if let Some(rest) = line.strip_prefix("let ") {
        let (name, rest) = rest.split_once(':').context("a scalar is `let NAME: TYPE = VALUE`")?;
        let (element, text) = rest.split_once('=').context("a scalar is `let NAME: TYPE = VALUE`")?;
        let (name, element) = (fresh(kernel, name)?, scalar_type(element)?);
        let value = value(text, scope)?;
        scope.scalars.push(name.clone());
        return Ok(Statement::Let(name, element, value));
    }
    let form = "a statement is a loop, `let`, or TARGET followed by =, +=, -=, *= or /=";
    let (left, right) = line.split_once('=').context(form)?;
    let operation = left.chars().last().filter(|last| "+-*/".contains(*last));
    let mut reader = Reader::new(operation.map_or(left, |last| left.trim_end_matches(last)))?;
    let target = match reader.expression(&scope.names(kernel))? {
        Expression::Scalar(name) if !kernel.is_value(&name) => Target::Scalar(name),
        Expression::Element(element) => Target::Element(element),
        _ => bail!(form),
    };
    reader.end()?;
    Ok(Statement::Assign(target, operation.unwrap_or(' '), value(right, scope)?))
}

#[cfg(test)]
mod tests {
    use super::kernel;
    use crate::suite::styles::notation::{Statement, Type, loops};

    const HEAD: &str = "size n = 600 / 37\nvalue alpha: f64 = 1.25\narray A: f64[n][n + 2] diagonal\narray b: u8[n]\n";

    fn error(body: &str) -> String {
        format!("{:#}", kernel("k", &format!("{HEAD}{body}")).unwrap_err())
    }

    #[test]
    fn a_kernel_has_orders() {
        let text = "calls 3\n\norder one\n  for i = 0 .. n\n    let t: f64 = 0.0\n    par j = i + 1 .. n\n      \
                    t += alpha * A[i][j - 1]\n    A[i][0] = t # no comment\norder two\n  A[0][0] = 1.0\n";
        assert!(kernel("k", &format!("{HEAD}{text}")).is_err(), "comments have lines of their own");
        let found = kernel("k", &format!("{HEAD}{}", text.replace(" # no comment", ""))).unwrap();
        assert_eq!((found.calls, found.sizes[0].small, found.arrays[1].element), (3, 37, Type::Byte));
        assert!(found.arrays[0].diagonal);
        assert_eq!(found.orders.iter().map(|order| order.name.as_str()).collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(loops(&found.orders[0].body), 2);
        let Statement::Loop(outer) = &found.orders[0].body[0] else { panic!("a loop") };
        assert_eq!(outer.body.len(), 3);
        let Statement::Loop(inner) = &outer.body[1] else { panic!("a loop") };
        assert!(inner.parallel && !outer.parallel);
        assert!(found.orders[0].writes("A") && !found.orders[0].writes("b"));
    }

    #[test]
    fn errors_say_the_line() {
        for (body, expected) in [
            ("order o\n  for i = 0 .. m\n    A[i][i] = 0.0\n", "line 6: `for i = 0 .. m`: there is no index `m`"),
            ("order o\n  for i = 0 .. n\n  A[0][0] = 0.0\n", "line 6: `for i = 0 .. n`: the loop is empty"),
            ("order o\n  A[0] = 0.0\n", "line 6: `A[0] = 0.0`: `A` has 2 subscripts, not 1"),
            ("order o\n  A[0][0] = t\n", "line 6: `A[0][0] = t`: there is no scalar or array `t`"),
            ("order o\n    A[0][0] = 1.0\n   A[0][0] = 1.0\n", "line 7: `A[0][0] = 1.0` belongs to nothing above"),
            ("order o\n  alpha = 1.0\n", "line 6: `alpha = 1.0`: a statement is"),
            ("array a: f64[n]\n", "line 5: `array a: f64[n]`: the name `a` is taken"),
            ("order o\n  A[0][0] = (1.0\n", "line 6: `A[0][0] = (1.0`: `)` is missing at the end"),
            ("order o\n", "order `o` is empty"),
        ] {
            let said = error(body);
            assert!(said.starts_with(expected), "{said}");
        }
    }
}
