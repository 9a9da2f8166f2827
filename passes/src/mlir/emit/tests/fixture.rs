//! Regions described by hand: the IR's operations say in an attribute which statement they belong to.
//!
//! `stmt = "S"` on an operation: it is cloned for `S`. `scalar = "x"` besides: its result crosses statements as `x`.
//! `carried = "x"` on a loop: its carried value is `x` for the statements that use it, and its result after the region.
//! Index arguments of the function are the parameters, memref arguments the arrays, both in order.

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationLike;
use melior::ir::{Module, OperationRef, Value, ValueLike};
use mlir_sys::{
    mlirDialectHandleInsertDialect, mlirGetDialectHandle__affine__, mlirGetDialectHandle__arith__,
    mlirGetDialectHandle__func__, mlirGetDialectHandle__memref__, mlirGetDialectHandle__scf__,
};
use polyrs_core::codegen::{self, Ast};
use polyrs_core::isl;
use polyrs_core::scop::{Access, AccessKind, Array, ArrayKind, ElementKind, ElementType, Scop, Statement};

use crate::mlir::emit::{EmitError, Manner, emit};
use crate::mlir::ir::operation::{arguments, nested, only_block, operands, operations, results, string_attribute};
use crate::mlir::ir::value::{defining, is_memref, uses};
use crate::mlir::ir::{AffineFor, AffineParallel};
use crate::mlir::region::{ArrayBinding, LiftedRegion, LiveOut, StatementBody, ValueStorage};

pub fn context() -> Context {
    let registry = DialectRegistry::new();
    for handle in [
        mlirGetDialectHandle__affine__,
        mlirGetDialectHandle__arith__,
        mlirGetDialectHandle__func__,
        mlirGetDialectHandle__memref__,
        mlirGetDialectHandle__scf__,
    ] {
        // SAFETY: handles are static and the registry is alive.
        unsafe { mlirDialectHandleInsertDialect(handle(), registry.to_raw()) }
    }
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

/// The model's side of a region: names of parameters and arrays in the order of the arguments; the domain; accesses as
/// `(statement, kind, "{ S[i] -> A[i] }")`; the tree to emit.
pub struct Model<'m> {
    pub parameters: &'m [&'m str],
    pub context: &'m str,
    pub arrays: &'m [&'m str],
    pub scalars: &'m [&'m str],
    pub domain: &'m str,
    pub accesses: &'m [(&'m str, AccessKind, &'m str)],
    pub schedule: &'m str,
}

impl Model<'_> {
    pub fn scop(&self, ctx: &isl::Ctx) -> Scop {
        let context = isl::Set::parse(ctx, &format!("[{}] -> {}", self.parameters.join(","), self.context)).unwrap();
        let kinds = self.arrays.iter().map(|name| (name, ArrayKind::Memory));
        let arrays = kinds.chain(self.scalars.iter().map(|name| (name, ArrayKind::Scalar)));
        let arrays = arrays.map(|(name, kind)| {
            let element = ElementType { kind: ElementKind::Float, bits: 64 };
            Array::new(*name, Vec::new(), element, kind)
        });
        let domain = isl::UnionSet::parse(ctx, self.domain).unwrap();
        let sets = domain.set_list().unwrap().to_vec().unwrap();
        let statements = sets.into_iter().map(|domain| {
            let name = domain.tuple_name().unwrap().unwrap();
            let accesses = self.accesses.iter().enumerate().filter(|(_, access)| access.0 == name);
            let accesses = accesses.map(|(number, (_, kind, relation))| {
                Access::new(format!("R{number}"), *kind, isl::Map::parse(ctx, relation).unwrap())
            });
            let accesses = accesses.collect();
            Statement {
                name,
                domain,
                accesses,
                side_effect: true,
                may_trap: false,
                copy: false,
                reduction: None,
                block: None,
                parts: 1,
                text: String::new(),
            }
        });
        let live_out = isl::UnionSet::empty(context.space().unwrap()).unwrap();
        let schedule = isl::Schedule::parse(ctx, self.schedule).unwrap();
        Scop {
            name: "test".into(),
            context,
            arrays: arrays.collect(),
            statements: statements.collect(),
            schedule,
            live_out,
        }
    }
}

/// Parses the function, emits the model's tree in place of its loops, and gives the new text or the error with the
/// text.
pub fn rewritten(model: &Model<'_>, text: &str) -> Result<String, (EmitError, String)> {
    let context = context();
    let mut module = Module::parse(&context, text).expect("the test's input parses");
    let isl = isl::Ctx::new();
    let scop = model.scop(&isl);
    let ast = codegen::generate(&scop, &scop.schedule, &codegen::Options::default()).unwrap();
    let result = {
        // SAFETY: the module outlives the reference.
        let root = unsafe { OperationRef::from_raw(module.as_operation().to_raw()) };
        run(&context, root, model, scop, &ast)
    };
    assert!(module.as_operation().verify(), "{}", module.as_operation());
    let text = module.as_operation_mut().to_string();
    result.map(|()| text.clone()).map_err(|error| (error, text))
}

