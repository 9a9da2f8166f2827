//! The function that finds where rows behind pointers start, and how far apart they are.
//!
//! It runs before the region, and before the region's check, whose arguments are what it finds. It looks at all pointers
//! that the region loads, and at nothing else, for what lies between need not be readable; and only if the region loads
//! them: if the values from outside are none of those for which the original runs anyway, and the conditions of its loops
//! hold. So it takes no longer than the region's own loads.
//!
//! Where rows have other distances, or nothing is known, the distance is zero, and the check does not hold.

use super::runtime_check::{Writer, check_size};
use super::text::{index_name, quoted, table_name};
use crate::llvm::raise::affine::assumptions::Assumptions;
use crate::llvm::raise::affine::rows::{POINTER, RowTable};
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::delinearize::arrays::Array;
use crate::llvm::raise::delinearize::footprint::Footprint;
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
    let pieces = pieces(&mut writer, number, pointers, table)?;
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
        body(&holds, &address, &ends, &pieces, table)?,
    );
    Ok(RowsFunction { name, text, indices: writer.indices })
}

/// Pointers next to each other, all of which the region loads if it loads one.
struct Piece {
    /// The address of the first one.
    first: String,
    /// How many there are.
    count: String,
}

/// The pieces of a table that the region loads.
fn pieces(writer: &mut Writer, number: usize, pointers: &Array, table: &RowTable) -> Step<Vec<Piece>> {
    let Footprint { least, most } = &pointers.footprint;
    let step = writer.operation(&format!("arith.constant {} : i64", table.step));
    let none = writer.operation("arith.constant 0 : i64");
    let one = writer.operation("arith.constant 1 : i64");
    let mut found = Vec::new();
    for (least, most) in least.iter().zip(most) {
        let footprint = Footprint { least: vec![least.clone()], most: vec![most.clone()] };
        let piece = Array { footprint, ..pointers.clone() };
        let (first, end) = writer.ends_of_table(number, &piece, &|_| None)?;
        let some = writer.compare("slt", &first, &end);
        let [first, end] = [first, end].map(|wide| writer.operation(&format!("arith.trunci {wide} : i128 to i64")));
        // From the first one to behind the last one is less than a step more than whole steps.
        let bytes = writer.operation(&format!("arith.subi {end}, {first} : i64"));
        let before = writer.operation(&format!("arith.subi {bytes}, {one} : i64"));
        let steps = writer.operation(&format!("arith.divsi {before}, {step} : i64"));
        let count = writer.operation(&format!("arith.addi {steps}, {one} : i64"));
        let count = writer.operation(&format!("arith.select {some}, {count}, {none} : i64"));
        found.push(Piece { first, count });
    }
    Ok(found)
}

/// What follows the conditions, given the addresses of the first and the last pointer. What is loaded and not used may be
/// undefined.
fn body(holds: &str, address: &str, [first, last]: &[String; 2], pieces: &[Piece], table: &RowTable) -> Step<String> {
    let (step, element) = (table.step, table.element.ok_or(Reason::Base)?);
    let mut text = format!(
        "    %zero = arith.constant 0 : i64
    %found:2 = scf.if {holds} -> (i64, i64) {{
      %step = arith.constant {step} : i64
      %element = arith.constant {element} : i64
      %most = arith.constant {MOST} : i64
      %alone = arith.constant {ALONE} : i64
      %unit = arith.constant 1 : i64
      %from = arith.constant 0 : index
      %by = arith.constant 1 : index
      %bytes = arith.subi {last}, {first} : i64
      %pairs = arith.divsi %bytes, %step : i64
      %single = arith.cmpi eq, %pairs, %zero : i64
      %one = llvm.inttoptr {first} : i64 to !llvm.ptr
      %loaded = llvm.load %one : !llvm.ptr -> i64
      %row = llvm.freeze %loaded : i64
      %two = llvm.inttoptr {last} : i64 to !llvm.ptr
      %other = llvm.load %two : !llvm.ptr -> i64
      %last_row = llvm.freeze %other : i64
      %rise = arith.subi %last_row, %row : i64
      %parts = arith.select %single, %unit, %pairs : i64
      %distance = arith.divsi %rise, %parts : i64
      %unlike = arith.constant 0 : i64
"
    );
    let mut unlike = "%unlike".to_owned();
    for (number, Piece { first: start, count }) in pieces.iter().enumerate() {
        text += &format!(
            "      %gap{number} = arith.subi {start}, {first} : i64
      %skipped{number} = arith.divsi %gap{number}, %step : i64
      %to{number} = arith.index_cast {count} : i64 to index
      %unlike{number} = scf.for %next = %from to %to{number} step %by iter_args(%so_far = {unlike}) -> (i64) {{
        %before = arith.index_cast %next : index to i64
        %behind = arith.muli %before, %step : i64
        %place = arith.addi {start}, %behind : i64
        %at = llvm.inttoptr %place : i64 to !llvm.ptr
        %pointer = llvm.load %at : !llvm.ptr -> i64
        %this = llvm.freeze %pointer : i64
        %rows = arith.addi %skipped{number}, %before : i64
        %way = arith.muli %rows, %distance : i64
        %expected = arith.addi %row, %way : i64
        %difference = arith.xori %this, %expected : i64
        %all = arith.ori %so_far, %difference : i64
        scf.yield %all : i64
      }}
"
        );
        unlike = format!("%unlike{number}");
    }
    Ok(text
        + &format!(
            "      %elements = arith.divsi %distance, %element : i64
      %product = arith.muli %elements, %element : i64
      %is_whole = arith.cmpi eq, %product, %distance : i64
      %is_equal = arith.cmpi eq, {unlike}, %zero : i64
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
