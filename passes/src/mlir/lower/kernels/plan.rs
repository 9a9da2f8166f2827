//! One region: what its buffers, launches and copies are, and the calls that they become.
//!
//! Everything is read before anything is changed.

use std::collections::HashMap;

use melior::Context;
use melior::ir::attribute::{DenseI32ArrayAttribute, IntegerAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::r#type::IntegerType;
use melior::ir::{BlockLike, BlockRef, OperationRef, Value, ValueLike};

use super::KernelRegion;
use super::binary::{kernel, missing, ptx};
use super::buffers::{Words, element_bytes};
use super::globals::{BEGIN, END, Globals, LAUNCH};
use super::memory::{Buffer, DEVICE, DeviceMemory, IN, OUT};
use super::parameters::{DeviceBuffer, Frame, number};
use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::{
    ancestors, attribute, contains, erase, is, name, only_block, operands, operations, string_attribute,
};
use crate::mlir::ir::value::{ValueId, defining, id, is_dense, is_memref};
use crate::mlir::marker::{ALL_WRITTEN, KERNELS, RESIDENT, WORTH};

/// Numbers of blocks and threads that a launch starts with.
const AXES: usize = 6;

/// A kernel that is started.
struct Launch<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    kernel: String,
}

/// What becomes of a region.
pub struct Plan<'c, 'a> {
    /// The `scf.if` around it all.
    scope: OperationRef<'c, 'a>,
    block: BlockRef<'c, 'a>,
    last: OperationRef<'c, 'a>,
    /// The first operation of the function, before which memory on the stack is made.
    start: OperationRef<'c, 'a>,
    function: String,
    module: String,
    ptx: String,
    buffers: Vec<Buffer<'c, 'a>>,
    launches: Vec<Launch<'c, 'a>>,
    /// Copies, and then the allocations.
    replaced: Vec<OperationRef<'c, 'a>>,
}