/// As MLIR prints the function when nothing is done.
pub fn printed(text: &str) -> String {
    let context = context();
    Module::parse(&context, text).expect("the test's input parses").as_operation().to_string()
}

fn run<'c>(
    context: &'c Context,
    root: OperationRef<'c, '_>,
    model: &Model<'_>,
    scop: Scop,
    ast: &Ast,
) -> Result<(), EmitError> {
    let function = operations(only_block(root, 0).unwrap())[0];
    let region = region_of(function, model, scop);
    emit(context, region, ast, 64, None, Manner::default()).map(|_| ())
}

fn region_of<'c, 'a>(function: OperationRef<'c, 'a>, model: &Model<'_>, scop: Scop) -> LiftedRegion<'c, 'a> {
    let entry = only_block(function, 0).unwrap();
    let of_region = |operation: &OperationRef<'c, 'a>| {
        nested(*operation).into_iter().any(|inner| string_attribute(inner, "stmt").is_some())
    };
    let replaced: Vec<_> = operations(entry).into_iter().filter(of_region).collect();
    let (memrefs, indices): (Vec<_>, Vec<_>) = arguments(entry).into_iter().partition(|value| is_memref(*value));
    let position = |name: &str| scop.arrays.iter().position(|array| array.name == name).unwrap();
    let mut arrays: Vec<_> = memrefs.into_iter().map(|buffer| ArrayBinding::Memory { buffer }).collect();
    let inner: Vec<_> = replaced.iter().flat_map(|operation| nested(*operation)).collect();
    let scalar_result = |operation: OperationRef<'c, 'a>| {
        string_attribute(operation, "scalar").map(|name| (results(operation)[0], position(&name)))
    };
    let crossing: Vec<(Value<'c, 'a>, usize)> = inner.iter().filter_map(|o| scalar_result(*o)).collect();
    let loops: Vec<_> = inner.iter().filter(|operation| string_attribute(**operation, "carried").is_some()).collect();
    let carried: Vec<(Value<'c, 'a>, Value<'c, 'a>, usize)> = loops
        .into_iter()
        .map(|operation| {
            let argument = AffineFor::new(*operation).unwrap().carried[0];
            (argument, results(*operation)[0], position(&string_attribute(*operation, "carried").unwrap()))
        })
        .collect();
    for name in model.scalars {
        let (value, _) = crossing.iter().find(|(_, scalar)| *scalar == position(name)).unwrap();
        arrays.push(ArrayBinding::Scalar { element: value.r#type() });
    }
    let statement = |name: &str| body_of(name, &inner, &crossing, &carried);
    let statements = scop.statements.iter().map(|s| statement(&s.name)).collect();
    let live_out = carried.iter().filter(|(_, result, _)| uses(*result).iter().any(|(user, _)| !inner.contains(user)));
    let live_out = live_out.map(|(_, value, scalar)| LiveOut { value: *value, scalar: *scalar }).collect();
    LiftedRegion {
        limits: scop.context.clone(),
        scop,
        location: function.location(),
        anchor: *replaced.last().unwrap(),
        replaced,
        hoisted: Vec::new(),
        deferred: Vec::new(),
        parameters: indices,
        arrays,
        statements,
        live_out,
        conditions: Vec::new(),
        settled: false,
        sizes: Vec::new(),
    }
}

/// The operations of a statement, with the scalars that they take from elsewhere and hand on.
fn body_of<'c, 'a>(
    name: &str,
    inner: &[OperationRef<'c, 'a>],
    crossing: &[(Value<'c, 'a>, usize)],
    carried: &[(Value<'c, 'a>, Value<'c, 'a>, usize)],
) -> StatementBody<'c, 'a> {
    let own = |operation: &OperationRef<'c, 'a>| string_attribute(*operation, "stmt").as_deref() == Some(name);
    let operations: Vec<_> = inner.iter().copied().filter(own).collect();
    let is_own = |value: Value<'c, 'a>| defining(value).is_some_and(|(operation, _)| own(&operation));
    let mut inputs: Vec<(Value<'c, 'a>, ValueStorage<'c, 'a>)> = Vec::new();
    for value in operations.iter().flat_map(|operation| operands(*operation)) {
        if let Some((_, scalar)) = crossing.iter().find(|(v, _)| *v == value && !is_own(*v)) {
            inputs.push((value, ValueStorage::Scalar(*scalar)));
        }
        if let Some((_, _, scalar)) = carried.iter().find(|(argument, ..)| *argument == value) {
            inputs.push((value, ValueStorage::Scalar(*scalar)));
        }
    }
    let outputs = crossing.iter().filter(|(v, _)| is_own(*v)).map(|(v, s)| (ValueStorage::Scalar(*s), *v)).collect();
    StatementBody {
        location: operations[0].location(),
        iterators: iterators(operations[0]),
        inputs,
        operations,
        outputs,
    }
}

fn iterators<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let mut variables = Vec::new();
    let mut current = operation.parent_operation();
    while let Some(outer) = current {
        if let Some(view) = AffineFor::new(outer) {
            variables.insert(0, view.variable);
        } else if let Some(view) = AffineParallel::new(outer) {
            variables.splice(0..0, view.variables);
        }
        current = outer.parent_operation();
    }
    variables
}
