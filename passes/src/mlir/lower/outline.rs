//! The pass `poly-outline-parallel`: the body of each parallel loop becomes a function.
//!
//! OpenMP's lowering moves the body into a function of its own, where LLVM no longer sees what the
//! caller knew about aliasing and alignment. Here the body is moved first, into a private function that
//! states again, on its own arguments, what was known of the captured values.

use melior::Context;
use melior::ir::attribute::{FlatSymbolRefAttribute, IntegerAttribute, StringAttribute, TypeAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Attribute, BlockLike, BlockRef, Location, OperationRef, Type, Value, ValueLike};
use mlir_sys::{
    MlirDialectHandle, mlirGetDialectHandle__func__, mlirGetDialectHandle__llvm__, mlirGetDialectHandle__memref__,
};

use super::facts::{self, ArgumentFacts, BODY, FACTS};
use super::symbols::Symbols;
use super::uneven::{UNEVEN, take_mark};
use crate::mlir::ir::operation::{
    ancestors, arguments, attribute, erase, is, nested, only_block, operands, operations, results, string_attribute,
};
use crate::mlir::ir::value::defining;
use crate::mlir::ir::{Builder, ValueMap, captures};
use crate::mlir::lift::{function_argument, root};
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The pass `poly-outline-parallel`.
pub struct OutlineParallel;

impl Pass for OutlineParallel {
    const ARGUMENT: &'static str = "poly-outline-parallel";
    const DESCRIPTION: &'static str = "Move the bodies of outermost scf.parallel loops into functions that keep \
                                       what is known about aliasing and alignment";
    const OPERATION: &'static str = "builtin.module";
    const OPTIONS: &'static [OptionRow] = &[];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] =
        &[mlirGetDialectHandle__func__, mlirGetDialectHandle__llvm__, mlirGetDialectHandle__memref__];
    type Options = ();

    fn parse(_values: &Values) -> Result<(), OptionError> {
        Ok(())
    }

    fn run<'c>(context: &'c Context, module: OperationRef<'c, '_>, (): &()) -> Outcome {
        Outcome::of(outline_all(context, module))
    }
}

/// Outlines in every function of a module; says how many bodies were moved.
fn outline_all<'c>(context: &'c Context, module: OperationRef<'c, '_>) -> Result<usize, melior::Error> {
    let Some(body) = only_block(module, 0) else {
        return Ok(0);
    };
    let functions: Vec<_> = operations(body).into_iter().filter(|operation| is(*operation, "func.func")).collect();
    let mut symbols = Symbols::new(body);
    let mut count = 0;
    for function in functions {
        let base = string_attribute(function, "sym_name").unwrap_or_default();
        for parallel in outermost(function) {
            let name = symbols.first_free((0..).map(|number| format!("{base}_parallel_{number}")));
            outline(context, function, parallel, &name)?;
            count += 1;
        }
    }
    Ok(count)
}

/// The parallel loops of a function that are in no other and reduce nothing.
fn outermost<'c, 'a>(function: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    nested(function)
        .into_iter()
        .filter(|operation| is(*operation, "scf.parallel") && operation.result_count() == 0)
        .filter(|operation| !ancestors(*operation).any(|around| is(around, "scf.parallel")))
        .collect()
}

