//! Facts about the memrefs that a function takes, on their way from where they are known to LLVM's loads and stores.
//!
//! Conversion to LLVM splits a memref into the parts of its descriptor and drops the attributes of arguments, so the
//! facts are an attribute of the function, with an entry for each of its arguments:
//!
//! ```mlir
//! polyrs.facts = [{parts = 5 : i64, scope = #a, apart = [#b]},
//!                 {parts = 1 : i64},
//!                 {parts = 5 : i64, scope = #b, apart = [#a]}]
//! ```
//!
//! The facts go away with the function when it is inlined, and are not used if the function's arguments are no longer
//! those that they were stated for.

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute, IntegerAttribute, StringAttribute};
use melior::ir::operation::{OperationMutLike, OperationRefMut};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, BlockLike, BlockRef, Identifier, OperationRef, TypeLike, Value, ValueLike};
use mlir_sys::{mlirShapedTypeGetRank, mlirTypeIsAUnrankedMemRef};

use crate::mlir::ir::operation::{arguments, attribute};
use crate::mlir::ir::value;

/// The attribute that holds the facts of a function.
pub const FACTS: &str = "polyrs.facts";

/// The attribute of functions that are the body of a parallel loop. Scopes hold for the whole loop, not for one
/// iteration, so such a function does not declare them.
pub const BODY: &str = "polyrs.body";

/// The attribute of functions that were raised from LLVM IR: for each of the first arguments, which are arrays, where
/// it starts ([`Start`]).
pub const STARTS: &str = "polyrs.starts";

/// The attribute of functions that says of which of their arguments, arrays, nobody looks at the elements afterwards: the
/// numbers of these.
pub const DEAD: &str = "polyrs.dead";

/// The attribute of functions that were raised without what the original does besides its work in each iteration: it looks for
/// errors, or loads where its arrays are. So they do less, even in its order.
pub const BURDENED: &str = "polyrs.burdened";

/// Where an array of a raised function starts. Its subscripts are those of a memref: within the extents, none of them
/// negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Inside of the object that holds its elements.
    Inside,
    /// Anywhere: the original computes addresses without `inbounds`.
    Anywhere,
}

impl Start {
    /// The word for it in attributes.
    pub fn text(self) -> &'static str {
        match self {
            Self::Inside => "inside",
            Self::Anywhere => "anywhere",
        }
    }

    fn from_attribute(attribute: Attribute<'_>) -> Self {
        let text = StringAttribute::try_from(attribute);
        if text.is_ok_and(|text| text.value() == Self::Inside.text()) { Self::Inside } else { Self::Anywhere }
    }
}

/// The facts about one argument of a function.
#[derive(Clone)]
pub struct ArgumentFacts<'c> {
    /// The number of values that the argument is in LLVM, if memrefs become descriptors.
    pub parts: usize,
    /// The alias scope of what is accessed through the argument and views of it.
    pub scope: Option<Attribute<'c>>,
    /// The alias scopes of accesses that touch no memory of this one's, if one of the two writes.
    pub apart: Vec<Attribute<'c>>,
    /// Where the array starts, if the function was raised.
    pub start: Option<Start>,
}

impl<'c> ArgumentFacts<'c> {
    /// Nothing is known of an argument.
    pub fn new(argument: Value<'c, '_>) -> Self {
        let raw = argument.r#type().to_raw();
        // SAFETY: the type is alive, and its kind is tested before the rank is asked for.
        let parts = unsafe {
            if value::is_memref(argument) {
                // Two pointers, an offset, and a size and a stride for each dimension.
                3 + 2 * usize::try_from(mlirShapedTypeGetRank(raw)).unwrap_or(0)
            } else if mlirTypeIsAUnrankedMemRef(raw) {
                2
            } else {
                1
            }
        };
        Self { parts, scope: None, apart: Vec::new(), start: None }
    }

    /// Whether it is known of two arguments that they are apart.
    pub fn is_apart(&self, other: &Self) -> bool {
        other.scope.is_some_and(|scope| self.apart.contains(&scope))
    }

    fn is_nothing(&self) -> bool {
        self.scope.is_none() && self.start.is_none()
    }

