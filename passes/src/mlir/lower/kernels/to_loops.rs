//! The pass `poly-kernels-to-loops`: kernels run on the CPU, block by block and thread by thread.
//!
//! It is for tests of kernels without a GPU, and for looking at them in a debugger: each `gpu.launch` becomes loops over
//! its blocks and threads, memory of the device becomes memory of the host's. A right kernel does the same in whatever
//! order its threads run, so there is a choice of two. Where there is no memory, the code for the CPU takes over. Barriers are kept (`super::phases`), but each loop or condition
//! with one in it acts as if it had one at its start and its end as well. Affine operations have to be lowered before,
//! since the number of a thread is none of their operands then.

use melior::Context;
use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::MemRefType;
use melior::ir::{OperationRef, Value, ValueLike};
use mlir_sys::{
    MlirDialectHandle, mlirGetDialectHandle__arith__, mlirGetDialectHandle__memref__, mlirGetDialectHandle__scf__,
};

use super::KernelRegion;
use super::numbers::{Direction, all_numbers};
use super::phases::{BARRIER, Phases, has_barrier};
use super::private::Private;
use super::shared::{private_buffers, shape, shared_buffers};
use crate::mlir::ir::operation::{
    ancestors, arguments, erase, is, name, nested, only_block, operands, operations, results,
};
use crate::mlir::ir::value::replace_all_uses;
use crate::mlir::ir::{Builder, ValueMap};
use crate::options::value::option;
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The pass `poly-kernels-to-loops`.
pub struct KernelsToLoops;

impl Pass for KernelsToLoops {
    const ARGUMENT: &'static str = "poly-kernels-to-loops";
    const DESCRIPTION: &'static str = "Run kernels (gpu.launch) on the CPU, block by block and thread by thread";
    const OPERATION: &'static str = "func.func";
    const OPTIONS: &'static [OptionRow] =
        &[option("threads", "forward|backward", "forward", "The order in which blocks and threads run")];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] =
        &[mlirGetDialectHandle__arith__, mlirGetDialectHandle__memref__, mlirGetDialectHandle__scf__];
    type Options = Direction;

    fn parse(values: &Values) -> Result<Direction, OptionError> {
        values.keyword("threads", &[("forward", Some(Direction::Forward)), ("backward", Some(Direction::Backward))])
    }

    fn run<'c>(context: &'c Context, function: OperationRef<'c, '_>, direction: &Direction) -> Outcome {
        Outcome::of(lower(context, function, *direction))
    }
}

/// What can be in a kernel.
const ALLOWED: [&str; 3] = ["gpu.launch", "gpu.terminator", BARRIER];

/// Lowers all kernels of a function, and what is done to memory of the device; says how much that was.
fn lower<'c>(context: &'c Context, function: OperationRef<'c, '_>, direction: Direction) -> Result<usize, String> {
    let outside: Vec<_> = nested(function)
        .into_iter()
        .filter(|operation| name(*operation).starts_with("gpu."))
        .filter(|operation| !ancestors(*operation).any(|around| is(around, "gpu.launch")))
        .collect();
    let regions = KernelRegion::all(function);
    let mut made = Vec::new();
    for &operation in &outside {
        let Some(builder) = Builder::before(context, operation) else { continue };
        let kind = name(operation);
        match kind.as_str() {
            "gpu.launch" => launch(builder, operation, direction)?,
            "gpu.alloc" => made.push(allocate(builder, operation)?),
            "gpu.memcpy" => plain(builder, operation, "memref.copy", &[1, 0])?,
            "gpu.dealloc" => plain(builder, operation, "memref.dealloc", &[0])?,
            _ => return Err(format!("'{kind}' cannot run on the CPU")),
        }
    }
    for region in regions {
        region.run_where_there_is_memory(context, &made).map_err(|error| error.to_string())?;
    }
    Ok(outside.len())
}

/// Another operation over some operands in the place of one without results.
fn plain<'c, 'a>(
    builder: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    kind: &str,
    order: &[usize],
) -> Result<(), String> {
    let before = operands(operation);
    if before.len() != order.len() || operation.result_count() > 0 {
        return Err(format!("'{}' with tokens cannot run on the CPU", name(operation)));
    }
    let after: Vec<Value<'c, 'a>> = order.iter().map(|&position| before[position]).collect();
    builder.build(kind, &after, &[], &[]).map_err(|error| error.to_string())?;
    // SAFETY: it has no results, so nobody uses it.
    unsafe { erase(operation) }
    Ok(())
}

