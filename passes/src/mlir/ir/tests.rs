use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationLike;
use melior::ir::{AffineExpr, AffineMap, Location, Module, OperationRef};
use mlir_sys::{
    mlirDialectHandleInsertDialect, mlirGetDialectHandle__affine__, mlirGetDialectHandle__arith__,
    mlirGetDialectHandle__func__, mlirGetDialectHandle__memref__, mlirGetDialectHandle__vector__,
};

use super::operation::{is, nested, only_block, operations};
use super::*;

fn context() -> Context {
    let registry = DialectRegistry::new();
    for handle in [
        mlirGetDialectHandle__affine__,
        mlirGetDialectHandle__arith__,
        mlirGetDialectHandle__func__,
        mlirGetDialectHandle__memref__,
        mlirGetDialectHandle__vector__,
    ] {
        // SAFETY: handles are static and the registry is alive.
        unsafe { mlirDialectHandleInsertDialect(handle(), registry.to_raw()) }
    }
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

const SAMPLE: &str = r"
#set = affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 == 0)>
func.func @f(%a: memref<?x?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0.0 : f32
  %r = affine.for %i = max affine_map<(d0)->(0, d0)>(%n) to min affine_map<()[s0]->(s0, 100)>()[%n]
      step 2 iter_args(%acc = %c0) -> f32 {
    %v = affine.if #set(%i)[%n] -> f32 {
      %x = affine.load %a[%i + 1, symbol(%n)] : memref<?x?xf32>
      affine.yield %x : f32
    } else { affine.yield %c0 : f32 }
    affine.store %v, %a[%i, %i floordiv 2] : memref<?x?xf32>
    affine.yield %v : f32
  }
  affine.parallel (%i, %j) = (0, max(%n, 2)) to (10, min(%n, 20)) step (2, 3) {
    %y = affine.vector_load %a[%i,%j] : memref<?x?xf32>, vector<4xf32>
    affine.vector_store %y, %a[%i,%j] : memref<?x?xf32>, vector<4xf32>
  }
  %q = affine.apply affine_map<(d0)->(d0+1)>(%n)
  %m = affine.min affine_map<(d0)->(d0+1, 3)>(%q)
  return %r : f32
}";

fn find<'c, 'a, T>(function: OperationRef<'c, 'a>, view: impl FnMut(OperationRef<'c, 'a>) -> Option<T>) -> Vec<T> {
    nested(function).into_iter().filter_map(view).collect()
}

#[test]
fn views_say_what_the_text_says() {
    let context = context();
    let module = Module::parse(&context, SAMPLE).unwrap();
    // SAFETY: the module outlives the reference.
    let root = unsafe { OperationRef::from_raw(module.as_operation().to_raw()) };
    let loops = find(root, AffineFor::new);
    let [only] = &loops[..] else { panic!("{} loops", loops.len()) };
    assert_eq!(only.lower.map.to_string(), "(d0) -> (0, d0)");
    assert_eq!(only.upper.map.to_string(), "()[s0] -> (s0, 100)");
    assert_eq!((only.lower.operands.len(), only.upper.operands.len()), (1, 1));
    assert_eq!((only.step, only.inits.len(), only.carried.len()), (2, 1, 1));

    let conditions = find(root, AffineIf::new);
    assert_eq!(conditions[0].operands, [only.variable, only.lower.operands[0]]);
    assert!(conditions[0].otherwise.is_some());
    let set = conditions[0].condition;
    assert_eq!((set.dim_count(), set.symbol_count()), (1, 1));
    let constraints: Vec<_> =
        set.constraints().iter().map(|(expression, equal)| (expression.to_string(), *equal)).collect();
    assert_eq!(constraints, [("d0 - s0".to_owned(), false), ("d0".to_owned(), true)]);
    assert_eq!(IntegerSet::new(&context, 1, 1, &set.constraints()).to_string(), set.to_string());

    let parallel = &find(root, AffineParallel::new)[0];
    let bounds: Vec<_> = parallel.lowers.iter().chain(&parallel.uppers).collect();
    let maps: Vec<_> = bounds.iter().map(|bound| bound.map.to_string()).collect();
    assert_eq!(maps, ["(d0) -> (0)", "(d0) -> (d0, 2)", "(d0) -> (10)", "(d0) -> (d0, 20)"]);
    assert_eq!((&parallel.steps[..], parallel.variables.len()), (&[2, 3][..], 2));
    assert!(parallel.reductions.is_empty());

    let accesses = find(root, Access::new);
    let kinds: Vec<_> = accesses.iter().map(|access| (access.kind, access.vector)).collect();
    let (load, store) = (AccessKind::Load, AccessKind::Store);
    assert_eq!(kinds, [(load, false), (store, false), (load, true), (store, true)]);
    assert_eq!(accesses[0].subscripts.map.to_string(), "(d0)[s0] -> (d0 + 1, s0)");
    assert_eq!(accesses[1].value, accesses[1].operation.operand(0).unwrap());
    assert_eq!(accesses[0].memref, accesses[3].memref);

    let applies = find(root, Apply::new);
    assert_eq!((applies[0].kind, applies[1].kind), (ApplyKind::Apply, ApplyKind::Min));
}

