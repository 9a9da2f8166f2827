//! Which statements gather values in an element, in an order that may be changed.
//!
//! What a statement stores is a chain of operations of one kind, which begins with the element itself: `a + f`, `(a + f) + g`,
//! `a - f`, `fma(f, g, a)`. Nothing else in the statement uses the element, or a member of the chain. Integers wrap around, so
//! that their order never counts, nor does that of which the greatest or the least is looked for, NaN among them; other
//! floating-point operations need `reassoc`, or an option that says so for all.

use std::collections::HashMap;

use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Type, TypeLike, Value, ValueLike};
use polyrs_core::isl;
use polyrs_core::scop::{Operator, Reduction, Role};

use super::memory::is_same_buffer;
use crate::mlir::ir::operation::{FMULADD, attribute, is, operands, regions};
use crate::mlir::ir::value::{ValueId, id, is_memref};
use crate::mlir::ir::{Access, AccessKind};
use crate::mlir::region::{LiftedRegion, StatementBody, ValueStorage};

/// Says of each statement of a region whether it gathers values in an order that may be changed; with `reorder` also that of
/// floating-point operations without flags.
///
/// # Errors
/// Those of isl.
pub fn mark_reductions(region: &mut LiftedRegion<'_, '_>, reorder: bool) -> isl::Result<()> {
    for (statement, body) in region.scop.statements.iter_mut().zip(&region.statements) {
        let Some(chain) = Gathering::of(body).filter(|chain| chain.may_be_reordered(reorder)) else { continue };
        statement.reduction = Some(Reduction { operator: chain.kind.operator, role: Role::Update });
        if statement.gathered()?.is_none() {
            statement.reduction = None;
        }
    }
    Ok(())
}

/// A kind of operation that gathers values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// What the model calls it.
    pub operator: Operator,
    /// The operation of two values that is of this kind.
    pub operation: &'static str,
    /// Whether it is one of floating-point numbers.
    pub is_float: bool,
    /// The constant that changes nothing.
    pub neutral: Neutral,
}

/// A constant of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neutral {
    /// An integer.
    Integer(i64),
    /// A floating-point number, by its text.
    Float(&'static str),
    /// Infinity; below zero or not.
    Infinity {
        /// Below zero.
        negative: bool,
    },
    /// The least or the greatest signed integer.
    Signed {
        /// The greatest.
        greatest: bool,
    },
}

/// Operations of a kind, with the operand that is what was gathered so far; `None`: either one.
type Forms = &'static [(&'static str, Option<usize>)];

/// The kinds, with all operations that are of them.
const KINDS: &[(Kind, Forms)] = {
    use Operator::{Add, And, Max, Min, Mul, Or, Xor};
    const fn kind(operator: Operator, operation: &'static str, is_float: bool, neutral: Neutral) -> Kind {
        Kind { operator, operation, is_float, neutral }
    }
    &[
        // Adding a zero below zero changes no zero.
        (
            kind(Add, "arith.addf", true, Neutral::Float("-0.0")),
            &[("arith.addf", None), ("arith.subf", Some(0)), ("math.fma", Some(2)), (FMULADD, Some(2))],
        ),
        (kind(Mul, "arith.mulf", true, Neutral::Float("1.0")), &[("arith.mulf", None)]),
        (kind(Max, "arith.maximumf", true, Neutral::Infinity { negative: true }), &[("arith.maximumf", None)]),
        (kind(Min, "arith.minimumf", true, Neutral::Infinity { negative: false }), &[("arith.minimumf", None)]),
        (kind(Add, "arith.addi", false, Neutral::Integer(0)), &[("arith.addi", None), ("arith.subi", Some(0))]),
        (kind(Mul, "arith.muli", false, Neutral::Integer(1)), &[("arith.muli", None)]),
        (kind(And, "arith.andi", false, Neutral::Integer(-1)), &[("arith.andi", None)]),
        (kind(Or, "arith.ori", false, Neutral::Integer(0)), &[("arith.ori", None)]),
        (kind(Xor, "arith.xori", false, Neutral::Integer(0)), &[("arith.xori", None)]),
        (kind(Max, "arith.maxsi", false, Neutral::Signed { greatest: false }), &[("arith.maxsi", None)]),
        (kind(Min, "arith.minsi", false, Neutral::Signed { greatest: true }), &[("arith.minsi", None)]),
        (kind(Max, "arith.maxui", false, Neutral::Integer(0)), &[("arith.maxui", None)]),
        (kind(Min, "arith.minui", false, Neutral::Integer(-1)), &[("arith.minui", None)]),
    ]
};

