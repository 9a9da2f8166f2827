//! The function that finds where rows behind pointers start, and how far apart they are.
//!
//! It runs before the region, and before the region's check, whose arguments are what it finds. It looks at all pointers
//! from the first to the last one that the region loads, which are in one object, and only if the region loads them:
//! if the values from outside are none of those for which the original runs anyway, and the conditions of its loops hold.
//! Where rows have other distances, or nothing is known, the distance is zero, and the check does not hold.

use super::runtime_check::{Writer, check_size};
use super::text::{index_name, quoted, table_name};
use crate::llvm::raise::affine::assumptions::Assumptions;
use crate::llvm::raise::affine::rows::{POINTER, RowTable};
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::delinearize::arrays::Array;
use crate::llvm::raise::delinearize::shape::MOST;
use crate::llvm::raise::refusal::{Reason, Step};

/// The distance of a row that is alone, in elements.
const ALONE: i64 = 1 << 30;

/// The function of a table.
pub struct RowsFunction {
    /// Its name.
    pub name: String,
    /// It as text: from the address of the pointer to row zero and indices to two integers of 64 bits, where row zero
    /// starts and the distance of neighbours in elements.
    pub text: String,
    /// The values that it takes as indices.
    pub indices: Vec<ValueId>,
}

/// Writes the function of a table, whose pointers that the region loads are an array; `unknown` are the values that such
/// functions find.
///
/// # Errors
/// [`Reason::Exhausted`] if numbers are too large; isl's.
pub fn rows_function(
    region: &str,
    number: usize,
    (table, pointers): (&RowTable, &Array),
    assumptions: &Assumptions,
    unknown: &[ValueId],
) -> Step<RowsFunction> {
    let mut writer = Writer::default();
    writer.invalid_context(assumptions.invalid_context_without(unknown)?)?;
    for corner in pointers.footprint.least.iter().chain(&pointers.footprint.most) {
        corner.conditions.iter().try_for_each(check_size)?;
    }
    // What ranges say of a value that may be undefined is a part of the check only.
    let (first, end) = writer.ends_of_table(number, pointers, &|_| None)?;
    let size = writer.number(i128::from(POINTER));
    let last = writer.wide("subi", &end, &size);
    let some = writer.compare("sle", &first, &last);
    writer.conditions.push(some);
    let holds = writer.conjunction().ok_or(Reason::Base)?;
    let narrow = |writer: &mut Writer, wide: &str| writer.operation(&format!("arith.trunci {wide} : i128 to i64"));
    let ends = [narrow(&mut writer, &first), narrow(&mut writer, &last)];
    writer.indices.sort_unstable();
    writer.indices.dedup();
    if writer.indices.iter().any(|value| unknown.contains(value)) {
        return Err(Reason::Base);
    }
    let name = format!("{region}_rows{number}");
    let address = table_name(number);
    let mut signature = format!("{address}: index");
    for value in &writer.indices {
        signature += &format!(", {}: index", index_name(*value));
    }
    let text = format!(
        "  func.func @{}({signature}) -> (i64, i64) {{\n{}{}  }}\n",
        quoted(&name),
        writer.text,
        body(&holds, &address, &ends, table)?,
    );
    Ok(RowsFunction { name, text, indices: writer.indices })
}

/// What follows the conditions, given the addresses of the first and the last pointer. What lies in memory between
/// pointers that the region loads may be undefined.
fn body(holds: &str, address: &str, [first, last]: &[String; 2], table: &RowTable) -> Step<String> {
    let (step, element) = (table.step, table.element.ok_or(Reason::Base)?);
    Ok(format!(
        "    %zero = arith.constant 0 : i64
    %found:2 = scf.if {holds} -> (i64, i64) {{
      %step = arith.constant {step} : i64
      %element = arith.constant {element} : i64
      %most = arith.constant {MOST} : i64
      %alone = arith.constant {ALONE} : i64
      %from = arith.constant 0 : index
      %by = arith.constant 1 : index
      %bytes = arith.subi {last}, {first} : i64
      %pairs = arith.divsi %bytes, %step : i64
      %single = arith.cmpi eq, %pairs, %zero : i64
      %one = llvm.inttoptr {first} : i64 to !llvm.ptr
      %loaded = llvm.load %one : !llvm.ptr -> i64
      %row = llvm.freeze %loaded : i64
      %more = arith.select %single, %zero, %step : i64
      %second = arith.addi {first}, %more : i64
      %two = llvm.inttoptr %second : i64 to !llvm.ptr
      %neighbour = llvm.load %two : !llvm.ptr -> i64
      %next = llvm.freeze %neighbour : i64
      %distance = arith.subi %next, %row : i64
      %to = arith.index_cast %pairs : i64 to index
      %unlike = scf.for %pair = %from to %to step %by iter_args(%so_far = %zero) -> (i64) {{
        %before = arith.index_cast %pair : index to i64
        %behind = arith.muli %before, %step : i64
        %place = arith.addi %second, %behind : i64
        %at = llvm.inttoptr %place : i64 to !llvm.ptr
        %pointer = llvm.load %at : !llvm.ptr -> i64
        %other = llvm.freeze %pointer : i64
        %way = arith.muli %before, %distance : i64
        %expected = arith.addi %next, %way : i64
        %difference = arith.xori %other, %expected : i64
        %all = arith.ori %so_far, %difference : i64
        scf.yield %all : i64
      }}
      %elements = arith.divsi %distance, %element : i64
      %product = arith.muli %elements, %element : i64
      %is_whole = arith.cmpi eq, %product, %distance : i64
      %is_equal = arith.cmpi eq, %unlike, %zero : i64
      %is_positive = arith.cmpi sgt, %elements, %zero : i64
      %is_small = arith.cmpi sle, %elements, %most : i64
      %is_even = arith.andi %is_whole, %is_equal : i1
      %is_short = arith.andi %is_positive, %is_small : i1
      %is_good = arith.andi %is_even, %is_short : i1
      %kept = arith.select %is_good, %elements, %zero : i64
      %spacing = arith.select %single, %alone, %kept : i64
      %zeroth = arith.index_cast {address} : index to i64
      %skipped = arith.subi {first}, %zeroth : i64
      %number = arith.divsi %skipped, %step : i64
      %length = arith.muli %spacing, %element : i64
      %rows_before = arith.muli %number, %length : i64
      %start = arith.subi %row, %rows_before : i64
      scf.yield %start, %spacing : i64, i64
    }} else {{
      scf.yield %zero, %zero : i64, i64
    }}
    return %found#0, %found#1 : i64, i64
"
    ))
}
