//! The neutral notation of loops (`test/styles`) as data.
//!
//! A file is a kernel. Above are its sizes (`size n = 600 / 37`, for measurements and for tests), its values
//! (`value alpha: f64 = 1.25`), its arrays (`array A: f64[n][n + 2]`, with `diagonal` at the end where the diagonal is to
//! be dominant), and how often a program calls it (`calls 3`). Each `order NAME` is one way to write its loops, by
//! indentation:
//!
//! ```text
//! order ijk
//!   for i = 0 .. n
//!     par j = 0 .. n
//!       let t: f64 = C[i][j]
//!       for k = 0 .. n
//!         t += A[i][k] * B[k][j]
//!       C[i][j] = t
//! ```
//!
//! Upper ends do not belong to loops. The iterations of a `par` are independent of each other, which `do concurrent` and
//! array syntax need. Subscripts and bounds are affine. Besides `+ - * /` there are `sqrt(x)`, `clamp(x, low, high)` and
//! `shift(x, bits)`, to the right. Arrays lie by rows in all languages: Fortran gets subscripts in the opposite order.

use std::fmt::Write;

/// What an element or a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `f64`.
    Double,
    /// `i32`.
    Int,
    /// `u8`, only of arrays.
    Byte,
    /// `c128`, two doubles.
    Complex,
}

/// A sum of names with factors, and a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affine {
    /// Names of sizes or loops with factors other than zero, in the order written, each once.
    pub terms: Vec<(String, i64)>,
    /// The number.
    pub constant: i64,
}

impl Affine {
    /// A name by itself.
    pub fn name(name: &str) -> Self {
        Self { terms: vec![(name.to_owned(), 1)], constant: 0 }
    }

    /// A number by itself.
    pub fn constant(constant: i64) -> Self {
        Self { terms: Vec::new(), constant }
    }

    /// The factor of a name.
    pub fn factor(&self, name: &str) -> i64 {
        self.terms.iter().find(|(term, _)| term == name).map_or(0, |(_, factor)| *factor)
    }

    /// The sum with `factor` times another one.
    pub fn plus(&self, other: &Affine, factor: i64) -> Affine {
        let mut sum = self.clone();
        sum.constant += factor * other.constant;
        for (name, times) in &other.terms {
            match sum.terms.iter_mut().find(|(term, _)| term == name) {
                Some((_, old)) => *old += factor * times,
                None => sum.terms.push((name.clone(), factor * times)),
            }
        }
        sum.terms.retain(|(_, factor)| *factor != 0);
        sum
    }

    /// With `value` in the place of a name.
    pub fn replaced(&self, name: &str, value: &Affine) -> Affine {
        let factor = self.factor(name);
        let mut rest = self.clone();
        rest.terms.retain(|(term, _)| term != name);
        rest.plus(value, factor)
    }

    /// A single name or a number that is not negative: needs no parentheses as a factor.
    pub fn is_atom(&self) -> bool {
        match &self.terms[..] {
            [] => self.constant >= 0,
            [(_, 1)] => self.constant == 0,
            _ => false,
        }
    }

    /// As text in C and Fortran, with names as `spell` has them.
    pub fn print(&self, spell: &dyn Fn(&str) -> String) -> String {
        let mut text = String::new();
        // What is added comes first, so that no sum begins with a sign if that can be.
        let (more, less): (Vec<_>, Vec<_>) = self.terms.iter().partition(|(_, factor)| *factor > 0);
        for (name, factor) in more.into_iter().chain(less) {
            let sign = match (*factor < 0, text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            text += sign;
            if factor.abs() != 1 {
                let _ = write!(text, "{} * ", factor.abs());
            }
            text += &spell(name);
        }
        match self.constant {
            number if text.is_empty() => text = number.to_string(),
            0 => {}
            number if number > 0 => text += &format!(" + {number}"),
            number => text += &format!(" - {}", -number),
        }
        text
    }
}

/// An array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// What its elements are.
    pub element: Type,
    /// Its extents, of which the last one is that of neighbours in memory.
    pub extents: Vec<Affine>,
    /// Its diagonal is filled with numbers that are larger than all others of a row together.
    pub diagonal: bool,
}

/// An element of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The array's name.
    pub array: String,
    /// As many as the array has extents.
    pub subscripts: Vec<Affine>,
}

/// What is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number with a point.
    Real(String),
    /// A whole number.
    Integer(i64),
    /// A value or a scalar.
    Scalar(String),
    /// An element.
    Element(Element),
    /// The opposite number.
    Negative(Box<Expression>),
    /// `+`, `-`, `*` or `/` of two.
    Binary(char, Box<Expression>, Box<Expression>),
    /// The square root of one.
    Root(Box<Expression>),
    /// The first, but at least the second and at most the third.
    Clamp(Box<[Expression; 3]>),
    /// The first, shifted to the right by so many bits.
    Shift(Box<Expression>, i64),
}