/// A statement that gathers values in an element.
pub struct Gathering<'c, 'a> {
    /// How.
    pub kind: Kind,
    /// The operations that gather, last one first.
    pub chain: Vec<OperationRef<'c, 'a>>,
    /// The type of the element.
    pub element: Type<'c>,
}

impl<'c, 'a> Gathering<'c, 'a> {
    /// What a statement gathers, in whatever order; `None` if it does something else.
    pub fn of(body: &StatementBody<'c, 'a>) -> Option<Self> {
        let target = Target::of(body)?;
        let [read] = target.reads(body)[..] else { return None };
        let uses = Uses::of(body);
        let mut chain = Vec::new();
        let mut found: Option<(Kind, Forms)> = None;
        // What is gathered so far; each step is one operation further on.
        let mut so_far = read;
        while id(so_far) != id(target.value) {
            // It is used there alone.
            let (user, position) = uses.only(so_far)?;
            let (kind, forms) = match found {
                Some(known) => known,
                None => KINDS.iter().copied().find(|(_, forms)| forms.iter().any(|(form, _)| is(user, form)))?,
            };
            let (_, place) = forms.iter().find(|(form, _)| is(user, form))?;
            if place.is_some_and(|only| only != position) {
                return None;
            }
            found = Some((kind, forms));
            chain.push(user);
            so_far = user.result(0).ok()?.into();
        }
        chain.reverse();
        let (kind, _) = found?;
        let element = target.value.r#type();
        can_be_neutral(kind, element).then_some(Gathering { kind, chain, element })
    }

    /// Whether the order may be changed, with `reorder` of all operations.
    fn may_be_reordered(&self, reorder: bool) -> bool {
        let is_extreme = matches!(self.kind.neutral, Neutral::Infinity { .. });
        !self.kind.is_float
            || self.chain.iter().all(|operation| {
                let flags = flags(*operation);
                let has = |flag: &str| flags.iter().any(|one| one == flag || one == "fast");
                // Infinity is the neutral element, of which the program promises that there is none.
                (is_extreme || reorder || has("reassoc")) && !(is_extreme && has("ninf"))
            })
    }
}

/// Where a statement stores its only result.
struct Target<'c, 'a> {
    value: Value<'c, 'a>,
    /// The buffer; `None` for a value between statements.
    memref: Option<Value<'c, 'a>>,
    /// The number of such a value.
    scalar: Option<usize>,
}

impl<'c, 'a> Target<'c, 'a> {
    fn of(body: &StatementBody<'c, 'a>) -> Option<Self> {
        if body.operations.iter().any(|operation| !regions(*operation).is_empty()) {
            return None;
        }
        let touches = |operation: &&OperationRef<'c, 'a>| operands(**operation).into_iter().any(is_memref);
        let mut stores = Vec::new();
        for operation in body.operations.iter().filter(touches) {
            let access = Access::new(*operation).filter(|access| !access.vector)?;
            if access.kind == AccessKind::Store {
                stores.push(access);
            }
        }
        match (&stores[..], &body.outputs[..]) {
            ([store], []) => Some(Target { value: store.value, memref: Some(store.memref), scalar: None }),
            ([], [(ValueStorage::Scalar(scalar), value)]) => {
                Some(Target { value: *value, memref: None, scalar: Some(*scalar) })
            }
            ([], [(ValueStorage::Element { memref, .. }, value)]) => {
                Some(Target { value: *value, memref: Some(*memref), scalar: None })
            }
            _ => None,
        }
    }

