//! The text in which users say layout maps (section 4.1):
//!
//! ```text
//! map(inout: C(e1, e2) -> (0, e1/32, e2/64, e1%32, e2%64) : f64[ni, nj])
//! map(in: A(e1, e2) -> (1, e2, 0, e1 pad 8))
//! expand(sum, 2)
//! contract(none: T(e1, e2) -> (2, e1%3, e2))
//! contract(T)
//! reduce(C, 8)
//! reduce(C, 8, loop 3, block 32)
//! keep(p, 64)
//! before S2: map(redist: A(e1, e2) -> (e2, e1))
//! before S5: map(redist: A -> original)
//! ```
//!
//! Between `map(` and `)` are what is transferred, the array with names for its subscripts, the logical address, and,
//! where the region does not say it, the type and the extents of the array. `/` rounds down; divisors are positive
//! numbers. `pad N` makes a dimension longer, `align N` up to a multiple of `N`. `#pragma layout` may stand in front, and
//! `//` starts a comment. `expand` gives an array a place for each iteration of so many of the outermost loops around it.
//! `contract` is a map in which elements share an address where they are not alive at the same time; without a map it is
//! one that is found, for the order of the region, or with `all` for any. `reduce` gathers what loops add up in elements of
//! an array in so many partial results first, the iterations of a loop (counted from 1, from the outside; the outermost one
//! that does it, if it is not said) shared out among them in blocks. `keep` has so many iterations of the outermost loop
//! copy what they read of rows and columns that they overwrite. A `redist` is at the top level of the region,
//! before the loops of the statement that is named; `original` is where the program has the array. A text that stands
//! at an array leaves its name out: `map(in: (e1, e2) -> (e2, e1))`, `expand(2)`, `contract()`,
//! `contract(all)`, `keep(64)`.

use std::collections::BTreeMap;

use super::clause::{Clause, Clauses, Contract, Expand, Keep, Redist, Reduce};
use super::map::{Pad, Transfer};
use super::token::{DirectiveError, Place, Token, tokens};
use crate::codegen::{Expr, IteratorId};
use crate::scop::ElementType;

/// A text with directives, and what names in it mean.
#[derive(Debug, Clone, Copy)]
pub struct LayoutText<'a> {
    /// The directives.
    pub text: &'a str,
    /// The array that all of them are about, and that they do not name; `None` if they name arrays.
    pub array: Option<&'a str>,
    /// Other names of arrays and parameters, and those that the region has for them.
    pub aliases: &'a BTreeMap<String, String>,
    /// It is about other regions, too: what it says of arrays that a region does not have is left out there.
    pub is_shared: bool,
}

/// An array that a text speaks of, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The name in the text; that of the array where the text leaves it out.
    pub written: String,
    /// The name that a region has for it.
    pub array: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// It is about a redistribution, which stands before a statement.
    pub is_later: bool,
}

/// The words that a clause may begin with.
const WORDS: &str = "`map`, `expand`, `contract`, `reduce`, `keep` or `before`";

/// An element has at most so many partial results.
const MOST_PARTS: i64 = 1024;

/// At most so many successive iterations go to one.
const MOST_BLOCK: i64 = 1 << 16;

/// At most so many iterations keep operands at the same time.
const MOST_KEPT: i64 = 4096;

/// Loops are counted up to here.
const MOST_LOOPS: i64 = 64;

/// Where the program has an array.
pub(super) const ORIGINAL: &str = "original";

/// Parentheses and signs are nested at most so deeply.
const MOST_NESTED: usize = 64;

/// An expression has at most so many operations.
const MOST_OPERATIONS: usize = 64;

/// A list has at most so many members.
const MOST_LISTED: usize = 256;

/// The names that a text may be about; where a clause has others, they may be those of another region.
pub(super) struct Names<'a> {
    /// What expressions may have besides subscripts.
    pub parameters: &'a [String],
    /// Whether an array is known.
    pub has_array: &'a dyn Fn(&str) -> bool,
    /// Statements are those of the region.
    pub has_places: bool,
}

/// Reads the clauses of a text, the one of that number. One that may be about another region is left out.
pub(super) fn read(number: usize, text: &LayoutText<'_>, names: &Names<'_>) -> Result<Clauses, DirectiveError> {
    read_all(number, text, names).map(|(clauses, _)| clauses)
}

