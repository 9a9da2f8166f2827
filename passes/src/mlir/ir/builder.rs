//! Building operations at a point.

use melior::Context;
use melior::ir::attribute::{DenseElementsAttribute, DenseI32ArrayAttribute, IntegerAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::RankedTensorType;
use melior::ir::{
    AffineMap, Attribute, Block, BlockLike, BlockRef, Identifier, Location, OperationRef, Region, RegionLike, Type,
    Value, ValueLike,
};
use mlir_sys::mlirAffineMapAttrGet;

use super::affine::Bound;
use super::integer_set::IntegerSet;
use super::operation::{arguments, name, results};

/// Appends operations to a block, or puts them before one of its operations.
#[derive(Clone, Copy)]
pub struct Builder<'c, 'a> {
    context: &'c Context,
    block: BlockRef<'c, 'a>,
    before: Option<OperationRef<'c, 'a>>,
    location: Location<'c>,
}

/// A map as an attribute.
pub fn map_attribute<'c>(map: AffineMap<'c>) -> Attribute<'c> {
    // SAFETY: the map lives as long as the context, and so does its attribute.
    unsafe { Attribute::from_raw(mlirAffineMapAttrGet(map.to_raw())) }
}

impl<'c, 'a> Builder<'c, 'a> {
    /// A builder that appends to a block.
    pub fn at_end(context: &'c Context, block: BlockRef<'c, 'a>, location: Location<'c>) -> Self {
        Self { context, block, before: None, location }
    }

    /// A builder that puts operations before one that is in a block; nothing if it is in none.
    pub fn before(context: &'c Context, operation: OperationRef<'c, 'a>) -> Option<Self> {
        Some(Self { context, block: operation.block()?, before: Some(operation), location: operation.location() })
    }

    /// The context.
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// The block that is built into.
    pub fn block(&self) -> BlockRef<'c, 'a> {
        self.block
    }