    fn is_place(&self, storage: &ValueStorage<'c, 'a>) -> bool {
        match storage {
            ValueStorage::Scalar(scalar) => self.scalar == Some(*scalar),
            ValueStorage::Element { memref, .. } => self.memref.is_some_and(|own| is_same_buffer(own, *memref)),
        }
    }

    /// The values that are read of the buffer; that it is the same element, the model says.
    fn reads(&self, body: &StatementBody<'c, 'a>) -> Vec<Value<'c, 'a>> {
        let inputs = body.inputs.iter().filter(|(_, place)| self.is_place(place)).map(|(value, _)| *value);
        let loads = body.operations.iter().filter_map(|operation| {
            let access = Access::new(*operation).filter(|access| access.kind == AccessKind::Load)?;
            self.memref.is_some_and(|own| is_same_buffer(own, access.memref)).then_some(access.value)
        });
        inputs.chain(loads).collect()
    }
}

/// Which operations of a statement use a value, and as which operand.
struct Uses<'c, 'a>(HashMap<ValueId, Vec<(OperationRef<'c, 'a>, usize)>>);

impl<'c, 'a> Uses<'c, 'a> {
    fn of(body: &StatementBody<'c, 'a>) -> Self {
        let mut all: HashMap<_, Vec<_>> = HashMap::new();
        for &operation in &body.operations {
            for (position, operand) in operands(operation).into_iter().enumerate() {
                all.entry(id(operand)).or_default().push((operation, position));
            }
        }
        Uses(all)
    }

    /// The only use; `None` if there are others, or none.
    fn only(&self, value: Value<'c, 'a>) -> Option<(OperationRef<'c, 'a>, usize)> {
        match self.0.get(&id(value)).map(Vec::as_slice) {
            Some([only]) => Some(*only),
            _ => None,
        }
    }
}

/// The fast-math flags of an operation.
fn flags(operation: OperationRef<'_, '_>) -> Vec<String> {
    let which = if is(operation, FMULADD) { "fastmathFlags" } else { "fastmath" };
    let text = attribute(operation, which).map_or_else(String::new, |flags| flags.to_string());
    let inner = text.split_once('<').and_then(|(_, rest)| rest.rsplit_once('>')).map_or("", |(inner, _)| inner);
    inner.split(',').map(|flag| flag.trim().to_owned()).collect()
}

/// Whether the neutral element can be said in a type.
fn can_be_neutral(kind: Kind, element: Type<'_>) -> bool {
    match kind.neutral {
        Neutral::Integer(_) => element.is_integer() || element.is_index(),
        Neutral::Signed { .. } => IntegerType::try_from(element).is_ok_and(|r#type| (2..=64).contains(&r#type.width())),
        Neutral::Float(_) => kind.is_float,
        Neutral::Infinity { .. } => infinity(element, true).is_some(),
    }
}

/// Infinity of a type, by its bits.
fn infinity(element: Type<'_>, negative: bool) -> Option<&'static str> {
    let [below, above] = match element.to_string().as_str() {
        "f64" => ["0xFFF0000000000000", "0x7FF0000000000000"],
        "f32" => ["0xFF800000", "0x7F800000"],
        "f16" => ["0xFC00", "0x7C00"],
        "bf16" => ["0xFF80", "0x7F80"],
        _ => return None,
    };
    Some(if negative { below } else { above })
}

impl Gathering<'_, '_> {
    /// The text of the attribute that is the neutral element.
    pub fn neutral(&self) -> Option<String> {
        let number = match self.kind.neutral {
            Neutral::Integer(number) => number.to_string(),
            Neutral::Float(number) => number.to_owned(),
            Neutral::Infinity { negative } => infinity(self.element, negative)?.to_owned(),
            Neutral::Signed { greatest } => {
                let width = IntegerType::try_from(self.element).ok()?.width();
                let least = i128::from(i64::MIN) >> (64 - width);
                if greatest { (-1 - least).to_string() } else { least.to_string() }
            }
        };
        // A bit is a truth.
        let number = match (self.element.to_string().as_str(), number.as_str()) {
            ("i1", "0") => return Some("false".to_owned()),
            ("i1", _) => return Some("true".to_owned()),
            _ => number,
        };
        Some(format!("{number} : {}", self.element))
    }
}