/// The arrays that a text speaks of, whichever a region has.
///
/// # Errors
/// What is wrong with the text whatever region it is about.
pub fn mentions(text: &LayoutText<'_>) -> Result<Vec<Mention>, DirectiveError> {
    let none = Names { parameters: &[], has_array: &|_| false, has_places: false };
    read_all(0, text, &none).map(|(_, mentions)| mentions)
}

fn read_all(
    number: usize,
    text: &LayoutText<'_>,
    names: &Names<'_>,
) -> Result<(Clauses, Vec<Mention>), DirectiveError> {
    let mut reader = Reader {
        tokens: tokens(number, text.text)?,
        next: 0,
        source: text,
        names,
        is_of_others: false,
        mentions: Vec::new(),
        subscripts: Vec::new(),
        nested: 0,
        operations: 0,
    };
    let mut is_empty = true;
    let mut clauses = Clauses::default();
    while *reader.token() != Token::End {
        if reader.takes("#") {
            reader.word("pragma")?;
            reader.word("layout")?;
        }
        reader.one(&mut clauses)?;
        is_empty = false;
    }
    if is_empty {
        return Err(reader.place().error(
            "there is no map(...), expand(...), contract(...), reduce(...), keep(...) or before ...: map(redist: ...)",
        ));
    }
    Ok((clauses, reader.mentions))
}

struct Reader<'a> {
    tokens: Vec<(Token, Place)>,
    next: usize,
    source: &'a LayoutText<'a>,
    names: &'a Names<'a>,
    /// The clause at hand is about an array that is not known.
    is_of_others: bool,
    mentions: Vec<Mention>,
    /// The names of the clause at hand.
    subscripts: Vec<String>,
    nested: usize,
    /// In the expression at hand.
    operations: usize,
}

