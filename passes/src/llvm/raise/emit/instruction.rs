//! The text of a raised function: instructions.

use super::emitter::{ERRNO, Emitter, StandIn};
use super::text;
use super::text::{array_name, array_type, slot_name};
use crate::llvm::raise::affine::describe::Effect;
use crate::llvm::raise::code::function::{Action, Constant, Instruction, Source, Type};
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::code::operation::{FastMath, Intrinsic, Wrapping};
use crate::llvm::raise::delinearize::arrays::ArrayAccess;
use crate::llvm::raise::refusal::{Reason, Step};
use crate::mlir::ir::operation::FMULADD;
use crate::mlir::marker::PURE;

impl Emitter<'_> {
    /// Writes an instruction, if it is needed.
    pub(super) fn instruction(&mut self, value: ValueId) -> Step<()> {
        let Some(instruction) = self.code.instruction(value) else { return Ok(()) };
        match &instruction.action {
            Action::Store => return self.store(value, instruction),
            Action::Fill(_) => return self.fill(value, instruction),
            Action::Copy { .. } => return self.copy(value, instruction),
            _ if !self.needed.values.contains(&value) => return Ok(()),
            Action::Load => return self.load(value, instruction),
            _ => {}
        }
        if let Action::ComparePointers(_) = instruction.action {
            return Err(Reason::Instruction("a comparison of pointers"));
        }
        let kind = self.kind(value)?;
        let mut operands = Vec::new();
        for operand in &instruction.operands {
            operands.push(self.name(*operand)?);
        }
        let result = self.fresh();
        let from = instruction.operands.first().map(|operand| self.kind(*operand)).transpose()?.unwrap_or_default();
        let all = operands.join(", ");
        let line = match &instruction.action {
            Action::Int(operation, flags) => format!("arith.{} {all}{} : {kind}", operation.text(), wrapping(*flags)),
            Action::Float(operation, flags) => format!("arith.{} {all}{} : {kind}", operation.text(), fast_math(flags)),
            Action::Compare(predicate) => format!("arith.cmpi {}, {all} : {from}", predicate.text()),
            Action::CompareFloat(predicate, flags) => {
                format!("arith.cmpf {}, {all}{} : {from}", predicate.text(), fast_math(flags))
            }
            Action::Cast(operation) => format!("arith.{} {all} : {from} to {kind}", operation.text()),
            Action::Select => format!("arith.select {all} : {kind}"),
            Action::Call | Action::NotedCall => self.call(value, instruction, &all)?,
            Action::Intrinsic(intrinsic, flags) => intrinsic_operation(*intrinsic, flags, &operands, &kind),
            _ => return Err(Reason::Type),
        };
        self.line(&format!("{result} = {line}"), instruction.location.as_ref());
        self.names.insert(value, result);
        Ok(())
    }

    /// A call of a function that stands for the one that is called; see [`crate::llvm::raise::region::Region::calls`].
    fn call(&mut self, value: ValueId, instruction: &Instruction, operands: &str) -> Step<String> {
        let name = format!("{}.call.{}", self.function, self.calls.len());
        let (from, to) = (self.kinds(&instruction.operands)?, self.kind(value)?);
        let notes_errno = instruction.action == Action::NotedCall;
        let (operands, from) = match notes_errno {
            true => (format!("{operands}, {ERRNO}"), format!("{from}, i64")),
            false => (operands.to_owned(), from),
        };
        let kinds = format!("({from}) -> {to}");
        let line = format!("func.call @{}({operands}) {{{PURE}}} : {kinds}", text::quoted(&name));
        self.calls.push(StandIn { name, kinds, call: value, notes_errno });
        Ok(line)
    }

    /// The subscripts of an access, with its array and the array's type.
    fn element_of(&mut self, value: ValueId, effect: Effect) -> Step<(usize, String)> {
        let ArrayAccess { array, subscripts, .. } =
            self.arrays.accesses.get(&(value, effect)).ok_or(Reason::Subscript)?;
        let mut texts = Vec::new();
        for subscript in subscripts {
            self.uses(subscript);
            texts.push(text::subscript(subscript).ok_or(Reason::Subscript)?);
        }
        let kind = array_type(&self.arrays.all[*array])?;
        Ok((*array, format!("{}[{}] : {kind}", array_name(*array), texts.join(", "))))
    }

    /// Sets elements to a byte.
    fn fill(&mut self, value: ValueId, instruction: &Instruction) -> Step<()> {
        let (array, target) = self.element_of(value, Effect::Store)?;
        let element = self.arrays.all[array].element;
        let byte = instruction.operands[1];
        let name = match (self.code.values[byte.0].source.clone(), element) {
            (Source::Constant(Constant::Int(byte)), _) => {
                let constant = repeated(byte, element).ok_or(Reason::Length)?;
                self.number(element, constant)?
            }
            (Source::Constant(_), _) => self.number(element, Constant::Any)?,
            (_, Type::Int(8)) => self.name(byte)?,
            _ => return Err(Reason::Length),
        };
        self.over_elements(value, instruction, |this| {
            this.line(&format!("affine.store {name}, {target}"), instruction.location.as_ref());
            Ok(())
        })
    }

    /// Copies elements.
    fn copy(&mut self, value: ValueId, instruction: &Instruction) -> Step<()> {
        let ((one, from), (other, to)) =
            (self.element_of(value, Effect::Load)?, self.element_of(value, Effect::Store)?);
        let kinds = (self.arrays.all[one].element, self.arrays.all[other].element);
        self.over_elements(value, instruction, |this| {
            let mut name = this.fresh();
            this.line(&format!("{name} = affine.load {from}"), instruction.location.as_ref());
            if kinds.0 != kinds.1 {
                name = this.cast(&name, kinds.0, kinds.1)?;
            }
            this.line(&format!("affine.store {name}, {to}"), instruction.location.as_ref());
            Ok(())
        })
    }

    /// Writes the loops over the elements that an instruction sets or copies.
    fn over_elements(
        &mut self,
        value: ValueId,
        instruction: &Instruction,
        body: impl FnOnce(&mut Self) -> Step<()>,
    ) -> Step<()> {
        let loops =
            self.arrays.accesses.get(&(value, Effect::Store)).map(|access| access.loops.clone()).unwrap_or_default();
        for (dim, count) in &loops {
            self.uses(count);
            let count = text::bound(count).ok_or(Reason::Bound)?;
            self.open(&format!("affine.for {} = 0 to {count} {{", text::dim_name(*dim)));
        }
        body(self)?;
        for _ in &loops {
            self.close(instruction.location.as_ref());
        }
        Ok(())
    }

    fn load(&mut self, value: ValueId, instruction: &Instruction) -> Step<()> {
        let (array, target) = self.element_of(value, Effect::Load)?;
        let mut result = self.fresh();
        self.line(&format!("{result} = affine.load {target}"), instruction.location.as_ref());
        let (from, to) = (self.arrays.all[array].element, self.code.kind(value));
        if from != to {
            result = self.cast(&result, from, to)?;
        }
        self.names.insert(value, result);
        Ok(())
    }

    fn store(&mut self, value: ValueId, instruction: &Instruction) -> Step<()> {
        let stored = instruction.operands[0];
        let mut name = self.name(stored)?;
        let (array, target) = self.element_of(value, Effect::Store)?;
        let (from, to) = (self.code.kind(stored), self.arrays.all[array].element);
        if from != to {
            name = self.cast(&name, from, to)?;
        }
        self.line(&format!("affine.store {name}, {target}"), instruction.location.as_ref());
        Ok(())
    }

    fn cast(&mut self, name: &str, from: Type, to: Type) -> Step<String> {
        let result = self.fresh();
        let (from, to) = (from.text().ok_or(Reason::Type)?, to.text().ok_or(Reason::Type)?);
        self.line(&format!("{result} = arith.bitcast {name} : {from} to {to}"), None);
        Ok(result)
    }

    /// Stores a value for the code behind the region.
    pub(super) fn store_out(&mut self, value: ValueId) -> Step<()> {
        let (name, kind) = (self.name(value)?, self.kind(value)?);
        self.line(&format!("affine.store {name}, {}[] : memref<{kind}>", slot_name(value)), None);
        Ok(())
    }
}