impl Expression {
    /// Calls `visit` with each element.
    pub fn elements<'e>(&'e self, visit: &mut dyn FnMut(&'e Element)) {
        match self {
            Self::Real(_) | Self::Integer(_) | Self::Scalar(_) => {}
            Self::Element(element) => visit(element),
            Self::Negative(inner) | Self::Root(inner) | Self::Shift(inner, _) => inner.elements(visit),
            Self::Binary(_, left, right) => {
                left.elements(visit);
                right.elements(visit);
            }
            Self::Clamp(all) => all.iter().for_each(|one| one.elements(visit)),
        }
    }

    /// How tightly its parts hold together: a sum 1, a product 2, all else 3.
    pub fn strength(&self) -> u8 {
        match self {
            Self::Binary('+' | '-', ..) | Self::Negative(_) => 1,
            Self::Binary(..) => 2,
            _ => 3,
        }
    }
}

/// What is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A scalar.
    Scalar(String),
    /// An element.
    Element(Element),
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Its iterations are independent.
    pub parallel: bool,
    /// Its counter.
    pub counter: String,
    /// The first value.
    pub low: Affine,
    /// The value behind the last one.
    pub high: Affine,
    /// What it repeats.
    pub body: Vec<Statement>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A loop.
    Loop(Loop),
    /// A new scalar with its value.
    Let(String, Type, Expression),
    /// `=`, `+=`, `-=`, `*=` or `/=`; the character is the operation, a blank for `=`.
    Assign(Target, char, Expression),
}

impl Statement {
    /// Calls `visit` with each element that is read or written, and whether it is written.
    pub fn elements<'e>(&'e self, visit: &mut dyn FnMut(&'e Element, bool)) {
        match self {
            Self::Loop(inner) => inner.body.iter().for_each(|one| one.elements(visit)),
            Self::Let(_, _, value) => value.elements(&mut |element| visit(element, false)),
            Self::Assign(target, _, value) => {
                value.elements(&mut |element| visit(element, false));
                if let Target::Element(element) = target {
                    visit(element, true);
                }
            }
        }
    }
}

/// How many loops there are.
pub fn loops(body: &[Statement]) -> usize {
    let count = |one: &Statement| if let Statement::Loop(inner) = one { 1 + loops(&inner.body) } else { 0 };
    body.iter().map(count).sum()
}

/// One way to write a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Its name.
    pub name: String,
    /// What is done.
    pub body: Vec<Statement>,
}

impl Order {
    /// The array is written.
    pub fn writes(&self, array: &str) -> bool {
        let mut found = false;
        self.body.iter().for_each(|one| one.elements(&mut |element, writes| found |= writes && element.array == array));
        found
    }
}

/// A size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Its name.
    pub name: String,
    /// What it is where times are measured.
    pub large: i64,
    /// What it is where results are compared.
    pub small: i64,
}

/// A value that a kernel is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its name.
    pub name: String,
    /// What it is.
    pub element: Type,
    /// The number.
    pub number: String,
}

/// A kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// Its name, that of its file.
    pub name: String,
    /// Its sizes.
    pub sizes: Vec<Size>,
    /// Its values.
    pub values: Vec<Value>,
    /// Its arrays.
    pub arrays: Vec<Array>,
    /// How many times a program calls it, on fresh arrays; the fastest call counts.
    pub calls: u32,
    /// The ways to write it.
    pub orders: Vec<Order>,
}

impl Kernel {
    /// The array of a name, which the reader has seen to.
    pub fn array(&self, name: &str) -> &Array {
        self.arrays.iter().find(|array| array.name == name).expect("the reader knows all arrays")
    }

    /// The name is that of a value.
    pub fn is_value(&self, name: &str) -> bool {
        self.values.iter().any(|value| value.name == name)
    }

    /// The name is that of a size.
    pub fn is_size(&self, name: &str) -> bool {
        self.sizes.iter().any(|size| size.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::Affine;

    #[test]
    fn affine_sums_print_without_a_sign_in_front() {
        let print = |affine: &Affine| affine.print(&str::to_owned);
        let sum = Affine::constant(2).plus(&Affine::name("i"), -1).plus(&Affine::name("n"), 3);
        assert_eq!(print(&sum), "3 * n - i + 2");
        assert_eq!(print(&sum.plus(&Affine::name("n"), -3)), "-i + 2");
        assert_eq!(print(&Affine::name("i").plus(&Affine::constant(1), -1)), "i - 1");
        assert_eq!(print(&Affine::constant(0)), "0");
        assert_eq!(print(&Affine::name("j").plus(&Affine::constant(1), 1).replaced("j", &Affine::name("k"))), "k + 1");
    }
}
