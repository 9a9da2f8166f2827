//! Reads the expressions of the neutral notation, a line's part at a time.

use super::notation::{Affine, Element, Expression, Kernel};
use anyhow::{Context, Result, bail, ensure};

/// What names mean at a place.
pub struct Names<'s> {
    /// Sizes, values and arrays.
    pub kernel: &'s Kernel,
    /// The counters of the loops around.
    pub counters: &'s [String],
    /// Scalars.
    pub scalars: &'s [String],
}

impl Names<'_> {
    /// How many subscripts the array of a name has; none if it is no array.
    fn rank(&self, name: &str) -> Option<usize> {
        self.kernel.arrays.iter().find(|array| array.name == name).map(|array| array.extents.len())
    }

    /// The name is that of a value or a scalar.
    fn is_scalar(&self, name: &str) -> bool {
        self.kernel.is_value(name) || self.scalars.iter().any(|scalar| scalar == name)
    }

    /// The name is that of a size or a loop around.
    pub fn is_index(&self, name: &str) -> bool {
        self.kernel.is_size(name) || self.counters.iter().any(|counter| counter == name)
    }
}

/// Words and signs that are still to be read.
pub struct Reader {
    /// The last one comes next.
    rest: Vec<String>,
}

impl Reader {
    /// The words and signs of a text.
    ///
    /// # Errors
    /// When a character is none of any.
    pub fn new(text: &str) -> Result<Self> {
        let (mut words, mut rest) = (Vec::new(), text.trim_start());
        while let Some(first) = rest.chars().next() {
            let belongs = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '.';
            let end = match first {
                _ if belongs(first) => rest.find(|one| !belongs(one)).unwrap_or(rest.len()),
                '+' | '-' | '*' | '/' | '(' | ')' | '[' | ']' | ',' => 1,
                _ => bail!("`{first}` has no meaning"),
            };
            words.push(rest[..end].to_owned());
            rest = rest[end..].trim_start();
        }
        words.reverse();
        Ok(Self { rest: words })
    }

    /// Goes on behind a sign if it comes next.
    pub fn takes(&mut self, sign: &str) -> bool {
        let is_next = self.rest.last().is_some_and(|next| next == sign);
        if is_next {
            self.rest.pop();
        }
        is_next
    }

    /// Goes on behind a sign.
    ///
    /// # Errors
    /// When another one comes next.
    pub fn expect(&mut self, sign: &str) -> Result<()> {
        if self.takes(sign) {
            return Ok(());
        }
        match self.rest.last() {
            Some(next) => bail!("`{sign}` is missing before `{next}`"),
            None => bail!("`{sign}` is missing at the end"),
        }
    }

    /// There is nothing left.
    ///
    /// # Errors
    /// When there is.
    pub fn end(&self) -> Result<()> {
        self.rest.last().map_or(Ok(()), |next| bail!("`{next}` is too much"))
    }

    fn word(&mut self) -> Result<String> {
        self.rest.pop().context("something is missing at the end")
    }

    /// A sum of names with factors and numbers.
    ///
    /// # Errors
    /// When the text is none, or a name is none that `is_known`.
    pub fn affine(&mut self, is_known: &dyn Fn(&str) -> bool) -> Result<Affine> {
        let mut sum = Affine::default();
        let mut sign = if self.takes("-") { -1 } else { 1 };
        loop {
            let mut word = self.word()?;
            if let Ok(number) = word.parse::<i64>() {
                if !self.takes("*") {
                    sum = sum.plus(&Affine::constant(number), sign);
                    word.clear();
                } else {
                    sign *= number;
                    word = self.word()?;
                }
            }
            if !word.is_empty() {
                ensure!(is_known(&word), "there is no index `{word}`");
                sum = sum.plus(&Affine::name(&word), sign);
            }
            sign = match () {
                () if self.takes("+") => 1,
                () if self.takes("-") => -1,
                () => return Ok(sum),
            };
        }
    }

    /// An expression.
    ///
    /// # Errors
    /// When the text is none, or a name is not known.
    pub fn expression(&mut self, names: &Names<'_>) -> Result<Expression> {
        let mut left = self.product(names)?;
        loop {
            let operation = match () {
                () if self.takes("+") => '+',
                () if self.takes("-") => '-',
                () => return Ok(left),
            };
            left = Expression::Binary(operation, Box::new(left), Box::new(self.product(names)?));
        }
    }

    fn product(&mut self, names: &Names<'_>) -> Result<Expression> {
        let mut left = self.factor(names)?;
        loop {
            let operation = match () {
                () if self.takes("*") => '*',
                () if self.takes("/") => '/',
                () => return Ok(left),
            };
            left = Expression::Binary(operation, Box::new(left), Box::new(self.factor(names)?));
        }
    }

    fn factor(&mut self, names: &Names<'_>) -> Result<Expression> {
        if self.takes("-") {
            return Ok(Expression::Negative(Box::new(self.factor(names)?)));
        }
        if self.takes("(") {
            let inner = self.expression(names)?;
            self.expect(")")?;
            return Ok(inner);
        }
        let word = self.word()?;
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            if let Ok(number) = word.parse() {
                return Ok(Expression::Integer(number));
            }
            word.parse::<f64>().with_context(|| format!("`{word}` is no number"))?;
            return Ok(Expression::Real(word));
        }
        if self.takes("(") {
            return self.call(&word, names);
        }
        let Some(rank) = names.rank(&word) else {
            ensure!(names.is_scalar(&word), "there is no scalar or array `{word}`");
            return Ok(Expression::Scalar(word));
        };
        let mut subscripts = Vec::new();
        while self.takes("[") {
            subscripts.push(self.affine(&|name| names.is_index(name))?);
            self.expect("]")?;
        }
        let count = subscripts.len();
        ensure!(count == rank, "`{word}` has {rank} subscripts, not {count}");
        Ok(Expression::Element(Element { array: word, subscripts }))
    }

    /// A function behind its `(`.
    fn call(&mut self, function: &str, names: &Names<'_>) -> Result<Expression> {
        let first = self.expression(names)?;
        let call = match function {
            "sqrt" => Expression::Root(Box::new(first)),
            "clamp" => {
                self.expect(",")?;
                let low = self.expression(names)?;
                self.expect(",")?;
                Expression::Clamp(Box::new([first, low, self.expression(names)?]))
            }
            "shift" => {
                self.expect(",")?;
                let bits = self.word()?;
                Expression::Shift(Box::new(first), bits.parse().with_context(|| format!("`{bits}` is no number"))?)
            }
            _ => bail!("there is no function `{function}`: sqrt, clamp, shift"),
        };
        self.expect(")")?;
        Ok(call)
    }
}