    /// The location of what is built.
    pub fn location(&self) -> Location<'c> {
        self.location
    }

    /// The same point with another location.
    pub fn with_location(self, location: Location<'c>) -> Self {
        Self { location, ..self }
    }

    /// The index type.
    pub fn index(&self) -> Type<'c> {
        Type::index(self.context)
    }

    /// Builds an operation without regions.
    ///
    /// # Errors
    /// The operation is not registered, or its results cannot be inferred.
    pub fn build(
        &self,
        name: &str,
        operands: &[Value<'c, 'a>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
    ) -> Result<OperationRef<'c, 'a>, melior::Error> {
        self.build_with(name, operands, results, attributes, Vec::new())
    }

    /// Builds an operation with regions.
    ///
    /// # Errors
    /// The operation is not registered, or its results cannot be inferred.
    pub fn build_with(
        &self,
        name: &str,
        operands: &[Value<'c, 'a>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
        regions: Vec<Region<'c>>,
    ) -> Result<OperationRef<'c, 'a>, melior::Error> {
        let attributes: Vec<_> =
            attributes.iter().map(|(name, value)| (Identifier::new(self.context, name), *value)).collect();
        let operation = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(results)
            .add_attributes(&attributes)
            .add_regions_vec(regions)
            .build()?;
        Ok(self.insert(operation))
    }

    /// Inserts an operation that was built elsewhere.
    pub fn insert(&self, operation: melior::ir::operation::Operation<'c>) -> OperationRef<'c, 'a> {
        match self.before {
            Some(before) => self.block.insert_operation_before(before, operation),
            None => self.block.append_operation(operation),
        }
    }

    /// Builds an operation without regions that has one result.
    ///
    /// # Errors
    /// As [`Builder::build`].
    pub fn value(
        &self,
        name: &str,
        operands: &[Value<'c, 'a>],
        result: Type<'c>,
        attributes: &[(&str, Attribute<'c>)],
    ) -> Result<Value<'c, 'a>, melior::Error> {
        Ok(self.build(name, operands, &[result], attributes)?.result(0)?.into())
    }

    /// An operation with other operands and another `map`, all else the same.
    ///
    /// # Errors
    /// MLIR refuses it.
    pub fn with_map(
        &self,
        operation: OperationRef<'c, 'a>,
        operands: &[Value<'c, 'a>],
        map: AffineMap<'c>,
    ) -> Result<OperationRef<'c, 'a>, melior::Error> {
        let types: Vec<_> = results(operation).iter().map(|result| result.r#type()).collect();
        let mut attributes: Vec<(String, Attribute<'c>)> = Vec::new();
        for number in 0..operation.attribute_count() {
            let (name, attribute) = operation.attribute_at(number)?;
            let name = name.as_string_ref().as_str().unwrap_or_default().to_owned();
            if name != "map" {
                attributes.push((name, attribute));
            }
        }
        attributes.push(("map".to_owned(), map_attribute(map)));
        let attributes: Vec<(&str, Attribute<'c>)> = attributes.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        self.build(&name(operation), operands, &types, &attributes)
    }

    /// `arith.constant` of index type.
    ///
    /// # Errors
    /// The arith dialect is not loaded.
    pub fn constant_index(&self, value: i64) -> Result<Value<'c, 'a>, melior::Error> {
        let value = IntegerAttribute::new(self.index(), value).into();
        self.value("arith.constant", &[], self.index(), &[("value", value)])
    }

    /// `affine.apply` of a map with one result.
    ///
    /// # Errors
    /// The affine dialect is not loaded.
    pub fn apply(&self, argument: &Bound<'c, 'a>) -> Result<Value<'c, 'a>, melior::Error> {
        self.value("affine.apply", &argument.operands, self.index(), &[("map", map_attribute(argument.map))])
    }

    /// `affine.for` without a terminator in its body, which the caller fills and ends with
    /// [`Builder::affine_yield`]. Gives the operation, the induction variable, the loop-carried
    /// arguments, and a builder that appends to the body.
    ///
    /// # Errors
    /// The affine dialect is not loaded.
    pub fn affine_for(
        &self,
        lower: &Bound<'c, 'a>,
        upper: &Bound<'c, 'a>,
        step: i64,
        inits: &[Value<'c, 'a>],
    ) -> Result<Loop<'c, 'a>, melior::Error> {
        use melior::ir::ValueLike;
        let types: Vec<Type<'c>> = inits.iter().map(|init| init.r#type()).collect();
        let mut parameters = vec![(self.index(), self.location)];
        parameters.extend(types.iter().map(|r#type| (*r#type, self.location)));
        let (region, body) = self.region(&parameters);
        let operands = [&lower.operands[..], &upper.operands[..], inits].concat();
        let sizes = [lower.operands.len(), upper.operands.len(), inits.len()].map(size);
        let attributes = [
            ("lowerBoundMap", map_attribute(lower.map)),
            ("upperBoundMap", map_attribute(upper.map)),
            ("step", IntegerAttribute::new(self.index(), step).into()),
            ("operandSegmentSizes", DenseI32ArrayAttribute::new(self.context, &sizes).into()),
        ];
        let operation = self.build_with("affine.for", &operands, &types, &attributes, vec![region])?;
        let mut carried = arguments(body.block);
        Ok(Loop { operation, variables: vec![carried.remove(0)], carried, body })
    }

    /// `affine.parallel` without results and without a terminator in its body, with one lower and one
    /// upper bound and one step a dimension.
    ///
    /// # Errors
    /// The affine dialect is not loaded.
    pub fn affine_parallel(
        &self,
        lowers: &[Bound<'c, 'a>],
        uppers: &[Bound<'c, 'a>],
        steps: &[i64],
    ) -> Result<Loop<'c, 'a>, melior::Error> {
        let parameters = vec![(self.index(), self.location); steps.len()];
        let (region, body) = self.region(&parameters);
        let (lower, lower_groups) = self.joined(lowers);
        let (upper, upper_groups) = self.joined(uppers);
        let i64_type = melior::ir::r#type::IntegerType::new(self.context, 64).into();
        let steps: Vec<Attribute<'c>> =
            steps.iter().map(|step| IntegerAttribute::new(i64_type, *step).into()).collect();
        let array = |values: &[Attribute<'c>]| melior::ir::attribute::ArrayAttribute::new(self.context, values).into();
        let attributes = [
            ("lowerBoundsMap", map_attribute(lower.map)),
            ("lowerBoundsGroups", self.groups(&lower_groups)),
            ("upperBoundsMap", map_attribute(upper.map)),
            ("upperBoundsGroups", self.groups(&upper_groups)),
            ("steps", array(&steps)),
            ("reductions", array(&[])),
        ];
        let operands = [&lower.operands[..], &upper.operands[..]].concat();
        let operation = self.build_with("affine.parallel", &operands, &[], &attributes, vec![region])?;
        Ok(Loop { operation, variables: arguments(body.block), carried: Vec::new(), body })
    }

    /// `affine.if` without results and without terminators: builders that append to the `then` block
    /// and, if wanted, to the `else` block.
    ///
    /// # Errors
    /// The affine dialect is not loaded.
    pub fn affine_if(
        &self,
        condition: IntegerSet<'c>,
        operands: &[Value<'c, 'a>],
        otherwise: bool,
    ) -> Result<(OperationRef<'c, 'a>, Self, Option<Self>), melior::Error> {
        let (then_region, then) = self.region(&[]);
        let (else_region, other) = if otherwise {
            let (region, builder) = self.region(&[]);
            (region, Some(builder))
        } else {
            (Region::new(), None)
        };
        let operation = self.build_with(
            "affine.if",
            operands,
            &[],
            &[("condition", condition.to_attribute())],
            vec![then_region, else_region],
        )?;
        Ok((operation, then, other))
    }

    /// `affine.yield`, the terminator of affine bodies.
    ///
    /// # Errors
    /// The affine dialect is not loaded.
    pub fn affine_yield(&self, values: &[Value<'c, 'a>]) -> Result<OperationRef<'c, 'a>, melior::Error> {
        self.build("affine.yield", values, &[], &[])
    }

    /// A region with one block of these arguments, and a builder that appends to it.
    pub fn region(&self, parameters: &[(Type<'c>, Location<'c>)]) -> (Region<'c>, Self) {
        let region = Region::new();
        let raw = Block::new(parameters).into_raw();
        // SAFETY: the block goes to the region, which goes to the operation that is built next; the
        // reference stays valid as long as that operation does.
        let block = unsafe {
            region.append_block(Block::from_raw(raw));
            BlockRef::from_raw(raw)
        };
        let builder = Self { block, before: None, ..*self };
        (region, builder)
    }

    /// One map of all bounds' results over all bounds' operands, and how many results each has.
    fn joined(&self, bounds: &[Bound<'c, 'a>]) -> (Bound<'c, 'a>, Vec<i32>) {
        let dims: usize = bounds.iter().map(|bound| bound.map.dim_count()).sum();
        let symbols: usize = bounds.iter().map(|bound| bound.map.symbol_count()).sum();
        let (mut dim, mut symbol) = (0, 0);
        let (mut results, mut groups) = (Vec::new(), Vec::new());
        let (mut dim_operands, mut symbol_operands) = (Vec::new(), Vec::new());
        for Bound { map, operands } in bounds {
            let (own_dims, own_symbols) = (map.dim_count(), map.symbol_count());
            groups.push(size(map.result_count()));
            for number in 0..map.result_count() {
                if let Ok(result) = map.result(number) {
                    results.push(result.shift_dims(own_dims, dim, 0).shift_symbols(own_symbols, symbol, 0));
                }
            }
            dim_operands.extend_from_slice(&operands[..own_dims]);
            symbol_operands.extend_from_slice(&operands[own_dims..]);
            dim += own_dims;
            symbol += own_symbols;
        }
        dim_operands.append(&mut symbol_operands);
        let bound = Bound { map: AffineMap::new(self.context, dims, symbols, &results), operands: dim_operands };
        (bound, groups)
    }

    fn groups(&self, sizes: &[i32]) -> Attribute<'c> {
        let i32_type = melior::ir::r#type::IntegerType::new(self.context, 32).into();
        let shape = [sizes.len() as u64];
        let r#type = RankedTensorType::new(&shape, i32_type, None).into();
        DenseElementsAttribute::i32_values(r#type, sizes).into()
    }
}

/// A loop that was just built.
pub struct Loop<'c, 'a> {
    /// The operation.
    pub operation: OperationRef<'c, 'a>,
    /// The induction variables, one for each dimension.
    pub variables: Vec<Value<'c, 'a>>,
    /// The loop-carried values as block arguments.
    pub carried: Vec<Value<'c, 'a>>,
    /// Appends to the body.
    pub body: Builder<'c, 'a>,
}

/// A count as MLIR stores it. Counts of operands are far below the limit.
fn size(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