impl Reader<'_> {
    fn token(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn place(&self) -> Place {
        self.tokens[self.next].1
    }

    fn step(&mut self) -> Token {
        let token = self.token().clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = matches!(self.token(), Token::Sign(found) if *found == sign);
        if found {
            self.step();
        }
        found
    }

    fn wanted(&self, what: &str) -> DirectiveError {
        self.place().error(format!("expected {what}, not {}", self.token().shown()))
    }

    fn sign(&mut self, sign: &str) -> Result<(), DirectiveError> {
        if self.takes(sign) { Ok(()) } else { Err(self.wanted(&format!("`{sign}`"))) }
    }

    fn name(&mut self, what: &str) -> Result<String, DirectiveError> {
        let Token::Name(name) = self.token().clone() else { return Err(self.wanted(what)) };
        self.step();
        Ok(name)
    }

    fn word(&mut self, word: &str) -> Result<(), DirectiveError> {
        let place = self.place();
        match self.name(&format!("`{word}`"))? {
            found if found == word => Ok(()),
            found => Err(place.error(format!("expected `{word}`, not `{found}`"))),
        }
    }

    /// The array of a clause: its name comes next, unless the text is about one array.
    fn array(&mut self) -> Result<String, DirectiveError> {
        let place = self.place();
        let written = match (self.source.array, self.token()) {
            (Some(array), Token::Name(name)) => {
                return Err(place.error(format!("these maps are about `{array}` alone: leave out `{name}`")));
            }
            (Some(array), _) => array.to_owned(),
            (None, _) => self.name("the name of an array")?,
        };
        let array = self.source.aliases.get(&written).cloned().unwrap_or_else(|| written.clone());
        self.is_of_others = !(self.names.has_array)(&array);
        self.mentions.push(Mention {
            written,
            array: array.clone(),
            line: place.line,
            column: place.column,
            is_later: false,
        });
        Ok(array)
    }

    /// What stands between `open` and `close`, with commas.
    fn list<T>(
        &mut self,
        [open, close]: [&str; 2],
        mut one: impl FnMut(&mut Self) -> Result<T, DirectiveError>,
    ) -> Result<Vec<T>, DirectiveError> {
        self.sign(open)?;
        let mut all = Vec::new();
        if self.takes(close) {
            return Ok(all);
        }
        loop {
            if all.len() == MOST_LISTED {
                return Err(self.place().error(format!("a list of more than {MOST_LISTED}")));
            }
            all.push(one(self)?);
            if self.takes(close) {
                return Ok(all);
            }
            if !self.takes(",") {
                return Err(self.wanted(&format!("`,` or `{close}`")));
            }
        }
    }

    /// A map, an expansion, a contraction or a redistribution.
    fn one(&mut self, clauses: &mut Clauses) -> Result<(), DirectiveError> {
        let place = self.place();
        let word = self.name(WORDS)?;
        if word == "before" {
            let redist = self.redistribution()?;
            clauses.redistributions.extend((!self.is_of_others).then_some(redist));
            return Ok(());
        }
        self.sign("(")?;
        match word.as_str() {
            "expand" => {
                let expansion = self.expansion()?;
                clauses.expansions.extend((!self.is_of_others).then_some(expansion));
            }
            "reduce" => {
                let reduction = self.reduction()?;
                clauses.reductions.extend((!self.is_of_others).then_some(reduction));
            }
            "keep" => {
                let kept = self.kept()?;
                clauses.kept.extend((!self.is_of_others).then_some(kept));
            }
            "contract" if !self.has_transfer() => {
                let contraction = self.contraction()?;
                clauses.contractions.extend((!self.is_of_others).then_some(contraction));
            }
            "map" | "contract" => {
                let clause = self.beginning(word == "contract")?;
                clauses.maps.extend((!self.is_of_others).then_some(clause));
            }
            other => return Err(place.error(format!("expected {WORDS}, not `{other}`"))),
        }
        Ok(())
    }

    /// What is transferred comes next, as in `none: A(i)`.
    fn has_transfer(&self) -> bool {
        matches!(self.tokens.get(self.next + 1), Some((Token::Sign(":"), _)))
    }

    fn contraction(&mut self) -> Result<Contract, DirectiveError> {
        let place = self.place();
        let any_order = match self.source.array {
            Some(_) => matches!(self.token(), Token::Name(name) if name == "all"),
            None => false,
        };
        if any_order {
            self.step();
        }
        let array = self.array()?;
        let any_order =
            any_order || self.source.array.is_none() && self.takes(",") && self.word("all").map(|()| true)?;
        self.sign(")")?;
        Ok(Contract { array, any_order, place })
    }

    fn expansion(&mut self) -> Result<Expand, DirectiveError> {
        let place = self.place();
        let array = self.array()?;
        if self.source.array.is_none() {
            self.sign(",")?;
        }
        let number = self.place();
        let loops = match self.step() {
            Token::Number(loops) => usize::try_from(loops).ok().filter(|loops| *loops > 0),
            _ => None,
        };
        let loops = loops.ok_or_else(|| number.error("expected a number of loops, from 1"))?;
        self.sign(")")?;
        Ok(Expand { array, loops, place })
    }

    fn kept(&mut self) -> Result<Keep, DirectiveError> {
        let place = self.place();
        let array = self.array()?;
        if self.source.array.is_none() {
            self.sign(",")?;
        }
        let iterations = self.number(2, MOST_KEPT, "a number of iterations")?;
        self.sign(")")?;
        Ok(Keep { array, iterations, place })
    }

    fn reduction(&mut self) -> Result<Reduce, DirectiveError> {
        let place = self.place();
        let array = self.array()?;
        if self.source.array.is_none() {
            self.sign(",")?;
        }
        let parts = self.number(2, MOST_PARTS, "a number of partial results")?;
        let (mut block, mut split) = (None, None);
        while self.takes(",") {
            let place = self.place();
            match self.name("`loop` or `block`")?.as_str() {
                "loop" if split.is_none() => split = Some(self.number(1, MOST_LOOPS, "the number of a loop")?),
                "block" if block.is_none() => block = Some(self.number(1, MOST_BLOCK, "a number of iterations")?),
                other => return Err(place.error(format!("expected `loop` or `block` once, not `{other}`"))),
            }
        }
        self.sign(")")?;
        let split = split.and_then(|number| usize::try_from(number - 1).ok());
        Ok(Reduce { array, parts, block: block.unwrap_or(1), split, place })
    }

    fn number(&mut self, least: i64, most: i64, what: &str) -> Result<i64, DirectiveError> {
        let place = self.place();
        match self.step() {
            Token::Number(number) if (least..=most).contains(&number) => Ok(number),
            _ => Err(place.error(format!("expected {what}, from {least} to {most}"))),
        }
    }

    /// A map from the beginning of the region on.
    fn beginning(&mut self, contraction: bool) -> Result<Clause, DirectiveError> {
        let place = self.place();
        let transfer = self.name("in, out, inout or none")?;
        let transfer = transfer.parse().map_err(|message: String| place.error(message))?;
        if transfer == Transfer::Redist {
            return Err(place.error("a redistribution has a place: `before` a statement `: map(redist: ...)`"));
        }
        self.sign(":")?;
        self.clause(transfer, contraction)
    }

    /// What comes behind `before`.
    fn redistribution(&mut self) -> Result<Redist, DirectiveError> {
        let place = self.place();
        let before = (self.name("the name of a statement")?, place);
        self.sign(":")?;
        self.word("map")?;
        self.sign("(")?;
        let place = self.place();
        match self.name("`redist`")?.parse() {
            Ok(Transfer::Redist) => {}
            Ok(_) => return Err(place.error("before a statement stands `redist`; other maps are for the beginning")),
            Err(message) => return Err(place.error(message)),
        }
        self.sign(":")?;
        let place = self.place();
        let (array, map) = match self.takes_original()? {
            Some(array) => (array, None),
            None => {
                let clause = self.clause(Transfer::Redist, false)?;
                (clause.array.clone(), Some(clause))
            }
        };
        self.is_of_others |= !self.names.has_places;
        if let Some(mention) = self.mentions.last_mut() {
            mention.is_later = true;
        }
        Ok(Redist { before, array, map, place })
    }

    /// Takes `A -> original)` or `A(i) -> original)`, if that is what comes next; the array.
    fn takes_original(&mut self) -> Result<Option<String>, DirectiveError> {
        let rest = self.tokens[self.next..].iter().map(|(token, _)| token);
        let mut behind = rest.skip_while(|token| !matches!(token, Token::Sign("->") | Token::End)).skip(1);
        if !matches!(behind.next(), Some(Token::Name(word)) if word == ORIGINAL) {
            return Ok(None);
        }
        let array = self.array()?;
        if matches!(self.token(), Token::Sign("(")) {
            self.list(["(", ")"], |reader| reader.name("a name for a subscript"))?;
        }
        self.sign("->")?;
        self.word(ORIGINAL)?;
        self.sign(")")?;
        Ok(Some(array))
    }

    /// What comes behind what is transferred.
    fn clause(&mut self, transfer: Transfer, contraction: bool) -> Result<Clause, DirectiveError> {
        let place = self.place();
        let array = self.array()?;
        let subscripts = self.list(["(", ")"], |reader| reader.name("a name for a subscript"))?;
        for (position, name) in subscripts.iter().enumerate() {
            if subscripts[..position].contains(name) || self.names.parameters.contains(name) {
                return Err(place.error(format!("the subscript `{name}` of `{array}` has the name of something else")));
            }
        }
        self.subscripts = subscripts.clone();
        self.sign("->")?;
        let address = self.list(["(", ")"], Self::component)?;
        self.subscripts.clear();
        let domain = if self.takes(":") { Some(self.domain()?) } else { None };
        self.sign(")")?;
        let (address, pads) = address.into_iter().unzip();
        Ok(Clause { transfer, array, subscripts, address, pads, domain, contraction, place })
    }

    /// A dimension of an address, and how much longer it is.
    fn component(&mut self) -> Result<(Expr, Pad), DirectiveError> {
        let expression = self.sum()?;
        let is_aligned = match self.token() {
            Token::Name(name) if name == "pad" => false,
            Token::Name(name) if name == "align" => true,
            _ => return Ok((expression, Pad::By(0))),
        };
        self.step();
        let place = self.place();
        let number = match self.step() {
            Token::Number(number) => u32::try_from(number).ok().filter(|number| *number < 1 << 20),
            _ => None,
        };
        match (is_aligned, number) {
            (false, Some(more)) => Ok((expression, Pad::By(more))),
            (true, Some(multiple)) if multiple > 0 => Ok((expression, Pad::To(multiple))),
            (false, None) => Err(place.error("expected how much longer the dimension is, less than 1048576")),
            (true, _) => {
                Err(place.error("expected what the dimension's length is a multiple of, from 1 to less than 1048576"))
            }
        }
    }

    fn domain(&mut self) -> Result<(ElementType, Vec<Expr>), DirectiveError> {
        let place = self.place();
        let name = self.name("the type of the elements")?;
        let element = match name.as_str() {
            "double" => "f64".parse(),
            "float" => "f32".parse(),
            "int" => "i32".parse(),
            "long" => "i64".parse(),
            name => name.parse::<ElementType>(),
        };
        let element = element.map_err(|message| place.error(message))?;
        if *self.token() != Token::Sign("[") {
            return Ok((element, Vec::new()));
        }
        Ok((element, self.list(["[", "]"], Self::sum)?))
    }

    /// One more operation of an expression, after which all that walks it walks one level more.
    fn operation(&mut self, place: Place) -> Result<(), DirectiveError> {
        self.operations += 1;
        if self.operations > MOST_OPERATIONS {
            return Err(place.error(format!("an expression with more than {MOST_OPERATIONS} operations")));
        }
        Ok(())
    }

    fn sum(&mut self) -> Result<Expr, DirectiveError> {
        self.operations = if self.nested == 0 { 0 } else { self.operations };
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return Err(self.place().error("an expression that is nested too deeply"));
        }
        let mut sum = self.product()?;
        loop {
            let place = self.place();
            let fits = |sum: Result<Expr, _>| sum.map_err(|_| place.error("a number that does not fit 64 bits"));
            let is_sum = self.takes("+");
            if !is_sum && !self.takes("-") {
                self.nested -= 1;
                return Ok(sum);
            }
            self.operation(place)?;
            let other = self.product()?;
            sum = fits(if is_sum { sum.plus(&other) } else { sum.minus(&other) })?;
        }
    }

    fn product(&mut self) -> Result<Expr, DirectiveError> {
        let mut product = self.factor()?;
        loop {
            let place = self.place();
            if self.takes("*") {
                self.operation(place)?;
                let other = self.factor()?;
                let scaled = match (product.as_constant(), other.as_constant()) {
                    (_, Some(factor)) => product.times(factor),
                    (Some(factor), _) => other.times(factor),
                    _ => return Err(place.error("a product of two values that change is not affine")),
                };
                product = scaled.map_err(|_| place.error("a number that does not fit 64 bits"))?;
                continue;
            }
            let is_quotient = self.takes("/");
            if !is_quotient && !self.takes("%") {
                return Ok(product);
            }
            self.operation(place)?;
            let divisor = self.factor()?.as_constant().filter(|&divisor| divisor > 0);
            let divisor = divisor.ok_or_else(|| place.error("divisors have to be positive numbers"))?;
            product = if is_quotient { product.floor_div(divisor) } else { product.modulo(divisor) };
        }
    }

    fn factor(&mut self) -> Result<Expr, DirectiveError> {
        let place = self.place();
        if self.takes("(") {
            let inside = self.sum()?;
            self.sign(")")?;
            return Ok(inside);
        }
        if self.takes("-") {
            self.nested += 1;
            if self.nested > MOST_NESTED {
                return Err(place.error("an expression that is nested too deeply"));
            }
            let negated = self.factor()?.times(-1);
            self.nested -= 1;
            return negated.map_err(|_| place.error("a number that does not fit 64 bits"));
        }
        match self.token() {
            Token::Number(number) => {
                let number = Expr::Const(*number);
                self.step();
                Ok(number)
            }
            Token::Name(name) => {
                let meant = self.source.aliases.get(name).unwrap_or(name);
                let subscript = self.subscripts.iter().position(|known| known == name);
                let parameter = self.names.parameters.iter().position(|known| known == meant);
                let value = match (subscript, parameter) {
                    (Some(subscript), _) => Expr::Iterator(IteratorId(subscript)),
                    (None, Some(parameter)) => Expr::Parameter(parameter),
                    _ if self.is_of_others => Expr::Const(0),
                    _ => return Err(place.error(format!("`{name}` is neither a subscript nor a parameter"))),
                };
                self.step();
                Ok(value)
            }
            _ => Err(self.wanted("a number, a subscript or a parameter")),
        }
    }
}
