//! Layouts that a C program says in annotations, which clang hands on in LLVM IR:
//!
//! ```c
//! __attribute__((annotate("polyrs.layout", "map(in: arg1(i, k) -> (k, i))")))
//! void f(int n, double A[n][n], double B[n][n] __attribute__((annotate("polyrs.layout", "map(in: (i, k) -> (k, i))"))));
//! ```
//!
//! Those of functions are in `llvm.global.annotations`. A parameter that has one is kept on the stack, and its place is
//! handed to `llvm.var.annotation`; clones have no such calls, so that the parameter is in a register there.

use std::collections::{BTreeMap, BTreeSet};

use llvm_sys::LLVMOpcode;
use llvm_sys::core::{
    LLVMGetAsString, LLVMGetCalledValue, LLVMGetInitializer, LLVMGetNamedGlobal, LLVMGetNumOperands, LLVMGetOperand,
    LLVMIsAConstantArray, LLVMIsAConstantDataSequential, LLVMIsAConstantStruct, LLVMIsAGlobalVariable,
    LLVMIsConstantString,
};
use llvm_sys::prelude::LLVMValueRef;

use super::ir::{Function, Instruction, Module, Value, sized_text};
use crate::mlir::names::ARGUMENT;
use crate::mlir::schedule::{LAYOUT, Missing};

/// The layouts that annotations of a function and of its parameters ask for.
#[derive(Debug, Default)]
pub struct Annotations {
    /// Those of the function: directives that name arrays.
    pub of_function: Vec<String>,
    /// Those of parameters, by their numbers in LLVM IR: directives that name no array.
    pub of_parameters: BTreeMap<usize, Vec<String>>,
    /// How many parameters in LLVM IR come before those that C has.
    pub hidden: usize,
    /// What is wrong with others, in words.
    pub wrong: Vec<String>,
}

impl Annotations {
    /// Reads those of a function.
    pub fn of(module: Module<'_>, function: Function<'_>) -> Self {
        let mut found = Self { hidden: usize::from(function.returns_through_first()), ..Self::default() };
        for text in found.of_value(module, function.value()) {
            add(&mut found.of_function, text);
        }
        for block in function.blocks() {
            for call in block.instructions().filter(|instruction| is_annotation(*instruction)) {
                let Some(text) = found.text(call.operand(1), call.operand(4)) else { continue };
                match parameter(function, call) {
                    Some(number) => add(found.of_parameters.entry(number).or_default(), text),
                    None => {
                        found.wrong.push(format!("{LAYOUT} of a variable that is no parameter: say it of the function"))
                    }
                }
            }
        }
        found
    }

    /// Nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.of_function.is_empty() && self.of_parameters.is_empty()
    }

    /// The texts of the module's annotations of a function.
    fn of_value(&mut self, module: Module<'_>, value: Value<'_>) -> Vec<String> {
        // SAFETY: the module is alive; what is not there is null, and operands are asked of constants that have them.
        let list = unsafe {
            let list = LLVMGetNamedGlobal(module.raw(), c"llvm.global.annotations".as_ptr());
            if list.is_null() { list } else { LLVMGetInitializer(list) }
        };
        // SAFETY: null, or a constant.
        if list.is_null() || unsafe { LLVMIsAConstantArray(list).is_null() } {
            return Vec::new();
        }
        let mut texts = Vec::new();
        for row in operands(list) {
            // SAFETY: a constant.
            if unsafe { LLVMIsAConstantStruct(row).is_null() } {
                continue;
            }
            if let [annotated, name, _, _, arguments] = operands(row)[..]
                && annotated == value.raw()
            {
                // SAFETY: operands of a constant that is alive.
                let (name, arguments) = unsafe { (Value::new(name), Value::new(arguments)) };
                texts.extend(self.text(name, arguments));
            }
        }
        texts
    }

    /// The directives of an annotation; `None` if it is about something else, or wrong.
    fn text(&mut self, name: Value<'_>, arguments: Value<'_>) -> Option<String> {
        let name = string(name.raw())?;
        let rest = name.strip_prefix(LAYOUT)?;
        let texts: Vec<Option<String>> = struct_of(arguments.raw()).into_iter().map(string).collect();
        if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
            self.wrong
                .push(format!("the annotation `{}` is not known; that for layouts is `{LAYOUT}`", name.escape_debug()));
            return None;
        }
        let Some(mut texts) = texts.into_iter().collect::<Option<Vec<String>>>() else {
            self.wrong.push(format!("{LAYOUT} with what is no text; maps are \"map(...)\""));
            return None;
        };
        if !rest.trim().is_empty() {
            texts.insert(0, rest.to_owned());
        }
        Some(texts.join("\n"))
    }
}

