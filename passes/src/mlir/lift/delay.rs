//! How long what a statement reads is waited for.
//!
//! Where iterations read what the one before has written, they run one after the other, each as long as the operations
//! that lead from the one to the other. So much the cost model wants to know (`polyrs_core::cost`).

use std::collections::HashMap;

use melior::ir::{OperationRef, Value};

use crate::mlir::ir::operation::{name, operands, results};
use crate::mlir::ir::value::{ValueId, id};
use crate::mlir::ir::{Access, AccessKind};
use crate::mlir::region::StatementBody;

/// What an operation on floating-point numbers takes, in the time of an addition of integers.
const OPERATION: u32 = 4;

/// By value: how long it takes from it to what a statement writes, in additions of integers.
pub(super) struct Delays(HashMap<ValueId, u32>);

impl Delays {
    /// Those of a statement. What only regions of its operations use is not known.
    pub fn of(body: &StatementBody<'_, '_>) -> Self {
        let mut delays: HashMap<ValueId, u32> = body.outputs.iter().map(|(_, value)| (id(*value), 0)).collect();
        // What uses a value comes after it.
        for &operation in body.operations.iter().rev() {
            if let Some(access) = Access::new(operation) {
                if access.kind == AccessKind::Store {
                    delays.entry(id(access.value)).or_insert(0);
                }
                continue;
            }
            let own = results(operation).into_iter().filter_map(|result| delays.get(&id(result)).copied()).max();
            let Some(before) = own.map(|delay| delay.saturating_add(time(operation))) else { continue };
            for operand in operands(operation) {
                let delay = delays.entry(id(operand)).or_insert(before);
                *delay = before.max(*delay);
            }
        }
        Delays(delays)
    }

    /// The longest of some values', in operations on floating-point numbers, one at least.
    pub fn longest(&self, values: &[Value<'_, '_>]) -> u32 {
        let longest = values.iter().filter_map(|value| self.0.get(&id(*value)).copied()).max();
        longest.unwrap_or(0).div_ceil(OPERATION).max(1)
    }
}

/// What an operation takes, in additions of integers. A comparison and the choice that it is for are one operation, as they are
/// in the maximum that they mean; other representations of a number cost next to nothing.
fn time(operation: OperationRef<'_, '_>) -> u32 {
    let name = name(operation);
    let Some((dialect, word)) = name.split_once('.') else { return OPERATION };
    match (dialect, word) {
        ("arith", "cmpi" | "cmpf" | "extsi" | "extui" | "extf" | "trunci" | "truncf" | "index_cast" | "bitcast") => 0,
        ("arith", "select" | "addi" | "subi" | "andi" | "ori" | "xori" | "shli" | "shrsi" | "shrui") => 1,
        ("arith", "maxsi" | "maxui" | "minsi" | "minui") | ("math", "absi" | "ctpop") => 1,
        ("arith", _) if word.starts_with("div") || word.starts_with("rem") => 4 * OPERATION,
        ("math", "absf" | "copysign" | "fma") => OPERATION,
        ("math", _) => 4 * OPERATION,
        _ => OPERATION,
    }
}
