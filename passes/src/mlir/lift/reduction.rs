//! Which statements gather values in an element, in an order that may be changed.
//!
//! What a statement stores is a chain of operations of one kind, which begins with the element itself: `a + f`, `(a + f) + g`,
//! `a - f`, `fma(f, g, a)`, `a >= f ? a : f`. Nothing else in the statement uses the element, or a member of the chain; other elements of the
//! same array may be read, if the model tells them from it. Integers wrap around, so
//! that their order never counts, nor does that of which the greatest or the least is looked for, NaN among them; other
//! floating-point operations need `reassoc`, or an option that says so for all.

use std::collections::HashMap;

use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Type, TypeLike, Value, ValueLike};
use polyrs_core::isl;
use polyrs_core::scop::{Operator, Reduction, Role};

use super::memory::is_same_buffer;
use crate::mlir::ir::operation::{FMULADD, attribute, is, operands, regions};
use crate::mlir::ir::value::{ValueId, id, is_memref};
use crate::mlir::ir::{Access, AccessKind, Bound};
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
    use Operator::{Add, And, Max, Min, Mul, Or, UMax, UMin, Xor};
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
        (kind(UMax, "arith.maxui", false, Neutral::Integer(0)), &[("arith.maxui", None)]),
        (kind(UMin, "arith.minui", false, Neutral::Integer(-1)), &[("arith.minui", None)]),
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
        let read = target.own_read(body)?;
        let uses = Uses::of(body);
        let mut chain = Vec::new();
        let mut found: Option<(Kind, Forms)> = None;
        // What is gathered so far; each step is one operation further on.
        let mut so_far = read;
        while id(so_far) != id(target.value) {
            let (user, of) = uses.step(so_far, found)?;
            found = Some(of);
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
    /// The element; `None` for a value between statements.
    element: Option<Element<'c, 'a>>,
    /// The number of such a value.
    scalar: Option<usize>,
}

/// A buffer, and the subscripts of an element.
type Element<'c, 'a> = (Value<'c, 'a>, Bound<'c, 'a>);

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
            ([store], []) => {
                let element = Some((store.memref, store.subscripts.clone()));
                Some(Target { value: store.value, element, scalar: None })
            }
            ([], [(ValueStorage::Scalar(scalar), value)]) => {
                Some(Target { value: *value, element: None, scalar: Some(*scalar) })
            }
            ([], [(ValueStorage::Element { memref, subscripts }, value)]) => {
                Some(Target { value: *value, element: Some((*memref, subscripts.clone())), scalar: None })
            }
            _ => None,
        }
    }

    /// The value that is read of the place: the only one that is read of the buffer, of which the model says whether it is the
    /// same element, or of several the only one at the same subscripts.
    fn own_read(&self, body: &StatementBody<'c, 'a>) -> Option<Value<'c, 'a>> {
        let reads = self.reads(body);
        if let [(only, _)] = &reads[..] {
            return Some(*only);
        }
        let (buffer, own) = self.element.as_ref()?;
        let is_same = |(view, at): &Element<'c, 'a>| {
            let operands = |bound: &Bound<'c, 'a>| bound.operands.iter().map(|value| id(*value)).collect::<Vec<_>>();
            id(*view) == id(*buffer) && at.map == own.map && operands(at) == operands(own)
        };
        let mut same = reads.iter().filter(|(_, at)| at.as_ref().is_some_and(is_same)).map(|(value, _)| *value);
        same.next().filter(|_| same.next().is_none())
    }

    /// The values that are read of the buffer, and where.
    fn reads(&self, body: &StatementBody<'c, 'a>) -> Vec<(Value<'c, 'a>, Option<Element<'c, 'a>>)> {
        let is_buffer =
            |memref: Value<'c, 'a>| self.element.as_ref().is_some_and(|(own, _)| is_same_buffer(*own, memref));
        let inputs = body.inputs.iter().filter_map(|(value, place)| match place {
            ValueStorage::Scalar(scalar) => (self.scalar == Some(*scalar)).then_some((*value, None)),
            ValueStorage::Element { memref, subscripts } => {
                is_buffer(*memref).then(|| (*value, Some((*memref, subscripts.clone()))))
            }
        });
        let loads = body.operations.iter().filter_map(|operation| {
            let access = Access::new(*operation).filter(|access| access.kind == AccessKind::Load)?;
            is_buffer(access.memref).then_some((access.value, Some((access.memref, access.subscripts))))
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

    /// The operation that is the only one to use what is gathered so far, and its kind, which may be known.
    fn step(
        &self,
        so_far: Value<'c, 'a>,
        known: Option<(Kind, Forms)>,
    ) -> Option<(OperationRef<'c, 'a>, (Kind, Forms))> {
        let find = |is_of: &dyn Fn(&(Kind, Forms)) -> bool| match known {
            Some(known) => is_of(&known).then_some(known),
            None => KINDS.iter().copied().find(|one| is_of(one)),
        };
        if let Some((select, operation)) = self.extreme(so_far) {
            return Some((select, find(&|(kind, _)| kind.operation == operation)?));
        }
        let (user, position) = self.only(so_far)?;
        let (kind, forms) = find(&|(_, forms)| forms.iter().any(|(form, _)| is(user, form)))?;
        let (_, place) = forms.iter().find(|(form, _)| is(user, form))?;
        place.is_none_or(|only| only == position).then_some((user, (kind, forms)))
    }

    /// The choice between a value and another one by a comparison of the two, where nothing else uses the value, and the operation that
    /// this is: `a >= b ? a : b`.
    fn extreme(&self, value: Value<'c, 'a>) -> Option<(OperationRef<'c, 'a>, &'static str)> {
        let Some([one, other]) = self.0.get(&id(value)).map(Vec::as_slice) else { return None };
        let ((compare, side), (select, arm)) = if is(one.0, "arith.cmpi") { (*one, *other) } else { (*other, *one) };
        if !is(compare, "arith.cmpi") || !is(select, "arith.select") {
            return None;
        }
        let (compared, chosen) = (operands(compare), operands(select));
        let condition: Value<'c, 'a> = compare.result(0).ok()?.into();
        let (_, place) = self.only(condition)?;
        let is_same = id(chosen[0]) == id(condition) && id(compared[1 - side]) == id(chosen[3 - arm.max(1)]);
        if arm == 0 || place != 0 || !is_same {
            return None;
        }
        // sgt, sge: the first one is the greater if it holds; the value is chosen then, or if it does not.
        let predicate = attribute(compare, "predicate")?;
        let predicate = IntegerAttribute::try_from(predicate).ok()?.value();
        let (is_signed, first_is_greater) = match predicate {
            2 | 3 => (true, false),
            4 | 5 => (true, true),
            6 | 7 => (false, false),
            8 | 9 => (false, true),
            _ => return None,
        };
        let is_greater = (side == 0) == first_is_greater;
        Some((
            select,
            match (is_signed, is_greater == (arm == 1)) {
                (true, true) => "arith.maxsi",
                (true, false) => "arith.minsi",
                (false, true) => "arith.maxui",
                (false, false) => "arith.minui",
            },
        ))
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
