//! Whether kernels are worth the way to the device, when the program runs: the same formula as
//! [`polyrs_core::machine::Offload`] has, over estimates in floating point. Nothing but the choice depends on it.

use melior::ir::attribute::BoolAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Value};
use polyrs_core::machine::Offload;

use super::emitter::Emitter;
use super::error::EmitError;
use crate::mlir::estimate::{Amount, Operator, launches_in, of_lone_threads, of_operations};
use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::operations;
use crate::mlir::marker::WORTH;

impl<'c, 'a> Emitter<'_, 'c, 'a> {
    /// A condition, and that the code with kernels in a block is expected to be faster than the original; the condition
    /// alone where that cannot be estimated.
    pub(super) fn and_worth(
        &self,
        within: Value<'c, 'a>,
        kernels: Builder<'c, 'a>,
        offload: &Offload,
        at: Builder<'c, 'a>,
    ) -> Result<Value<'c, 'a>, EmitError> {
        let Some(gain) = self.gain(kernels, offload, at)? else { return Ok(within) };
        let bit = IntegerType::new(at.context(), 1).into();
        let worth = match gain {
            Amount::Known(gain) if gain < 0.0 => {
                return Err(EmitError::Unprofitable { by: (-gain).ceil() as u64 });
            }
            Amount::Known(_) => {
                at.value("arith.constant", &[], bit, &[("value", BoolAttribute::new(at.context(), true).into())])?
            }
            computed @ Amount::Computed(_) => computed.at_least(0.0, at)?,
        };
        let mark = (WORTH, Attribute::unit(at.context()));
        Ok(at.value("arith.andi", &[within, worth], bit, &[mark])?)
    }

    /// The nanoseconds that the CPU would take more than the device.
    fn gain(
        &self,
        kernels: Builder<'c, 'a>,
        offload: &Offload,
        at: Builder<'c, 'a>,
    ) -> Result<Option<Amount<'c, 'a>>, EmitError> {
        let Some(work) = of_operations(&self.region.replaced, at)? else { return Ok(None) };
        let Some(launches) = launches_in(&operations(kernels.block()), at)? else { return Ok(None) };
        let lone = of_lone_threads(&operations(kernels.block()), at)?.unwrap_or(Amount::Known(0.0));
        let times = |amount: Amount<'c, 'a>, factor: f64| amount.with(Operator::Multiply, Amount::Known(factor), at);
        let (mut bytes, mut copied, mut copies) = (Amount::Known(0.0), Amount::Known(0.0), 0);
        for (&array, &count) in &self.transfers.copies {
            let known = &self.region.scop.arrays[array];
            let host = self.memory_of(&known.name).ok_or(EmitError::Place("an array of a kernel has no memory"))?;
            let elements = self.copied_elements(array, host, at)?;
            let own = times(elements, f64::from(known.element.bytes()))?;
            bytes = bytes.with(Operator::Add, own, at)?;
            copied = copied.with(Operator::Add, times(own, f64::from(count))?, at)?;
            copies += count;
        }
        let cpu = times(work, offload.cpu_operation)?.with(Operator::Greatest, times(bytes, offload.cpu_byte)?, at)?;
        let gpu = times(work, offload.gpu_operation)?.with(Operator::Greatest, times(bytes, offload.gpu_byte)?, at)?;
        let gpu = gpu.with(Operator::Add, times(launches, offload.launch)?, at)?;
        let gpu = gpu.with(Operator::Add, times(lone, offload.lone_operation)?, at)?;
        let gpu = gpu.with(Operator::Add, Amount::Known(f64::from(copies) * offload.copy), at)?;
        let gpu = gpu.with(Operator::Add, times(copied, offload.copied_byte)?, at)?;
        Ok(Some(cpu.with(Operator::Subtract, gpu, at)?))
    }
}
