//! Estimates: numbers that are known, or computed when the program runs.

use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, Value};

use crate::mlir::ir::Builder;

/// A number of operations or iterations, or an index.
#[derive(Clone, Copy, Debug)]
pub enum Amount<'c, 'a> {
    /// Known here.
    Known(f64),
    /// A value of type f64.
    Computed(Value<'c, 'a>),
}

/// `oge` among `arith`'s predicates.
const ORDERED_AND_AT_LEAST: i64 = 3;

/// An operator on two numbers.
#[derive(Clone, Copy, Debug)]
pub enum Operator {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The quotient.
    Divide,
    /// The smaller one.
    Least,
    /// The greater one.
    Greatest,
}

impl Operator {
    fn name(self) -> &'static str {
        match self {
            Operator::Add => "arith.addf",
            Operator::Subtract => "arith.subf",
            Operator::Multiply => "arith.mulf",
            Operator::Divide => "arith.divf",
            Operator::Least => "arith.minimumf",
            Operator::Greatest => "arith.maximumf",
        }
    }

    fn fold(self, left: f64, right: f64) -> f64 {
        match self {
            Operator::Add => left + right,
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide => left / right,
            Operator::Least => left.min(right),
            Operator::Greatest => left.max(right),
        }
    }
}

impl<'c, 'a> Amount<'c, 'a> {
    /// An index as a number.
    pub fn of_index(index: Value<'c, 'a>, builder: Builder<'c, 'a>) -> Result<Self, melior::Error> {
        let i64_type = IntegerType::new(builder.context(), 64).into();
        let integer = builder.value("arith.index_cast", &[index], i64_type, &[])?;
        builder.value("arith.sitofp", &[integer], Type::float64(builder.context()), &[]).map(Amount::Computed)
    }

    /// The result for two numbers.
    pub fn with(self, operator: Operator, other: Self, builder: Builder<'c, 'a>) -> Result<Self, melior::Error> {
        match (self, operator, other) {
            (Amount::Known(left), _, Amount::Known(right)) => Ok(Amount::Known(operator.fold(left, right))),
            (_, Operator::Add | Operator::Subtract, Amount::Known(0.0))
            | (_, Operator::Multiply | Operator::Divide, Amount::Known(1.0)) => Ok(self),
            (Amount::Known(0.0), Operator::Add, _) | (Amount::Known(1.0), Operator::Multiply, _) => Ok(other),
            _ => {
                let operands = [self.value(builder)?, other.value(builder)?];
                let f64_type = Type::float64(builder.context());
                builder.value(operator.name(), &operands, f64_type, &[]).map(Amount::Computed)
            }
        }
    }

    /// Whether it is at least some number, as an i1.
    pub fn at_least(self, least: f64, builder: Builder<'c, 'a>) -> Result<Value<'c, 'a>, melior::Error> {
        let context = builder.context();
        let operands = [self.value(builder)?, Amount::Known(least).value(builder)?];
        let i64_type = IntegerType::new(context, 64).into();
        let predicate = IntegerAttribute::new(i64_type, ORDERED_AND_AT_LEAST).into();
        builder.value("arith.cmpf", &operands, IntegerType::new(context, 1).into(), &[("predicate", predicate)])
    }

    /// As a value of type f64.
    pub fn value(self, builder: Builder<'c, 'a>) -> Result<Value<'c, 'a>, melior::Error> {
        match self {
            Amount::Computed(value) => Ok(value),
            Amount::Known(number) => {
                let f64_type = Type::float64(builder.context());
                let number = FloatAttribute::new(builder.context(), f64_type, number).into();
                builder.value("arith.constant", &[], f64_type, &[("value", number)])
            }
        }
    }
}