/// Moves the body of one loop into a new function after `function`, and calls it.
fn outline<'c, 'a>(
    context: &'c Context,
    function: OperationRef<'c, 'a>,
    parallel: OperationRef<'c, 'a>,
    name: &str,
) -> Result<(), melior::Error> {
    let (Some(body), Some(after)) = (only_block(parallel, 0), function.block()) else {
        return Ok(());
    };
    let location = parallel.location();
    let (constants, captured): (Vec<_>, Vec<_>) =
        captures(parallel).into_iter().partition(|value| constant(*value).is_some());
    let passed: Vec<Value<'c, 'a>> = arguments(body).into_iter().chain(captured).collect();
    let parameters: Vec<(Type<'c>, Location<'c>)> = passed.iter().map(|value| (value.r#type(), location)).collect();

    let outer = Builder::at_end(context, after, location);
    let (region, inner) = outer.region(&parameters);
    let mut map = ValueMap::new();
    for value in constants {
        if let Some(original) = constant(value) {
            map.clone_into(original, inner.block());
        }
    }
    for (original, argument) in passed.iter().zip(arguments(inner.block())) {
        map.insert(*original, argument);
    }
    restate(&inner, &passed, &mut map)?;
    let is_uneven = move_body(body, &inner, &mut map)?;

    let attributes = function_attributes(context, function, name, &passed);
    let attributes: Vec<_> = attributes.iter().map(|(name, value)| (*name, *value)).collect();
    outer.build_with("func.func", &[], &[], &attributes, vec![region])?;
    let Some(terminator) = body.terminator() else {
        return Ok(());
    };
    if let Some(builder) = Builder::before(context, terminator) {
        let callee = FlatSymbolRefAttribute::new(context, name).into();
        let mut attributes = vec![("callee", callee)];
        attributes.extend(is_uneven.then(|| (UNEVEN, Attribute::unit(context))));
        builder.with_location(location).build("func.call", &passed, &[], &attributes)?;
    }
    Ok(())
}

/// The constant that a value is, if it is one: those are copied rather than passed, so that LLVM still
/// sees them.
fn constant<'c, 'a>(value: Value<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    defining(value).map(|(operation, _)| operation).filter(|operation| is(*operation, "arith.constant"))
}

/// Clones the body into the function, ends it with a return, and empties the original but for its
/// terminator. Says whether iterations were marked as uneven.
fn move_body<'c, 'a>(
    body: BlockRef<'c, 'a>,
    inner: &Builder<'c, 'a>,
    map: &mut ValueMap<'c, 'a>,
) -> Result<bool, melior::Error> {
    let mut moved = operations(body);
    moved.pop();
    let is_uneven = take_mark(&mut moved);
    for operation in &moved {
        map.clone_into(*operation, inner.block());
    }
    inner.build("func.return", &[], &[], &[])?;
    for operation in moved.into_iter().rev() {
        // SAFETY: users come after what they use, so they are gone already; the body's operations
        // are not looked at again.
        unsafe { erase(operation) }
    }
    Ok(is_uneven)
}

/// States on the new function's arguments what was known of the captured values.
fn restate<'c, 'a>(
    inner: &Builder<'c, 'a>,
    passed: &[Value<'c, 'a>],
    map: &mut ValueMap<'c, 'a>,
) -> Result<(), melior::Error> {
    for value in passed {
        if let Some(bytes) = alignment(*value) {
            let i32_type = IntegerType::new(inner.context(), 32).into();
            let attribute = ("alignment", IntegerAttribute::new(i32_type, bytes).into());
            let aligned = inner.value("memref.assume_alignment", &[map.get(*value)], value.r#type(), &[attribute])?;
            map.insert(*value, aligned);
        }
    }
    let known: Vec<_> = passed.iter().map(|value| (*value, statements(*value))).collect();
    let mut done: Vec<OperationRef<'c, 'a>> = Vec::new();
    for fact in known.iter().flat_map(|(_, facts)| facts) {
        if done.contains(fact) {
            continue;
        }
        done.push(*fact);
        let group: Vec<_> = known.iter().filter(|(_, facts)| facts.contains(fact)).map(|(value, _)| *value).collect();
        if group.len() >= 2 {
            let arguments: Vec<_> = group.iter().map(|value| map.get(*value)).collect();
            let types: Vec<_> = group.iter().map(|value| value.r#type()).collect();
            let stated = inner.build("memref.distinct_objects", &arguments, &types, &[])?;
            for (value, apart) in group.into_iter().zip(results(stated)) {
                map.insert(value, apart);
            }
        }
    }
    Ok(())
}

/// The statements about overlap that a value went through, the last one first. Each of them holds for
/// the value, since their results are the same buffers as their operands.
fn statements<'c, 'a>(value: Value<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut result = Vec::new();
    let mut current = Some(value);
    while let Some((operation, number)) = current.and_then(defining) {
        if !is(operation, "memref.distinct_objects") {
            break;
        }
        result.push(operation);
        current = operands(operation).get(number).copied();
    }
    result
}

/// The alignment in bytes that the IR gives for a memref, by a statement or at its allocation.
fn alignment(value: Value<'_, '_>) -> Option<i64> {
    let (operation, number) = defining(value)?;
    if is(operation, "memref.distinct_objects") {
        return alignment(*operands(operation).get(number)?);
    }
    let allocated = is(operation, "memref.alloc") || is(operation, "memref.alloca");
    if !allocated && !is(operation, "memref.assume_alignment") {
        return None;
    }
    Some(IntegerAttribute::try_from(attribute(operation, "alignment")?).ok()?.value())
}

/// The facts of the function's arguments, for values that are such or views of them. It holds for the whole loop.
fn stated<'c>(function: OperationRef<'c, '_>, passed: &[Value<'c, '_>]) -> Vec<ArgumentFacts<'c>> {
    let known = facts::of(function).unwrap_or_default();
    let of_value = |value: &Value<'c, '_>| {
        let mut fact = ArgumentFacts::new(*value);
        if let Some(of_root) = function_argument(root(*value)).and_then(|number| known.get(number)) {
            fact.scope = of_root.scope;
            fact.apart.clone_from(&of_root.apart);
            fact.start = of_root.start;
        }
        fact
    };
    passed.iter().map(of_value).collect()
}

/// A private function of no results, with the LLVM attributes of the function that it came from.
fn function_attributes<'c>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
    name: &str,
    passed: &[Value<'c, '_>],
) -> Vec<(&'static str, Attribute<'c>)> {
    let parameters: Vec<Type<'c>> = passed.iter().map(|value| value.r#type()).collect();
    let r#type = FunctionType::new(context, &parameters, &[]).into();
    let mut attributes = vec![
        ("sym_name", StringAttribute::new(context, name).into()),
        ("sym_visibility", StringAttribute::new(context, "private").into()),
        ("function_type", TypeAttribute::new(r#type).into()),
    ];
    attributes.extend(attribute(function, "passthrough").map(|list| ("passthrough", list)));
    attributes.extend(facts::to_attribute(context, &stated(function, passed)).map(|facts| (FACTS, facts)));
    attributes.push((BODY, Attribute::unit(context)));
    attributes.extend(Attribute::parse(context, "#llvm.linkage<internal>").map(|linkage| ("llvm.linkage", linkage)));
    attributes
}