#[test]
fn uses_and_captures() {
    let context = context();
    let module = Module::parse(&context, SAMPLE).unwrap();
    // SAFETY: the module outlives the reference.
    let root = unsafe { OperationRef::from_raw(module.as_operation().to_raw()) };
    let only = find(root, AffineFor::new).remove(0);
    let memref = find(root, Access::new)[0].memref;
    assert_eq!(value::uses(memref).len(), 4);
    assert!(value::is_memref(memref) && !value::is_memref(only.variable));
    assert_eq!(value::argument(only.variable).map(|(_, number)| number), Some(0));
    assert_eq!(value::defining(only.inits[0]).map(|(_, number)| number), Some(0));
    let count = captures(only.operation).len();
    assert_eq!(count, 3, "the memref, the size and the constant");
    assert!(operation::contains(root, only.operation));
    assert!(!operation::contains(only.operation, root));
}

#[test]
fn what_is_built_verifies_and_reads_back() {
    let context = context();
    let text = "func.func @g(%a: memref<?xf32>, %n: index) { return }";
    let module = Module::parse(&context, text).unwrap();
    // SAFETY: the module outlives the reference.
    let root = unsafe { OperationRef::from_raw(module.as_operation().to_raw()) };
    let function = find(root, |operation| is(operation, "func.func").then_some(operation))[0];
    let body = only_block(function, 0).unwrap();
    let [memref, size] = operation::arguments(body)[..] else { panic!("two arguments") };
    let builder = Builder::before(&context, operations(body)[0]).unwrap();
    let constant = |value| Bound { map: AffineMap::constant(&context, value), operands: Vec::new() };
    let symbol =
        Bound { map: AffineMap::new(&context, 0, 1, &[AffineExpr::symbol(&context, 0)]), operands: vec![size] };
    let least = Bound {
        map: AffineMap::new(&context, 1, 1, &[AffineExpr::dim(&context, 0), AffineExpr::symbol(&context, 0)]),
        operands: vec![size, size],
    };
    let parallel = builder.affine_parallel(&[constant(0), constant(3)], &[symbol.clone(), least], &[1, 4]).unwrap();
    let zero = parallel.body.constant_index(0).unwrap();
    let inner = parallel.body.affine_for(&constant(0), &symbol, 32, &[zero]).unwrap();
    let positive = IntegerSet::new(&context, 1, 0, &[(AffineExpr::dim(&context, 0), false)]);
    let (_, then, otherwise) = inner.body.affine_if(positive, &inner.variables, true).unwrap();
    let identity = Bound { map: AffineMap::multi_dim_identity(&context, 1), operands: inner.variables.clone() };
    then.apply(&identity).unwrap();
    then.affine_yield(&[]).unwrap();
    otherwise.unwrap().affine_yield(&[]).unwrap();
    inner.body.affine_yield(&inner.carried).unwrap();
    parallel.body.affine_yield(&[]).unwrap();
    assert!(module.as_operation().verify());

    let read = &find(root, AffineParallel::new)[0];
    assert_eq!(read.uppers[1].map.to_string(), "(d0)[s0, s1] -> (d0, s1)");
    assert_eq!(find(root, AffineFor::new)[0].step, 32);

    let before = nested(function).len();
    let mut map = ValueMap::new();
    map.insert(size, builder.constant_index(7).unwrap());
    let added = 1 + nested(parallel.operation).len();
    map.clone_before(parallel.operation, body, *operations(body).last().unwrap());
    assert_eq!(nested(function).len(), before + added);
    assert_eq!(value::uses(memref).len(), 0);
    assert_eq!(value::uses(size).len(), 4);
    assert_eq!(value::uses(map.get(size)).len(), 4);
    assert!(module.as_operation().verify());

    let _ = Location::unknown(&context);
    // SAFETY: the loop has no results, and no view of it is used again.
    unsafe { operation::erase(parallel.operation) };
    assert_eq!(value::uses(size).len(), 0);
    assert!(module.as_operation().verify());
}