/// Memory of the host's in the place of the device's.
fn allocate<'c, 'a>(builder: Builder<'c, 'a>, operation: OperationRef<'c, 'a>) -> Result<Value<'c, 'a>, String> {
    let [device] = results(operation)[..] else {
        return Err("'gpu.alloc' with tokens cannot run on the CPU".to_owned());
    };
    let sizes = operands(operation);
    let count = i32::try_from(sizes.len()).unwrap_or(i32::MAX);
    let segments = DenseI32ArrayAttribute::new(builder.context(), &[count, 0]).into();
    let host = builder
        .value("memref.alloc", &sizes, device.r#type(), &[("operandSegmentSizes", segments)])
        .map_err(|error| error.to_string())?;
    replace_all_uses(device, host);
    // SAFETY: nobody uses its result any more.
    unsafe { erase(operation) }
    Ok(host)
}

/// Loops over blocks, z outermost, and in them over threads, around the kernel's body.
fn launch<'c, 'a>(builder: Builder<'c, 'a>, launch: OperationRef<'c, 'a>, direction: Direction) -> Result<(), String> {
    let inside = only_block(launch, 0).ok_or("a kernel of several blocks of code cannot run on the CPU")?;
    let (sizes, numbers) = (operands(launch), arguments(inside));
    let shared = shared_buffers(launch);
    // The numbers of the block and the thread, and how many there are.
    let own = private_buffers(launch);
    if sizes.len() != 6 || numbers.len() != 12 + shared.len() + own.len() {
        return Err("a kernel with tokens, clusters or dynamic shared memory cannot run on the CPU".to_owned());
    }
    let others =
        nested(launch).into_iter().map(name).find(|kind| kind.starts_with("gpu.") && !ALLOWED.contains(&&**kind));
    if let Some(kind) = others {
        return Err(format!("'{kind}' in a kernel cannot run on the CPU"));
    }
    let mut map = ValueMap::new();
    for (number, size) in numbers[6..].iter().zip(&sizes) {
        map.insert(*number, *size);
    }
    // Blocks run one after the other, so they can all have the same memory.
    let buffers = shared.iter().map(|buffer| on_host(builder, *buffer)).collect::<Result<Vec<_>, _>>()?;
    for (buffer, own) in shared.iter().zip(&buffers) {
        map.insert(*buffer, *own);
    }
    let private = own.iter().map(|buffer| Private::of(builder, *buffer, &sizes[3..])).collect::<Result<Vec<_>, _>>()?;
    let mut body = builder;
    let mut over = |axes: [usize; 3], map: &mut ValueMap<'c, 'a>| {
        for axis in axes {
            let (inner, number) = all_numbers(body, sizes[axis], direction).map_err(|error| error.to_string())?;
            map.insert(numbers[axis], number);
            body = inner;
        }
        Ok::<_, String>(body)
    };
    let block = over([2, 1, 0], &mut map)?;
    if has_barrier(launch) {
        let phases = Phases { launch, threads: &sizes[3..], numbers: &numbers[3..6], private: &private, direction };
        phases.write(inside, &mut map, block)?;
    } else {
        let thread = over([5, 4, 3], &mut map)?;
        for one in &private {
            one.provide(&numbers[3..6], &mut map, thread)?;
        }
        for operation in operations(inside) {
            if !is(operation, "gpu.terminator") {
                map.clone_at(operation, thread);
            }
        }
    }
    for buffer in buffers.into_iter().chain(private.iter().map(|one| one.all)) {
        builder.build("memref.dealloc", &[buffer], &[], &[]).map_err(|error| error.to_string())?;
    }
    // SAFETY: a launch without tokens has no results, and what is in it was copied.
    unsafe { erase(launch) }
    Ok(())
}

/// Memory of the host's for what the threads of a block share.
fn on_host<'c, 'a>(builder: Builder<'c, 'a>, shared: Value<'c, 'a>) -> Result<Value<'c, 'a>, String> {
    let (element, sizes) = shape(shared).ok_or("shared memory without sizes cannot run on the CPU")?;
    let kind = MemRefType::new(element, &sizes, None, None).into();
    let segments = DenseI32ArrayAttribute::new(builder.context(), &[0, 0]).into();
    let memory = builder.value("memref.alloc", &[], kind, &[("operandSegmentSizes", segments)]);
    memory.map_err(|error| error.to_string())
}