/// The flags of an integer operation, as they stand behind its operands.
fn wrapping(flags: Wrapping) -> String {
    let names: Vec<_> =
        [(flags.nsw, "nsw"), (flags.nuw, "nuw")].iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
    if names.is_empty() { String::new() } else { format!(" overflow<{}>", names.join(", ")) }
}

/// The flags of a floating-point operation, as they stand behind its operands.
fn fast_math(flags: &FastMath) -> String {
    flags.text().map_or_else(String::new, |names| format!(" fastmath<{names}>"))
}

/// The operation of an intrinsic.
fn intrinsic_operation(intrinsic: Intrinsic, flags: &FastMath, operands: &[String], kind: &str) -> String {
    let name = match intrinsic {
        Intrinsic::Abs => "math.absi",
        Intrinsic::Ceil => "math.ceil",
        Intrinsic::Copysign => "math.copysign",
        Intrinsic::Cos => "math.cos",
        Intrinsic::Ctpop => "math.ctpop",
        Intrinsic::Exp => "math.exp",
        Intrinsic::Exp2 => "math.exp2",
        Intrinsic::Fabs => "math.absf",
        Intrinsic::Floor => "math.floor",
        Intrinsic::Fma => "math.fma",
        Intrinsic::Log => "math.log",
        Intrinsic::Log10 => "math.log10",
        Intrinsic::Log2 => "math.log2",
        Intrinsic::Maximum => "arith.maximumf",
        Intrinsic::Maxnum => "arith.maxnumf",
        Intrinsic::Minimum => "arith.minimumf",
        Intrinsic::Minnum => "arith.minnumf",
        Intrinsic::Pow => "math.powf",
        Intrinsic::Round => "math.round",
        Intrinsic::Roundeven => "math.roundeven",
        Intrinsic::Sin => "math.sin",
        Intrinsic::Smax => "arith.maxsi",
        Intrinsic::Smin => "arith.minsi",
        Intrinsic::Sqrt => "math.sqrt",
        Intrinsic::Umax => "arith.maxui",
        Intrinsic::Umin => "arith.minui",
        // It stays one operation: as two of which the product is shared, or which may be contracted with others, it
        // would round elsewhere than the original does.
        Intrinsic::Fmuladd => {
            let fast =
                flags.text().map(|names| format!(" {{fastmathFlags = #llvm.fastmath<{names}>}}")).unwrap_or_default();
            return format!("{FMULADD}({}){fast} : ({kind}, {kind}, {kind}) -> {kind}", operands.join(", "));
        }
    };
    // The second operand only says whether one value gives poison; without that, it does not.
    let count = if intrinsic == Intrinsic::Abs { 1 } else { operands.len() };
    format!("{name} {}{} : {kind}", operands[..count].join(", "), fast_math(flags))
}

/// A number of which all bytes are the same.
fn repeated(byte: i64, element: Type) -> Option<Constant> {
    let bytes = i64::from_ne_bytes([byte.to_le_bytes()[0]; 8]);
    match element {
        Type::Int(bits @ 8..=64) => Some(Constant::Int(bytes >> (64 - bits))),
        // The bits of zero are all zero.
        Type::Float(_) | Type::BFloat if bytes == 0 => Some(Constant::Float(0)),
        _ => None,
    }
}