    fn to_attribute(&self, context: &'c Context) -> Attribute<'c> {
        let i64_type = IntegerType::new(context, 64).into();
        let parts = IntegerAttribute::new(i64_type, i64::try_from(self.parts).unwrap_or(0));
        let mut entries: Vec<(Identifier<'c>, Attribute<'c>)> = vec![(Identifier::new(context, "parts"), parts.into())];
        if let Some(scope) = self.scope {
            entries.push((Identifier::new(context, "scope"), scope));
            let apart = ArrayAttribute::new(context, &self.apart).into();
            entries.push((Identifier::new(context, "apart"), apart));
        }
        if let Some(start) = self.start {
            let text = StringAttribute::new(context, start.text()).into();
            entries.push((Identifier::new(context, "start"), text));
        }
        DictionaryAttribute::new(context, &entries).into()
    }

    fn from_attribute(attribute: Attribute<'c>) -> Option<Self> {
        let entries = DictionaryAttribute::try_from(attribute).ok()?;
        let parts = IntegerAttribute::try_from(entries.element_by_name("parts")?).ok()?.value();
        Some(Self {
            parts: usize::try_from(parts).ok()?,
            scope: entries.element_by_name("scope"),
            apart: entries.element_by_name("apart").map(elements).unwrap_or_default(),
            start: entries.element_by_name("start").map(Start::from_attribute),
        })
    }
}

/// Scopes of a new domain, all of them different from all others that there are.
pub fn new_scopes<'c>(context: &'c Context, count: usize) -> Option<Vec<Attribute<'c>>> {
    let domain = "#llvm.alias_scope_domain<id = distinct[0]<>>";
    let scopes: Vec<String> =
        (1..=count).map(|number| format!("#llvm.alias_scope<id = distinct[{number}]<>, domain = {domain}>")).collect();
    Some(elements(Attribute::parse(context, &format!("[{}]", scopes.join(", ")))?))
}

/// The facts as an attribute for a function; nothing if nothing is known.
pub fn to_attribute<'c>(context: &'c Context, facts: &[ArgumentFacts<'c>]) -> Option<Attribute<'c>> {
    if facts.iter().all(ArgumentFacts::is_nothing) {
        return None;
    }
    let entries: Vec<_> = facts.iter().map(|fact| fact.to_attribute(context)).collect();
    Some(ArrayAttribute::new(context, &entries).into())
}

/// The facts of a function's arguments; nothing if there is no statement.
pub fn of<'c>(function: OperationRef<'c, '_>) -> Option<Vec<ArgumentFacts<'c>>> {
    elements(attribute(function, FACTS)?).into_iter().map(ArgumentFacts::from_attribute).collect()
}

/// Where the arrays of a raised function start.
pub fn starts(function: OperationRef<'_, '_>) -> Vec<Start> {
    let words = attribute(function, STARTS).map(elements).unwrap_or_default();
    words.into_iter().map(Start::from_attribute).collect()
}

/// Whether a buffer is an argument of a function whose elements nobody looks at afterwards.
pub fn is_dead_after(buffer: Value<'_, '_>) -> bool {
    let Some((block, number)) = value::argument(buffer) else { return false };
    let numbers = block.parent_operation().and_then(|function| attribute(function, DEAD)).map(elements);
    let is_it = |one: Attribute<'_>| {
        IntegerAttribute::try_from(one).is_ok_and(|one| usize::try_from(one.value()) == Ok(number))
    };
    numbers.is_some_and(|all| all.into_iter().any(is_it))
}

/// Whether a buffer is an array of a raised function, of which nobody knows how many rows it has.
pub fn is_raised(buffer: Value<'_, '_>) -> bool {
    let Some((block, number)) = value::argument(buffer) else { return false };
    block.parent_operation().is_some_and(|function| number < starts(function).len())
}

/// Removes an attribute of an operation.
pub fn remove(operation: OperationRef<'_, '_>, name: &str) {
    // SAFETY: the operation is alive, and no other reference changes it meanwhile. Failure means that there is none.
    let _ = unsafe { OperationRefMut::from_raw(operation.to_raw()) }.remove_attribute(name);
}

/// For each argument of a function of the LLVM dialect, the number of the fact about it; nothing if the arguments are
/// not what the facts were stated for, as descriptors or as bare pointers.
pub fn of_parts(facts: &[ArgumentFacts<'_>], entry: BlockRef<'_, '_>) -> Option<Vec<usize>> {
    let kinds: Vec<String> = arguments(entry).iter().map(|argument| argument.r#type().to_string()).collect();
    let (mut as_descriptors, mut as_pointers) = (Vec::new(), Vec::new());
    for (number, fact) in facts.iter().enumerate() {
        as_descriptors.extend(std::iter::repeat_n(number, fact.parts));
        as_pointers.extend(std::iter::repeat_n(number, if fact.parts == 2 { 2 } else { 1 }));
    }
    let owners = [as_descriptors, as_pointers].into_iter().find(|owners| owners.len() == kinds.len())?;
    let fits = (0..facts.len()).all(|number| {
        let parts: Vec<&str> =
            owners.iter().zip(&kinds).filter(|(owner, _)| **owner == number).map(|(_, kind)| kind.as_str()).collect();
        match parts[..] {
            _ if facts[number].is_nothing() => true,
            [pointer] => pointer == POINTER,
            [one, other, ref numbers @ ..] => {
                one == POINTER && other == POINTER && numbers.iter().all(|kind| *kind == "i64")
            }
            [] => false,
        }
    });
    fits.then_some(owners)
}

const POINTER: &str = "!llvm.ptr";

/// The elements of an array attribute; none for other attributes.
pub fn elements<'c>(attribute: Attribute<'c>) -> Vec<Attribute<'c>> {
    let Ok(list) = ArrayAttribute::try_from(attribute) else { return Vec::new() };
    (0..list.len()).filter_map(|number| list.element(number).ok()).collect()
}