/// What annotations ask for, and which of it the regions of a function could follow.
pub struct Asked {
    /// What they ask for.
    pub annotations: Annotations,
    /// What no region so far has, and what those have that were looked at; `None` before the first one.
    missing: Option<Vec<Missing>>,
    /// The parameters that regions have as arrays.
    found: BTreeSet<usize>,
}

impl Asked {
    /// Those of a function, before any region.
    pub fn of(module: Module<'_>, function: Function<'_>) -> Self {
        Self { annotations: Annotations::of(module, function), missing: None, found: BTreeSet::new() }
    }

    /// One more region: the parameters whose layouts it was told, and what it does not have.
    pub fn add(&mut self, told: &[usize], missing: Vec<Missing>) {
        self.found.extend(told);
        let Some(known) = self.missing.take() else {
            self.missing = Some(missing);
            return;
        };
        let both = known.into_iter().filter_map(|mut known| {
            let other = missing.iter().find(|other| other.what == known.what)?;
            if let (Some(known), Some(other)) = (&mut known.known, &other.known) {
                known.extend(other.iter().cloned());
            }
            Some(known)
        });
        self.missing = Some(both.collect());
    }

    /// What is wrong, and what no region could follow.
    pub fn unfollowed(self) -> Vec<String> {
        let mut texts = self.annotations.wrong.clone();
        match &self.missing {
            Some(missing) => texts.extend(missing.iter().map(Missing::text)),
            None if self.annotations.of_function.is_empty() => {}
            None => texts.push(format!("{LAYOUT}: the function has no region that could follow it")),
        }
        for number in self.annotations.of_parameters.keys().filter(|number| !self.found.contains(number)) {
            let number = number.saturating_sub(self.annotations.hidden);
            texts.push(format!("{LAYOUT} of `{ARGUMENT}{number}`: no region of the function accesses it"));
        }
        texts
    }
}

/// Adds directives to others. A function that is declared before it is defined may say the same in both places.
fn add(all: &mut Vec<String>, text: String) {
    if !all.contains(&text) {
        all.push(text);
    }
}

/// Whether an instruction is the annotation of a variable.
fn is_annotation(instruction: Instruction<'_>) -> bool {
    // Five arguments, and the callee.
    if instruction.opcode() != LLVMOpcode::LLVMCall || instruction.operands().len() != 6 {
        return false;
    }
    // SAFETY: a call.
    let callee = unsafe { Value::new(LLVMGetCalledValue(instruction.raw())) };
    callee.name().starts_with("llvm.var.annotation")
}

/// The number of the parameter that was stored to the variable of an annotation before it.
fn parameter(function: Function<'_>, annotation: Instruction<'_>) -> Option<usize> {
    let variable = annotation.operand(0);
    let before = annotation.block().instructions().take_while(|instruction| *instruction != annotation);
    let stored = before.filter(|instruction| instruction.opcode() == LLVMOpcode::LLVMStore);
    let value = stored.filter(|store| store.operand(1) == variable).map(|store| store.operand(0)).last()?;
    function.arguments().position(|argument| argument == value)
}

/// The members of the constant structure that a global holds; none if it is something else.
fn struct_of(global: LLVMValueRef) -> Vec<LLVMValueRef> {
    let Some(found) = initializer(global) else { return Vec::new() };
    // SAFETY: a constant.
    if unsafe { LLVMIsAConstantStruct(found).is_null() } { Vec::new() } else { operands(found) }
}

/// The text that a global holds, without the zero at its end.
fn string(global: LLVMValueRef) -> Option<String> {
    let found = initializer(global)?;
    // SAFETY: a constant, which is tested to be a string before its bytes are asked for.
    let text = unsafe {
        if LLVMIsAConstantDataSequential(found).is_null() || LLVMIsConstantString(found) == 0 {
            return None;
        }
        let mut size = 0;
        let bytes = LLVMGetAsString(found, &raw mut size);
        sized_text(bytes, size)
    };
    Some(text.strip_suffix('\0').map_or(text.clone(), str::to_owned))
}

/// The initial value of a global variable.
fn initializer(global: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: a value that is alive; what is no global variable, or has no value, is told by null.
    unsafe {
        if LLVMIsAGlobalVariable(global).is_null() {
            return None;
        }
        let found = LLVMGetInitializer(global);
        (!found.is_null()).then_some(found)
    }
}

/// The operands of a constant.
fn operands(constant: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: a constant with operands, and so many of them.
    unsafe {
        let count = u32::try_from(LLVMGetNumOperands(constant)).unwrap_or(0);
        (0..count).map(|number| LLVMGetOperand(constant, number)).collect()
    }
}
