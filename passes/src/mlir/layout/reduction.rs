//! The statements of a reduction with partial results: the update over its new iterators, what writes neutral elements, and
//! what gathers the results.

use melior::ir::operation::{OperationMutLike, OperationRefMut};
use melior::ir::r#type::MemRefType;
use melior::ir::{AffineMap, Attribute, BlockLike, OperationRef, ShapedTypeLike, Value, ValueLike};
use polyrs_core::codegen::{self, Expr, IteratorId};
use polyrs_core::isl::DimType;
use polyrs_core::layout::{Placed, Reduced};
use polyrs_core::scop::{Scop, Statement};

use super::prototypes::Prototypes;
use crate::mlir::emit::EmitError;
use crate::mlir::ir::builder::map_attribute;
use crate::mlir::ir::operation::attribute;
use crate::mlir::ir::{Bound, ValueMap};
use crate::mlir::lift::Gathering;
use crate::mlir::region::{StatementBody, ValueStorage};

/// Where the program has what is gathered.
pub(super) enum Whole<'c, 'a> {
    /// In elements of a buffer.
    Memory(Value<'c, 'a>),
    /// In a value between statements, by its number.
    Scalar(usize),
}

const NO_REDUCTION: EmitError = EmitError::Place("a statement with partial results that is no reduction");

impl<'c, 'a> Prototypes<'_, 'c, 'a> {
    /// Has integers that are gathered in another order wrap around: that no sum overflows was said of the old order alone.
    pub(super) fn wrap_around(&self, body: &StatementBody<'c, 'a>, values: &ValueMap<'c, 'a>) {
        let Some(wraps) = Attribute::parse(self.context, "#arith.overflow<none>") else { return };
        for operation in Gathering::of(body).into_iter().flat_map(|gathering| gathering.chain) {
            let copy = operation.result(0).ok().and_then(|result| {
                let (copy, _) = crate::mlir::ir::value::defining(values.get(result.into()))?;
                attribute(copy, "overflowFlags").map(|_| copy)
            });
            if let Some(copy) = copy {
                // SAFETY: the copy is alive, in a block of ours, and no other reference changes it meanwhile.
                unsafe { OperationRefMut::from_raw(copy.to_raw()) }.set_attribute("overflowFlags", wraps);
            }
        }
    }

    /// The new iterators of an update, of which the old ones are computed first.
    pub(super) fn renumbered(
        &self,
        body: &StatementBody<'c, 'a>,
        reduced: &Reduced,
        statement: &Statement,
        (values, operations): (&mut ValueMap<'c, 'a>, &mut Vec<OperationRef<'c, 'a>>),
    ) -> Result<Vec<Value<'c, 'a>>, EmitError> {
        let iterators = self.iterators(statement)?;
        for (&old, former) in body.iterators.iter().zip(&reduced.former) {
            if let Expr::Iterator(IteratorId(position)) = former {
                values.insert(old, *iterators.get(*position).ok_or(NO_REDUCTION)?);
                continue;
            }
            let map = AffineMap::new(self.context, iterators.len(), 0, &[self.expression(former, iterators.len())?]);
            let bound = [("map", map_attribute(map))];
            let apply = self.at.build("affine.apply", &iterators, &[self.at.index()], &bound)?;
            values.insert(old, apply.result(0)?.into());
            operations.push(apply);
        }
        Ok(iterators)
    }

    /// The statements that write neutral elements and gather partial results.
    pub(super) fn partial_results(
        &self,
        body: &StatementBody<'c, 'a>,
        reduced: &Reduced,
        (placeholder, place): (Value<'c, 'a>, &Placed),
        whole: &Whole<'c, 'a>,
        scop: &Scop,
    ) -> Result<[StatementBody<'c, 'a>; 2], EmitError> {
        let gathering = Gathering::of(body).ok_or(NO_REDUCTION)?;
        let element = MemRefType::try_from(placeholder.r#type())?.element();
        if element != gathering.element || place.part.is_none() {
            return Err(NO_REDUCTION);
        }
        let number = gathering.neutral().and_then(|text| Attribute::parse(self.context, &text)).ok_or(NO_REDUCTION)?;
        let at = self.at.with_location(body.location);
        let empty = |iterators, operations| StatementBody {
            location: body.location,
            iterators,
            inputs: Vec::new(),
            operations,
            outputs: Vec::new(),
        };
        let part = |iterators: &[Value<'c, 'a>]| self.subscripts(reduced.partial.iter(), iterators);
        let iterators = self.iterators(scop.statement(reduced.neutral))?;
        let constant = at.build("arith.constant", &[], &[element], &[("value", number)])?;
        let written = part(&iterators)?;
        let stored = [&[constant.result(0)?.into(), placeholder][..], &written.operands].concat();
        let store = at.build("affine.store", &stored, &[], &[("map", map_attribute(written.map))])?;
        let neutral = empty(iterators, vec![constant, store]);

        let iterators = self.iterators(scop.statement(reduced.combine))?;
        let read = part(&iterators)?;
        let loaded = [&[placeholder][..], &read.operands].concat();
        let load = at.build("affine.load", &loaded, &[element], &[("map", map_attribute(read.map))])?;
        let partial = load.result(0)?.into();
        let gathered = |so_far: Value<'c, 'a>| at.build(gathering.kind.operation, &[so_far, partial], &[element], &[]);
        let combine = match whole {
            Whole::Memory(buffer) => {
                let bound = self.subscripts(reduced.element.iter(), &iterators)?;
                let map = [("map", map_attribute(bound.map))];
                let loaded = [&[*buffer][..], &bound.operands].concat();
                let first = at.build("affine.load", &loaded, &[element], &map)?;
                let sum = gathered(first.result(0)?.into())?;
                let stored = [&[sum.result(0)?.into(), *buffer][..], &bound.operands].concat();
                let store = at.build("affine.store", &stored, &[], &map)?;
                empty(iterators, vec![first, load, sum, store])
            }
            Whole::Scalar(scalar) => {
                let first = at.block().add_argument(element, body.location);
                let sum = gathered(first)?;
                let place = ValueStorage::Scalar(*scalar);
                let outputs = vec![(place.clone(), sum.result(0)?.into())];
                StatementBody { inputs: vec![(first, place)], outputs, ..empty(iterators, vec![load, sum]) }
            }
        };
        Ok([neutral, combine])
    }

    /// What stands for the iterators of a statement.
    fn iterators(&self, statement: &Statement) -> Result<Vec<Value<'c, 'a>>, EmitError> {
        let rank = statement.domain.dim(DimType::SET).map_err(codegen::Error::from)?;
        let location = self.at.location();
        Ok((0..rank).map(|_| self.at.block().add_argument(self.at.index(), location)).collect())
    }

    /// Subscripts that are expressions over iterators and parameters.
    fn subscripts<'e>(
        &self,
        all: impl Iterator<Item = &'e Expr>,
        iterators: &[Value<'c, 'a>],
    ) -> Result<Bound<'c, 'a>, EmitError> {
        let rank = iterators.len();
        let results = all.map(|one| self.expression(one, rank)).collect::<Result<Vec<_>, _>>()?;
        let map = AffineMap::new(self.context, rank + self.parameters.len(), 0, &results);
        Ok(Bound { map, operands: [iterators, self.parameters].concat() })
    }
}