/// Reads a region.
///
/// # Errors
/// Why the device cannot run it.
pub fn plan<'c, 'a>(region: KernelRegion<'c, 'a>, globals: &Globals<'c, 'a>) -> Result<Plan<'c, 'a>, String> {
    let block = only_block(region.scope, 0).ok_or("it has no code")?;
    let last = block.terminator().ok_or("its code has no end")?;
    let function = ancestors(region.scope).find(|around| is(*around, "func.func")).ok_or("it is in no function")?;
    let entry = crate::mlir::ir::operation::regions(function).first().copied();
    let entry = entry.and_then(|body| crate::mlir::ir::operation::blocks(body).first().copied());
    let start = entry.and_then(|block| operations(block).first().copied()).ok_or("its function has no code")?;
    let mut launches = Vec::new();
    let mut module = None;
    for operation in region.of_name("gpu.launch_func") {
        let (own, kernel) = kernel(operation).ok_or("a launch names no kernel")?;
        if *module.get_or_insert_with(|| own.clone()) != own {
            return Err("its kernels are in several modules".to_owned());
        }
        check_launch(operation)?;
        launches.push(Launch { operation, kernel });
    }
    let module = module.ok_or("it has no kernels")?;
    let text = globals.binary(&module).and_then(ptx).ok_or("there is no PTX of its kernels")?;
    if let Some(function) = missing(&text).first() {
        return Err(format!(
            "its kernels call '{function}', which is in NVIDIA's libdevice; the option libdevice=FILE of \
             poly-lower-nvptx links that"
        ));
    }
    let mut plan = Plan {
        scope: region.scope,
        block,
        last,
        start,
        function: string_attribute(function, "sym_name").unwrap_or_default(),
        module,
        ptx: text,
        buffers: Vec::new(),
        launches,
        replaced: Vec::new(),
    };
    plan.read_copies(region)?;
    plan.read_resident(region)?;
    let known = |value: &Value<'c, 'a>| plan.buffers.iter().any(|buffer| id(buffer.device) == id(*value));
    for launch in &plan.launches {
        let parameters = &operands(launch.operation)[AXES..];
        if !parameters.iter().all(|value| known(value) || element_bytes(value.r#type()).is_some()) {
            return Err("a kernel takes what the runtime cannot pass on".to_owned());
        }
    }
    Ok(plan)
}

/// A launch has blocks, threads and parameters, and nothing else.
fn check_launch(launch: OperationRef<'_, '_>) -> Result<(), String> {
    let segments =
        attribute(launch, "operandSegmentSizes").and_then(|list| DenseI32ArrayAttribute::try_from(list).ok());
    let segments = segments.ok_or("a launch without sizes")?;
    let segments: Vec<i32> = (0..segments.len()).filter_map(|number| segments.element(number).ok()).collect();
    // Tokens, blocks, threads, clusters, dynamic shared memory, parameters, a stream.
    let plain = matches!(segments[..], [0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, _, 0]);
    use melior::ir::TypeLike;
    let indices = operands(launch).iter().take(AXES).all(|size| size.r#type().is_index());
    if plain && indices && launch.result_count() == 0 {
        Ok(())
    } else {
        Err("a launch with tokens, clusters or dynamic shared memory".to_owned())
    }
}

impl<'c, 'a> Plan<'c, 'a> {
    /// Memory of the device's, and the copies from and to the host's.
    fn read_copies(&mut self, region: KernelRegion<'c, 'a>) -> Result<(), String> {
        let all = operations(self.block);
        let place = |operation: OperationRef<'c, 'a>| all.iter().position(|member| *member == operation);
        let starts =
            |member: &OperationRef<'c, 'a>| self.launches.iter().any(|launch| contains(*member, launch.operation));
        let (first, last) = (all.iter().position(starts), all.iter().rposition(starts));
        let (first, last) = first.zip(last).ok_or("it has no kernels")?;
        for allocation in region.of_name("gpu.alloc") {
            if place(allocation).is_none_or(|at| at > first) {
                return Err("memory of the device is made between kernels".to_owned());
            }
            let mut memory = DeviceMemory::new(allocation)?;
            for (used, user) in memory.uses() {
                let at = place(user);
                match (name(user).as_str(), &operands(user)[..]) {
                    ("gpu.memcpy", [to, from]) if id(*to) == id(used) && at.is_some_and(|at| at < first) => {
                        memory.copy(used, *from, IN)?;
                    }
                    ("gpu.memcpy", [to, from]) if id(*from) == id(used) && at.is_some_and(|at| at > last) => {
                        memory.copy(used, *to, OUT)?;
                        memory.all_written = attribute(user, ALL_WRITTEN).is_some();
                    }
                    ("gpu.dealloc", [_]) if at.is_some_and(|at| at > last) => {}
                    ("gpu.launch_func", _) => {
                        memory.take(used)?;
                        continue;
                    }
                    (other, _) => return Err(format!("'{other}' uses memory of the device")),
                }
                self.replaced.push(user);
            }
            self.replaced.extend(memory.casts());
            self.replaced.push(allocation);
            self.add(memory.buffer()?)?;
        }
        // What uses the result of another one goes first.
        self.replaced.sort_by_key(|operation| match name(*operation).as_str() {
            "gpu.alloc" => 2,
            "memref.reinterpret_cast" => 1,
            _ => 0,
        });
        Ok(())
    }

    /// Buffers that kernels take as they are.
    fn read_resident(&mut self, region: KernelRegion<'c, 'a>) -> Result<(), String> {
        let resident = string_attribute(region.scope, KERNELS).as_deref() == Some(RESIDENT);
        let before = operations(self.block).first().copied().ok_or("it has no code")?;
        let taken: Vec<_> = self.launches.iter().flat_map(|launch| operands(launch.operation)).collect();
        for device in taken.into_iter().filter(|value| is_memref(*value)) {
            if self.buffers.iter().any(|buffer| id(buffer.device) == id(device)) {
                continue;
            }
            if !resident || region.makes(device) {
                return Err("a kernel takes a buffer that is not on the device".to_owned());
            }
            self.add(Buffer { before, device, host: Some(device), part: None, flags: DEVICE })?;
        }
        Ok(())
    }

    fn add(&mut self, buffer: Buffer<'c, 'a>) -> Result<(), String> {
        use melior::ir::ShapedTypeLike;
        let kind =
            melior::ir::r#type::MemRefType::try_from(buffer.device.r#type()).map_err(|error| error.to_string())?;
        if !is_dense(buffer.device) || element_bytes(kind.element()).is_none() {
            return Err(format!("the runtime does not copy buffers of type {kind}"));
        }
        self.buffers.push(buffer);
        Ok(())
    }

    /// Asks the runtime for a run before the region, whose code is passed over where there is none.
    fn begin(&self, context: &'c Context, globals: &mut Globals<'c, 'a>) -> Result<Value<'c, 'a>, String> {
        let failed = |error: melior::Error| error.to_string();
        let at = Builder::before(context, self.scope).ok_or("it is in no code")?;
        let pointer = globals.pointer()?;
        let ((asked, asking), (not_asked, otherwise)) = (at.region(&[]), at.region(&[]));
        let words = Words { at: asking };
        let slot = globals.slot(&format!("{}_loaded", self.module), asking)?;
        let region = globals.text(&format!("{}_region", self.module), &self.function, asking)?;
        let ptx = globals.text(&format!("{}_ptx", self.module), &self.ptx, asking)?;
        let length = i64::try_from(self.ptx.len()).map_err(|error| error.to_string())?;
        let length = words.constant(length).map_err(failed)?;
        let (within, worth) = self.condition()?;
        let word = IntegerType::new(context, 32).into();
        let worth = match worth {
            Some(worth) => asking.value("arith.extui", &[worth], word, &[]),
            None => asking.value("arith.constant", &[], word, &[("value", IntegerAttribute::new(word, 1).into())]),
        };
        let worth = worth.map_err(failed)?;
        let run = globals.call(&BEGIN, &[worth, slot, region, ptx, length], asking)?.result(0).map_err(failed)?.into();
        asking.build("scf.yield", &[run], &[], &[]).map_err(failed)?;
        let none = otherwise.value("llvm.mlir.zero", &[], pointer, &[]).map_err(failed)?;
        otherwise.build("scf.yield", &[none], &[], &[]).map_err(failed)?;
        let run = at.build_with("scf.if", &[within], &[pointer], &[], vec![asked, not_asked]).map_err(failed)?;
        let run = run.result(0).map_err(failed)?.into();
        let none = at.value("llvm.mlir.zero", &[], pointer, &[]).map_err(failed)?;
        let not_equal = IntegerAttribute::new(words.kind(), 1).into();
        let bit = IntegerType::new(context, 1).into();
        let there = at.value("llvm.icmp", &[run, none], bit, &[("predicate", not_equal)]).map_err(failed)?;
        // SAFETY: the operation is alive, and no other reference changes it meanwhile.
        unsafe { OperationRefMut::from_raw(self.scope.to_raw()) }.set_operand(0, there);
        Ok(run)
    }

    /// Whether the kernels can run, and whether they are worth it, if that was estimated: then both together are the
    /// region's condition.
    fn condition(&self) -> Result<(Value<'c, 'a>, Option<Value<'c, 'a>>), String> {
        let both = self.scope.operand(0).map_err(|error| error.to_string())?;
        let marked = defining(both).map(|(maker, _)| maker).filter(|maker| attribute(*maker, WORTH).is_some());
        Ok(match marked.map(operands).as_deref() {
            Some([within, worth]) => (*within, Some(*worth)),
            _ => (both, None),
        })
    }

    /// What comes right behind the last launch and the last copy.
    fn end(&self) -> Result<OperationRef<'c, 'a>, String> {
        let all = operations(self.block);
        let ours = |member: &OperationRef<'c, 'a>| {
            self.replaced.contains(member) || self.launches.iter().any(|launch| contains(*member, launch.operation))
        };
        let last = all.iter().rposition(ours).ok_or("it has no kernels")?;
        all.get(last + 1).copied().ok_or_else(|| "its code has no end".to_owned())
    }

    /// Rewrites the region.
    ///
    /// # Errors
    /// MLIR refuses to build something, which leaves the module half done.
    pub fn apply(self, context: &'c Context, globals: &mut Globals<'c, 'a>) -> Result<(), String> {
        let failed = |error: melior::Error| error.to_string();
        // Before the host frees what results are copied to.
        let end = self.end()?;
        let run = self.begin(context, globals)?;
        let mut buffers = HashMap::new();
        for buffer in &self.buffers {
            buffers.insert(id(buffer.device), buffer.make(run, globals)?);
        }
        for launch in &self.launches {
            launch.apply(run, self.start, &buffers, globals)?;
        }
        for operation in &self.replaced {
            // SAFETY: launches and copies used its results, and are gone.
            unsafe { erase(*operation) }
        }
        let at = Builder::before(context, end).ok_or("its code has no end")?;
        let end = globals.call(&END, &[run], at)?.result(0).map_err(failed)?.into();
        let bit = IntegerType::new(context, 1).into();
        let done = at.value("arith.trunci", &[end], bit, &[]).map_err(failed)?;
        // SAFETY: the terminator is alive, and no other reference changes it meanwhile.
        unsafe { OperationRefMut::from_raw(self.last.to_raw()) }.set_operand(0, done);
        Ok(())
    }
}

impl<'c, 'a> Launch<'c, 'a> {
    /// Calls the runtime in its place. Parameters lie on the stack of the function that starts at `start`.
    fn apply(
        &self,
        run: Value<'c, 'a>,
        start: OperationRef<'c, 'a>,
        buffers: &HashMap<ValueId, DeviceBuffer<'c, 'a>>,
        globals: &mut Globals<'c, 'a>,
    ) -> Result<(), String> {
        let failed = |error: melior::Error| error.to_string();
        let context = globals.context();
        let at = Builder::before(context, self.operation).ok_or("a launch outside of code")?;
        let start = Builder::before(context, start).ok_or("its function has no code")?;
        let words = Words { at };
        let all = operands(self.operation);
        let mut values = Vec::new();
        for value in &all[AXES..] {
            match buffers.get(&id(*value)) {
                Some(buffer) => values.extend(buffer.parameters(words).map_err(failed)?),
                None => values.push(number(words, *value).map_err(failed)?.ok_or("a parameter without a width")?),
            }
        }
        let frame = Frame::new(start, values.len(), globals.pointer()?).map_err(failed)?;
        let parameters = frame.fill(&values, at).map_err(failed)?;
        let mut arguments = vec![run, globals.text(&format!("{}_name", self.kernel), &self.kernel, at)?];
        for size in &all[..AXES] {
            arguments.push(words.of_index(*size).map_err(failed)?);
        }
        arguments.push(words.constant(0).map_err(failed)?);
        arguments.push(parameters);
        globals.call(&LAUNCH, &arguments, at)?;
        // SAFETY: a launch without tokens has no results.
        unsafe { erase(self.operation) }
        Ok(())
    }
}
